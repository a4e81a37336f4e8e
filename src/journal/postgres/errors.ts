import { DatabaseError } from '../../sqlite/errors.ts';

/** What is wrong with a database on a server, from the point of view of the person who has to fix it. */
export type ServerProblem =
  | 'unreachable'
  | 'lost'
  | 'rejected'
  | 'insecure'
  | 'login'
  | 'peer'
  | 'oversized'
  | 'missing'
  | 'forbidden'
  | 'replica'
  | 'foreign'
  | 'owner'
  | 'changed'
  | 'open'
  | 'newer'
  | 'older'
  | 'full'
  | 'busy'
  | 'replaced'
  | 'damaged'
  | 'other';

/** What a database on a server has. */
export type OnServer = 'journal' | 'copy' | 'inbox';

/** A database on a server that cannot be used now. `path` names the server and its database. */
export class ServerError extends DatabaseError {
  override name = 'ServerError';
  readonly server: ServerProblem;
  readonly of: OnServer;

  constructor(server: ServerProblem, address: string, cause?: unknown, of: OnServer = 'journal') {
    super(server === 'damaged' ? 'corrupt' : 'other', address, cause);
    this.server = server;
    this.of = of;
  }
}

/** SQLSTATE codes, or their first characters (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const SQLSTATES: readonly (readonly [start: string, problem: ServerProblem])[] = [
  ['08', 'unreachable'],
  ['57P', 'unreachable'],
  ['53300', 'unreachable'],
  ['28', 'rejected'],
  ['3D000', 'missing'],
  ['42501', 'forbidden'],
  ['25006', 'replica'],
  ['53100', 'full'],
  ['55P03', 'busy'],
  ['25P03', 'lost'],
  ['XX001', 'damaged'],
  ['XX002', 'damaged'],
];

const NETWORK = /^(ECONN|EHOST|ENET|EPIPE|ENOTFOUND|EAI_|ETIMEDOUT|ENOENT|EADDR)/;
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/;
/** What the driver says of its own accord, without a code. */
const MESSAGES: readonly (readonly [pattern: RegExp, problem: ServerProblem])[] = [
  [/does not support SSL|SSL connection/i, 'insecure'],
  [/password must be a (non-empty )?string|no password/i, 'rejected'],
  [/^SASL/, 'login'],
  [/terminated|timeout|timed out|not queryable|Connection/i, 'unreachable'],
  [/during recovery|recovery is in progress/, 'replica'],
];

/** Returns the problem behind an error of the driver, the server or the network. */
export function problemOf(error: unknown): ServerProblem {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const byMessage = MESSAGES.find(([pattern]) => typeof message === 'string' && pattern.test(message))?.[1];
  if (typeof code !== 'string') return byMessage ?? 'other';
  if (NETWORK.test(code)) return 'unreachable';
  if (TLS.test(code)) return 'insecure';
  return SQLSTATES.find(([start]) => code.startsWith(start))?.[1] ?? (byMessage === 'replica' ? byMessage : 'other');
}
