import { BlockList, isIP } from 'node:net';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { entryAt, readSharedFile } from '../../files/inspect.ts';

/** Where a PostgreSQL server is, and which of its databases has a journal, an inbox or a local copy. Contains no password. */
export interface ServerAddress {
  /** A host name, an IP address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** Undefined for the user who runs the program. */
  readonly user: string | undefined;
  /** Whose socket it may be besides root's and one's own: a user's name or id. Undefined for nobody else's. */
  readonly peer: string | undefined;
  /** Undefined for a connection that stays on this machine. */
  readonly tls: { readonly caPath: string | undefined } | undefined;
  /** For messages: `db.example.com:5432/ops`. */
  readonly name: string;
}

const DEFAULT_PORT = 5432;
const FORM = 'postgres://USER@HOST:5432/DATABASE, or postgres://USER@/DATABASE?host=/run/postgresql for a socket';
const KNOWN = ['host', 'port', 'sslmode', 'sslrootcert', 'requirepeer'];

const invalid = (from: string, why: string, hint = `write it as ${FORM}`) =>
  new CliError('usage', from === '' ? why : `${from}: ${why}`, { code: 'INVALID_JOURNAL_URL', hint });

/**
 * Reads the URL of a journal's database; `from` is where it is written, for messages that do not say it yet. Throws CliError usage,
 * without the URL.
 */
export function serverAddressOf(text: string, from = ''): ServerAddress {
  const url = urlOf(text, from);
  if (url.password !== '') throw invalid(from, 'the URL contains a password', PASSWORD_HINT);
  const strange = [...url.searchParams.keys()].find((name) => !KNOWN.includes(name));
  if (strange !== undefined)
    throw invalid(from, `unknown parameter "${strange.slice(0, 30)}"`, `use ${KNOWN.join(', ')}`);
  // In the protocol, a NUL ends a value, and what follows it would be settings of the session.
  if (
    [url.pathname, url.username, url.hostname, ...url.searchParams.values()].some((part) =>
      /\p{Cc}/u.test(decoded(part, from)),
    )
  )
    throw invalid(from, 'the URL contains a control character');
  const database = decoded(url.pathname.slice(1), from);
  if (database === '' || database.includes('/')) throw invalid(from, 'the URL names no database');
  const host = url.searchParams.get('host') ?? decoded(url.hostname, from).replace(/^\[|\]$/g, '');
  if (host === '') throw invalid(from, 'the URL names no host');
  const port = Number(url.searchParams.get('port') ?? (url.port || DEFAULT_PORT));
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw invalid(from, 'the port is not a number from 1 to 65535');
  const peer = url.searchParams.get('requirepeer') ?? undefined;
  if (peer !== undefined && !host.startsWith('/'))
    throw invalid(from, 'requirepeer is for a socket', 'leave it out, or name a socket');
  return {
    peer,
    host,
    port,
    database,
    user: decoded(url.username, from) || undefined,
    tls: tlsOf(host, url.searchParams, from),
    name: host.startsWith('/') ? `${host}/.s.PGSQL.${port}/${database}` : `${host}:${port}/${database}`,
  };
}

function decoded(text: string, from: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(from, 'the URL has a % that is not followed by two hexadecimal digits', 'write % as %25');
  }
}

const PASSWORD_HINT = 'leave it out, and put it into ~/.pgpass or PGPASSFILE';

function urlOf(text: string, from: string): URL {
  // A URL of a socket has no host, which the parser allows for no scheme with a user: postgres://ops@/ledger?host=/run.
  const parsed = URL.parse(text.trim().replace(/^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?=[/?])/, '$1socket.invalid'));
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol))
    throw invalid(from, 'it is not the URL of a PostgreSQL database');
  if (parsed.hostname === 'socket.invalid' && !parsed.searchParams.has('host'))
    throw invalid(from, 'the URL names no host');
  return parsed;
}

