/** The part of autocannon that the benchmark uses; the package has no types. */
declare module 'autocannon' {
  interface Request {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Called before each request; its return value is sent. */
    readonly setupRequest?: (request: Request) => Request;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** In seconds; ignored if `amount` is set. */
    readonly duration?: number;
    /** The number of requests. */
    readonly amount?: number;
    readonly requests: readonly Request[];
  }
  interface Result {
    /** In seconds. */
    readonly duration: number;
    readonly errors: number;
    readonly timeouts: number;
    readonly non2xx: number;
    readonly '2xx': number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
