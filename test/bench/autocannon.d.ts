/** The part of autocannon that the bench uses; the package brings no types. */
declare module 'autocannon' {
  interface Request {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Called before each request; what it returns is sent. */
    readonly setupRequest?: (request: Request) => Request;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds; without effect when `amount` is given. */
    readonly duration?: number;
    /** Requests to send. */
    readonly amount?: number;
    readonly requests: readonly Request[];
  }
  interface Result {
    /** Seconds. */
    readonly duration: number;
    readonly errors: number;
    readonly timeouts: number;
    readonly non2xx: number;
    readonly '2xx': number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
