/** The driver without its pool and its native part, which are not used. */
declare module 'pg/lib/client.js' {
  export { Client as default } from 'pg';
}
