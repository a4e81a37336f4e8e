import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { ExchangeError } from '../../src/base/errors.ts';
import type { AtEnd } from '../support/built.ts';

/** At which write to the journal, or request, something happens to a process; counted from 1. */
export interface Moment {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** A process of a campaign, and what happens to it. Several run in this process at once. */
export interface Process {
  readonly id: number;
  /** It dies at this commit of the journal. */
  readonly diesAtCommit?: Moment | undefined;
  /** It dies at this request. */
  readonly diesAtRequest?: Moment | undefined;
  /** The journal is locked from this commit on. */
  readonly lockedFrom?: number | undefined;
  /** Its request that moves money gets no response, and arrives much later. */
  readonly isLate?: boolean | undefined;
  /** What happens while it is suspended, before its first request that moves money leaves. */
  suspended?: (() => Promise<void>) | undefined;
  /** What happens when its request that moves money has arrived, before it gets the response. */
  readonly onArrival?: (() => Promise<void>) | undefined;
  /** It is another program of the account: nothing happens to it. */
  readonly isOther?: boolean | undefined;
  /** The time of a journal on a server. */
  readonly journalNow: () => number;
  commits: number;
  requests: number;
  isDead: boolean;
}

/** A store that knows in which process the code is running. */
export const running = new AsyncLocalStorage<Process>();

/** The error that SQLite throws when it has waited long enough for a lock. */
const locked = () =>
  Object.assign(new Error('database is locked'), {
    code: 'ERR_SQLITE_ERROR',
    errcode: 5,
    errstr: 'database is locked',
  });

/** What the dead see of the world. They go on running, and must change nothing. */
function requireAlive(): void {
  if (running.getStore()?.isDead) throw Object.assign(new Error('this process was killed'), { code: 'EIO' });
}

function die(process: Process): void {
  process.isDead = true;
  requireAlive();
}

/** Counts a request, and kills the process before it leaves or when its response arrives. */
export async function requestOf<T>(process: Process, send: () => Promise<T>): Promise<T> {
  const dies = (when: Moment['when']) => {
    if (process.diesAtRequest?.at === process.requests && process.diesAtRequest.when === when) process.isDead = true;
    if (process.isDead) throw new ExchangeError('this process was killed', when === 'after');
  };
  process.requests += 1;
  dies('before');
  try {
    return await send();
  } finally {
    dies('after');
  }
}

/** Whether `openSync` is called to read: if a module cannot be loaded once, Node never loads it again, for the living neither. */
function opensToRead(name: string, [, flags = 'r']: readonly unknown[]): boolean {
  if (name !== 'openSync') return false;
  const changing = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT;
  return typeof flags === 'number' ? (flags & changing) === 0 : flags === 'r';
}

const CHANGES = [
  'openSync',
  'writeSync',
  'writeFileSync',
  'appendFileSync',
  'renameSync',
  'linkSync',
  'unlinkSync',
] as const;

/** Counts a commit of the journal, and kills the process before or after it. */
function atCommit(process: Process): { readonly before: () => void; readonly after: () => void } {
  process.commits += 1;
  const { at, when } = process.diesAtCommit ?? { at: 0, when: 'before' };
  const dies = (now: string) => {
    if (process.commits === at && when === now) die(process);
  };
  return { before: () => dies('before'), after: () => dies('after') };
}

const isLocked = ({ commits, lockedFrom = Infinity }: Process) => commits + 1 >= lockedFrom;

/** Makes processes die at writes to the journal, keeps the dead from changing files, and locks the journal, until the end. */
export function watchProcesses(atEnd: AtEnd): void {
  const { exec: realExec, prepare: realPrepare } = DatabaseSync.prototype;
  const realFiles = Object.fromEntries(CHANGES.map((name) => [name, fs[name]]));
  const watched = <R>(connection: DatabaseSync, sql: string, real: () => R): R => {
    const process = running.getStore();
    if (!process || !connection.location()?.endsWith('journal.db')) return real();
    if (process.isDead && !sql.startsWith('ROLLBACK')) requireAlive();
    if (sql === 'BEGIN IMMEDIATE' && isLocked(process)) throw locked();
    if (sql !== 'COMMIT') return real();
    const { before, after } = atCommit(process);
    before();
    const result = real();
    after();
    return result;
  };
  DatabaseSync.prototype.exec = function exec(sql: string) {
    return watched(this, sql, () => realExec.call(this, sql));
  };
  DatabaseSync.prototype.prepare = function prepare(sql: string) {
    const statement = realPrepare.call(this, sql);
    if (!/^(?:BEGIN|COMMIT|SAVEPOINT|RELEASE)/.test(sql)) return statement;
    const run = statement.run.bind(statement);
    statement.run = () => watched(this, sql, run);
    return statement;
  };
  const guarded = CHANGES.map((name) => {
    const real = fs[name] as (...given: readonly unknown[]) => unknown;
    return [
      name,
      (...given: readonly unknown[]) => {
        if (!opensToRead(name, given)) requireAlive();
        return real(...given);
      },
    ];
  });
  Object.assign(fs, Object.fromEntries(guarded));
  syncBuiltinESMExports();
  atEnd(() => {
    Object.assign(DatabaseSync.prototype, { exec: realExec, prepare: realPrepare });
    Object.assign(fs, realFiles);
    syncBuiltinESMExports();
  });
}

/** The time of the server, wherever SQL asks for it. */
const TIME = 'clock_timestamp()';
const timeAt = (ms: number) => `timestamptz '${new Date(ms).toISOString()}'`;

/** What the server says of a lock that was not free in time. */
const lockTimeout = () => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

/** Does to a journal in PostgreSQL what `watchProcesses` does to a file, and gives its server the clock of the process's world. */
export function watchServer(atEnd: AtEnd): void {
  const realQuery = Client.prototype.query as (...given: unknown[]) => Promise<unknown>;
  const writing = new WeakSet<Client>();
  const query = async function (this: Client, process: Process, sql: string, values?: unknown) {
    if (process.isDead && sql !== 'ROLLBACK') requireAlive();
    if (sql.startsWith('BEGIN')) writing.delete(this);
    if (sql.startsWith('BEGIN') && sql.includes('READ WRITE')) {
      if (isLocked(process)) throw lockTimeout();
      writing.add(this);
    }
    const send = () => realQuery.call(this, sql.replaceAll(TIME, timeAt(process.journalNow())), values);
    if (sql !== 'COMMIT' || !writing.has(this)) return send();
    const { before, after } = atCommit(process);
    before();
    const committed = await send();
    after();
    return committed;
  };
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const process = running.getStore();
    const [sql, values] = given;
    if (!process || typeof sql !== 'string') return realQuery.apply(this, given);
    return query.call(this, process, sql, values);
  } as never;
  atEnd(() => {
    Client.prototype.query = realQuery as never;
  });
}