/** An address is read as the system reads it: `127.db.example.com` is the name of another machine. */
function isHere(host: string): boolean {
  if (host.startsWith('/') || host === 'localhost') return true;
  const family = isIP(host);
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  return family !== 0 && loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** A connection that leaves this machine is encrypted, and the server's certificate is checked. */
function tlsOf(host: string, parameters: URLSearchParams, from: string): ServerAddress['tls'] {
  const mode = parameters.get('sslmode') ?? (isHere(host) ? 'disable' : 'verify-full');
  if (mode !== 'verify-full' && mode !== 'disable')
    throw invalid(from, `sslmode is "${mode.slice(0, 20)}"`, 'leave it out, or use verify-full');
  if (mode === 'disable' && !isHere(host))
    throw invalid(
      from,
      'sslmode is disable, but the server is not on this machine',
      'leave it out, or use verify-full',
    );
  return mode === 'disable' ? undefined : { caPath: parameters.get('sslrootcert') ?? undefined };
}

/** What a stored password is for. It goes nowhere else. */
const belongsTo = ({ host, port, database, user }: ServerAddress, ownUser: string): string =>
  JSON.stringify([host, port, database, user ?? ownUser]);

/** Returns a password as it is stored: with what it is for. */
export function passwordToStore(password: Secret, address: ServerAddress, ownUser: string): Secret {
  return new Secret(JSON.stringify({ for: belongsTo(address, ownUser), password: password.reveal() }));
}

/**
 * Returns the stored password if it belongs to this host, port, database and user. One that was stored without what it is for belongs to
 * the URL of its profile.
 */
export function passwordFor(
  address: ServerAddress,
  ownUser: string,
  stored: Secret | undefined,
  profileUrl: string | undefined,
): Secret | undefined {
  if (stored === undefined) return undefined;
  const wanted = belongsTo(address, ownUser);
  const bound = boundIn(stored.reveal());
  if (bound) return bound.for === wanted ? new Secret(bound.password) : undefined;
  return profileUrl !== undefined && belongsTo(serverAddressOf(profileUrl), ownUser) === wanted ? stored : undefined;
}

/** Whether a stored password says what it is for. */
export const isBound = (stored: Secret): boolean => boundIn(stored.reveal()) !== undefined;

function boundIn(text: string): { readonly for: string; readonly password: string } | undefined {
  try {
    const found = JSON.parse(text) as { for?: unknown; password?: unknown } | null;
    if (typeof found?.for !== 'string' || typeof found.password !== 'string') return undefined;
    return { for: found.for, password: found.password };
  } catch {
    return undefined;
  }
}

/**
 * Finds the password of a database in a password file as psql reads it: lines of `host:port:database:user:password`, where `*` is
 * anything and a backslash escapes. Returns undefined if it has none. Throws CliError usage if others can read the file.
 */
export function passwordIn(path: string, { host, port, database }: ServerAddress, user: string): Secret | undefined {
  const entry = entryAt(path);
  if (entry?.kind !== 'file' && entry?.kind !== 'link') return undefined;
  if (entry.isOpenToOthers)
    throw new CliError('usage', `${path} has passwords, and other users can read it`, {
      code: 'OPEN_PASSWORD_FILE',
      hint: `run: chmod 600 ${path}`,
    });
  // A socket in its usual folder is written as localhost.
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
  for (const line of readSharedFile(path).split(/\r?\n/)) {
    const fields = line.startsWith('#') ? [] : fieldsOf(line);
    const password = fields[wanted.length];
    const isHost = (field: string) => field === host;
    if (password === undefined) continue;
    if (wanted.every((text, at) => ['*', text].includes(fields[at] ?? '') || (at === 0 && isHost(fields[at] ?? ''))))
      return new Secret(password);
  }
  return undefined;
}

/** Splits at colons, unless a backslash is before one. */
function fieldsOf(line: string): string[] {
  return (line.match(/(?:\\.|[^:\\])*(?::|$)/g) ?? []).map((field) => field.replace(/:$/, '').replace(/\\(.)/g, '$1'));
}
