import { journalPath } from '../../account/paths.ts';
import { advice, type Hint } from '../../base/advice.ts';
import { type Category, CliError, withDetails } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import type { Changed } from '../../engine/account.ts';
import { JOURNAL_CHANGED } from '../../journal/entries.ts';
import { type OnServer, ServerError, type ServerProblem } from '../../journal/postgres/errors.ts';
import { DatabaseError } from '../../sqlite/errors.ts';

/** Whether an error means that the reader of a pipe has exited. */
export function isClosedPipe(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'EPIPE';
}

const STATE_PROBLEMS: Readonly<Record<DatabaseError['problem'], (path: string) => [message: string, hint: Hint]>> = {
  full: (path) => [
    `the disk is full: cannot write ${path}`,
    'free some space, then run the command again; the failed write changed nothing',
  ],
  corrupt: (path) => [
    `${path} is damaged or not a fiatrail file; it was left unchanged`,
    'put a backup back; if you move it away instead, what it recorded is lost, idempotency keys of a journal too',
  ],
  unwritable: (path) => [
    `${path} cannot be opened for writing`,
    'check the permissions of the file and of its folder, and whether the disk is read-only',
  ],
  unread: (path) => [
    `${path} cannot be opened for writing, and the last entries, in ${path}-wal, cannot be read without`,
    'free some space, or make the disk writable, then run the command again',
  ],
  busy: (path) => [
    `${path} is locked by another process`,
    'wait for the other command to finish, then run this one again',
  ],
  newer: (path) => [`${path} was created by a newer version of fiatrail`, 'use that version, or a later one'],
  older: (path) => [
    `${path} was created by an earlier version of fiatrail and cannot be upgraded; it was left unchanged`,
    'use the version that created it',
  ],
  changed: (path) => [
    `${path} was changed by something other than fiatrail; nothing was written or sent`,
    'find out who did that, and what else they changed, then undo it',
  ],
  gone: (path) => [
    `${path} was deleted or replaced while it was in use`,
    'put it back if you can, then start again; without it, a new one is created',
  ],
  other: (path) => [`${path} cannot be used`, advice`check the folder and its disk with: [fiatrail doctor]`],
};

const SCHEMAS: Readonly<Record<OnServer, string>> = {
  journal: 'fiatrail',
  copy: 'fiatrail_copy',
  inbox: 'fiatrail_inbox',
};

/** Where the rights of an owner, a host and a reader are. */
const ROLES: Readonly<Record<OnServer, string>> = {
  journal: '"Several hosts" in docs/journal.md',
  copy: '"A copy in PostgreSQL" in docs/data.md',
  inbox: '"Roles" in docs/webhooks.md',
};

/** The problems whose cause says what exactly is wrong. */
const DETAILED: readonly ServerProblem[] = ['other', 'forbidden', 'owner', 'changed', 'open'];

/** What is wrong with a database on a server. Nothing was sent in any of these cases: an outcome that cannot be recorded is kept. */
const SERVER_PROBLEMS: Readonly<
  Record<ServerProblem, (server: string, of: OnServer) => [message: string, hint: Hint]>
