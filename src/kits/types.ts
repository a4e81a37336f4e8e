import type { Operations } from './operations.ts';

export interface ClientOptions {
  /** The address of the service, ending in /v1. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The service's own name, which one path contains. */
  readonly serviceName?: string | undefined;
  /** The service's public key, 64 hexadecimal digits: requests are encrypted with it. */
  readonly platformKey?: string | undefined;
  /** The X25519 private keys of the account, newest first, which open encrypted answers. */
  readonly privateKeys?: readonly string[] | undefined;
  /** Whether an answer that is not encrypted is refused. */
  readonly requiresEncryption?: boolean | undefined;
  /** The time for a call with all its attempts (default 60 s). */
  readonly timeoutMs?: number | undefined;
  /** Stops every call. What a stopped change did is unknown. */
  readonly signal?: AbortSignal | undefined;
  /** Sends in place of the network, such as the `fetch` of a sandbox. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Receives a sentence about an answer that counts although something is wrong with it. */
  readonly onWarning?: ((sentence: string) => void) | undefined;
}

export interface Client {
  /**
   * Sends a request once; a read is repeated where that can help, a change only after a 429. Resolves with the data of the answer,
   * its amounts exact. Rejects with FiatrailError: `unknown` means that a change may have been made.
   */
  call<Id extends keyof Operations & string>(
    operation: Id,
    input?: Operations[Id]['input'],
  ): Promise<Operations[Id]['output']>;
}

/** `faultAdd` for `sandbox.fault-add`. */
export const controlName = (id: string): string =>
  id.replace(/^sandbox\./, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
