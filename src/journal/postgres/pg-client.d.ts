/** The driver without its pool and its native part, which are not used. */
declare module 'pg/lib/client.js' {
  import { Client, type Connection } from 'pg';
  export default class extends Client {
    readonly connection: Connection;
    constructor(config: import('pg').ClientConfig & { scramMaxIterations: number });
  }
}