> = {
  unreachable: (server, of) => [
    `the ${of}’s server cannot be reached: ${server}`,
    'start it, or check the network, then run the command again',
  ],
  lost: (server, of) => [`the connection to the ${of} was closed in the middle: ${server}`, 'run the command again'],
  rejected: (server, of) => [
    `the ${of}’s server rejected the user or the password: ${server}`,
    of === 'journal'
      ? advice`put the password into ~/.pgpass or PGPASSFILE, or store it with: [fiatrail profiles journal set --password-stdin]`
      : 'put the password into ~/.pgpass or PGPASSFILE',
  ],
  insecure: (server, of) => [
    `the ${of}’s server did not prove who it is, or has no TLS: ${server}`,
    'give its certificate authority in the URL as sslrootcert=FILE, and the host name that its certificate has',
  ],
  login: (server, of) => [
    `the ${of}’s server asks for no password, or asks in an unsafe way, and got none: ${server}`,
    'let it use scram-sha-256 with 4096 to 1000000 iterations: set password_encryption and pg_hba.conf, then set the user’s password again',
  ],
  peer: (server, of) => [
    `the socket of the ${of}’s server, or its folder, belongs to another user than root and you: ${server}`,
    'if the server runs as that user, name it in the URL, such as: &requirepeer=postgres',
  ],
  oversized: (server, of) => [
    `the ${of}’s server sent more than a response can have: ${server}`,
    `check that the URL names the PostgreSQL server of the ${of}`,
  ],
  missing: (server, of) => [
    `the ${of}’s database does not exist: ${server}`,
    of === 'journal'
      ? 'check the URL; a new database, made with createdb, has no idempotency keys until you import the journal'
      : 'check the URL, or make the database with createdb',
  ],
  forbidden: (server, of) => [
    `this role may not do that in the schema ${SCHEMAS[of]} of the ${of}’s database: ${server}`,
    `grant it what a host needs: see ${ROLES[of]}; where the schema is not there yet, its owner needs GRANT CREATE ON DATABASE`,
  ],
  replica: (server, of) => [
    `the ${of}’s server is a read-only replica: ${server}`,
    'use the URL of the primary server',
  ],
  owner: (server, of) => [
    `a stranger owns something of the ${of}, and could change everything in it; nothing was read, written or sent: ${server}`,
    `if the database is yours, give it to its owner: ALTER SCHEMA ${SCHEMAS[of]} OWNER TO …, and the same for its tables and functions; see ${ROLES[of]}`,
  ],
  changed: (server, of) => [
    `the ${of} was changed by something other than fiatrail; nothing was read, written or sent: ${server}`,
    'find out who did that, and what else they changed, then undo it',
  ],
  open: (server, of) => [
    `a stranger may do more in the ${of} than a host; nothing was read, written or sent: ${server}`,
    `take it away with REVOKE; a host needs what is in ${ROLES[of]}`,
  ],
  foreign: (server, of) => [
    `the schema ${SCHEMAS[of]} in the ${of}’s database belongs to something else: ${server}`,
    'use another database; it was left unchanged',
  ],
  newer: (server, of) => [
    `the ${of} was upgraded by a newer version of fiatrail: ${server}`,
    'use that version on this host too',
  ],
  older: (server, of) => [
    `the ${of} was created by an earlier version of fiatrail and cannot be upgraded: ${server}`,
    of === 'journal'
      ? 'export it with that version and --with-digest-key, and import it into an empty database'
      : 'use the version that created it',
  ],
  full: (server, of) => [
    `the disk of the ${of}’s server is full: ${server}`,
    'free some space there, then run the command again',
  ],
  busy: (server, of) => [
    `the ${of} is locked by another host: ${server}`,
    'wait for the other command to finish, then run this one again',
  ],
  replaced: (server) => [
    `the journal is on another server than before, or was restored, so its last entries may be missing: ${server}`,
    advice`run on each host: [fiatrail ops journal verify]; compare with the account, then accept the server with: [fiatrail ops journal verify --accept]`,
  ],
  damaged: (server, of) => [
    `the ${of}’s database is damaged: ${server}`,
    of !== 'journal'
      ? 'restore a backup of the database'
      : 'restore a backup of the database; then every host sends nothing until you accept it, because idempotency keys may be missing',
  ],
  other: (server, of) => [
    `the ${of}’s server failed: ${server}`,
    advice`check the URL with: [fiatrail profiles ${of} show]`,
  ],
};

const FILE_NOT_FOLDER = 'a file is in the place of a folder; rename that file, then run the command again';
const FILE_HINTS: Readonly<Record<string, string>> = { EEXIST: FILE_NOT_FOLDER, ENOTDIR: FILE_NOT_FOLDER };

/** Returns the error to print for a DatabaseError, or undefined for any other error. */
export function stateError(error: unknown): CliError | undefined {
  if (error instanceof ServerError) return serverError(error);
  if (!(error instanceof DatabaseError)) return undefined;
  const [message, hint] = STATE_PROBLEMS[error.problem](error.path);
  const detail = error.problem === 'changed' ? detailIn(error) : '';
  return new CliError('usage', `${message}${detail}`, {
    code: `STATE_${error.problem.toUpperCase()}`,
    hint,
    cause: error,
  });
}

/** What exactly is wrong, if the cause says it. */
const detailIn = ({ cause }: DatabaseError) => (cause instanceof Error ? ` (${cause.message})` : '');

/** An operation needs the journal before anything is sent, so a server that is away is a network failure. */
function serverError(error: ServerError): CliError {
  const { server, of, path } = error;
  const [message, hint] = SERVER_PROBLEMS[server](path, of);
  const category = server === 'unreachable' || server === 'lost' ? 'network' : 'usage';
  const detail = DETAILED.includes(server) ? detailIn(error) : '';
  return new CliError(category, `${message}${detail}`, {
    code: `${of.toUpperCase()}_${server.toUpperCase()}`,
    hint,
    cause: error,
  });
}

