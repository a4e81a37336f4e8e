/** What the HTTP server accepts from one client, and how long it waits. docs/fidelity.md lists these values. */

const KIB = 1024;
const MIB = 1024 * KIB;

/** The request line and all headers together. */
export const MAX_HEADER_BYTES = 16 * KIB;

/** Of a request whose API key is unknown, no more of the body is kept. */
export const MAX_BODY_BYTES_WITHOUT_KEY = 64 * KIB;

/** Far above any request of the service. */
export const MAX_BODY_BYTES = MIB;

/** The body of `sandbox restore`, which contains a whole state file. */
export const MAX_RESTORE_BODY_BYTES = 16 * MIB;

/** Limits of the server as a whole. */
export interface ServerLimits {
  readonly connections: number;
  /** The command line reads no longer response. Only a snapshot can be longer, and its characters are single bytes. */
  readonly responseBytes: number;
  /** From the start of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the start of a request to the end of its body. */
  readonly requestMs: number;
  /** How long a connection may be silent while a request is in progress. */
  readonly idleMs: number;
  /** How long a connection stays open between two requests. */
  readonly keepAliveMs: number;
  /** How often the server looks for requests that have exceeded a time limit. */
  readonly checkEveryMs: number;
}

export const SERVER_LIMITS: ServerLimits = {
  connections: 500,
  responseBytes: 16 * MIB,
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 60_000,
  keepAliveMs: 5_000,
  checkEveryMs: 1_000,
};

/** How long open requests may take when the sandbox stops, and a client to read the answer to a malformed request. */
export const GRACE_MS = 1_000;