/** Converts any error to a CliError, the only kind that is printed. */
export function asCliError(error: unknown, world: World): CliError {
  if (error instanceof CliError) return error;
  const ofState = stateError(error);
  if (ofState) return ofState;
  if (isClosedPipe(error)) return new CliError('interrupted', 'interrupted: the reader of the output has exited');
  const { code, path, syscall } = (error ?? {}) as { code?: unknown; path?: unknown; syscall?: unknown };
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new CliError('usage', 'the disk is full', {
      code: 'STATE_FULL',
      hint: 'free some space, then run the command again',
    });
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code) && typeof path === 'string') {
    return new CliError('usage', `${path} cannot be used (${code})`, {
      code: 'STATE_UNWRITABLE',
      hint: FILE_HINTS[code] ?? 'check that it exists, and check its permissions',
    });
  }
  if (world.interrupted.aborted) return new CliError('interrupted', 'interrupted');
  // A stream has no path.
  if (typeof code === 'string' && syscall === 'write')
    return new CliError('usage', `the output cannot be written (${code})`, {
      code: 'STATE_UNWRITABLE',
      hint: 'check where it goes: a file that has become too large, or a device that is gone',
    });
  return new CliError('internal', 'internal error; no money request has an unknown outcome', {
    hint: 'report it with the command you ran; FIATRAIL_DEBUG=1 shows the stack trace',
    cause: error,
  });
}

/** Categories that mean that nothing was sent. */
const NOT_SENT: readonly Category[] = ['usage', 'declined'];

/** Rewrites an error after an accepted change: its category must not mean that nothing was sent. */
export function failedAfterChange(error: CliError, changed: Changed | undefined): CliError {
  if (!changed || !NOT_SENT.includes(error.category)) return error;
  const message = `the request was accepted, but a later step failed: ${error.message}`;
  return withDetails(error, { category: 'failed', message, operationId: changed.operationId });
}

/** Rewrites a failure to print the result of an accepted change: it must not read as if nothing was sent. */
export function changeNotShown(error: unknown, changed: Changed | undefined): unknown {
  if (!changed) return error;
  const { operationId, requestId } = changed;
  const why = error instanceof Error ? error.message : String(error);
  return new CliError('unknown', `the request was accepted, but its result could not be shown: ${why}`, {
    code: 'RESPONSE_NOT_SHOWN',
    hint:
      operationId && requestId
        ? advice`do not run it again; see the request id with: [fiatrail ops show ${operationId}]`
        : 'check the account before you run it again',
    operationId,
    cause: error,
  });
}

/**
 * If an error says that the journal is damaged or was changed, saves the unknown outcomes that it still has, and returns an
 * error that says where they are. Returns any other error unchanged.
 */
export async function withSavedOperations(error: unknown, world: World): Promise<unknown> {
  const path = journalPath(world);
  const ofFile = error instanceof DatabaseError && error.path === path ? error.problem : undefined;
  const isDamaged = ofFile === 'corrupt';
  const known = ofFile === 'changed' ? stateError(error) : error;
  const isChanged =
    known instanceof CliError && known.category === 'usage' && (known.code === JOURNAL_CHANGED || known !== error);
  if (!isDamaged && !isChanged) return error;
  const saved = await savedText(path, world);
  if (isChanged) return withDetails(known, { message: `${known.message}; ${saved}` });
  return new CliError('usage', `the journal ${path} is damaged or not a journal; it was left unchanged; ${saved}`, {
    code: 'STATE_CORRUPT',
    hint: advice`put a backup back; without one, idempotency keys are lost: compare with the service’s lists, rename the file, then accept a new journal with: [fiatrail ops journal verify --accept]`,
    cause: error,
  });
}

async function savedText(path: string, world: World): Promise<string> {
  try {
    const saved = await (await import('../../journal/save-unknown.ts')).saveUnknown(path, world);
    if (!saved) return 'no unknown outcome can be read from it';
    const what = saved.count === 1 ? 'its 1 unknown outcome is' : `its ${saved.count} unknown outcomes are`;
    return `${what} saved in ${saved.path}`;
  } catch {
    return 'its unknown outcomes could not be saved';
  }
}
