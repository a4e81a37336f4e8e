import { jsonIn } from '../base/errors.ts';
import { controls } from '../contract/control.ts';
import { type Endpoint, effectOf } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints/index.ts';
import { bodyText, pathText, secretsOf } from '../contract/exchange-text.ts';
import { createPathMatcher, type PathMatch } from '../contract/paths.ts';
import { createRedactor, redactText } from '../contract/redact.ts';
import { isJsonObject } from '../money/decimal.ts';
import type { ObservedExchange } from '../sandbox/observe.ts';
import { type Database, openScratch, type SqlValue } from '../sqlite/database.ts';
import { DatabaseError } from '../sqlite/errors.ts';
import { ID_FIELDS } from '../things/index.ts';
import { cutBody } from './bodies.ts';
import { lookOfStatus } from './look.ts';
import { pageOfMatches, rememberMatches } from './matches.ts';
import type { List, Row, RowFilter } from './source.ts';

/** Removing one by one would cost each request as much as adding it. */
const REQUESTS = { atMost: 100_000, removedAtOnce: 10_000 };
/** A transaction for each request would take longer than all else about it. */
const IN_TRANSACTION = 256;
/** How much of bodies is kept. */
const MAX_BODIES = 64 * 1024 * 1024;
/**
 * How many characters of reads are kept: so many at once, and then so many each millisecond. Redacting a long body takes as long as answering
 * its request, which a load test would notice. Requests that change something are always kept.
 */
const READS = { charsAtOnce: 100_000, charsPerMs: 50 };

const TABLES = `
PRAGMA cache_size = -2000; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
CREATE TABLE request (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, ms REAL NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, operation TEXT, effect TEXT NOT NULL,
  who TEXT NOT NULL, status INTEGER, subject TEXT, sent TEXT, received TEXT, sandbox_at INTEGER) STRICT;
CREATE INDEX request_by_subject ON request (subject) WHERE subject IS NOT NULL;`;

/** The session's requests: in a file without a name, bounded, and redacted as soon as they are answered. */
export interface RequestLog {
  readonly list: List;
  observe(exchange: ObservedExchange): void;
  /** Changes with every request, whether it could be recorded or not. */
  version(): string;
  /** The ids of requests that name something. */
  about(id: string): readonly Row[];
  close(): void;
}

interface RecordedRequest {
  readonly at: number;
  readonly ms: number;
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
  readonly effect: string;
  readonly who: string;
  readonly status: number | null;
  readonly subject: string | null;
  readonly sent: string | null;
  readonly received: string | null;
  /** What time it was in the sandbox; null if that is not known. */
  readonly sandboxAt: number | null;
}

interface Stored extends Omit<RecordedRequest, 'at' | 'status' | 'sandboxAt'> {
  readonly id: bigint;
  readonly at: bigint;
  readonly status: bigint | null;
  readonly sandbox_at: bigint | null;
}

/** `tell` is told once why requests cannot be recorded. */
export async function openRequestLog(
  whoIs: (apiKey: string | undefined) => string,
  {
    atMost = REQUESTS.atMost,
    removedAtOnce = REQUESTS.removedAtOnce,
    tell = (_: string) => {},
    sandboxNowMs = (): number | undefined => undefined,
    open = openScratch,
  } = {},
): Promise<RequestLog> {
  const store = await open((database) => database.exec(TABLES));
  const batch = createBatch(store);
  const paths = createPathMatcher<Endpoint>([...controls, ...endpoints]);
  const hasRoomFor = createAllowance();
  const sandboxAtOf = createSandboxTime(sandboxNowMs);
  let [first, last, bodies, generation] = [1, 0, 0, 0];
  let [unrecorded, gap] = [0, ''];
  const insert = (row: RecordedRequest) => {
    batch.begin(last);
    store.run(
      'INSERT INTO request VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      last + 1,
      row.at,
      row.ms,
      row.method,
      row.path,
      row.operation,
      row.effect,
      row.who,
      row.status,
      row.subject,
      row.sent,
      row.received,
      row.sandboxAt,
    );
    last += 1;
    bodies += (row.sent?.length ?? 0) + (row.received?.length ?? 0);
  };
  const tidy = () => {
    if (bodies > MAX_BODIES) bodies = dropBodies(store);
    if (last - first < atMost) return;
    store.run('DELETE FROM request WHERE id < ?', first + removedAtOnce);
    first += removedAtOnce;
    generation += 1;
  };
  const miss = (error: unknown, count: number) => {
    const isFirst = unrecorded === 0;
    unrecorded += count;
    gap = `${unrecorded} ${unrecorded === 1 ? 'request' : 'requests'} could not be recorded: ${whyOf(error)}`;
    if (isFirst) tell(`a request could not be recorded: ${whyOf(error)}`);
  };
  return {
    list: listOf(store, () => ({ first, last, generation, gap })),
    observe: (exchange) => {
      const { method, url } = exchange.request;
      const match = paths.match(method === 'HEAD' ? 'GET' : method, pathIn(url));
      const hasBodies = match?.endpoint.effect !== 'read' || hasRoomFor(exchange);
      // Whatever happens, the request was answered, and its answer must arrive although it cannot be recorded, such as on a full disk.
      let row: RecordedRequest;
      try {
        const sandboxAt = sandboxAtOf(exchange, match?.endpoint.effect === 'read');
        row = { ...recorded(exchange, match, hasBodies, whoIs(exchange.caller.apiKey)), sandboxAt };
      } catch (error) {
        return miss(error, 1);
      }
      const before = last;
      try {
        insert(row);
        tidy();
        batch.end();
      } catch (error) {
        last = batch.save(last);
        generation += 1;
        if (last <= before) miss(error, before + 1 - last);
      }
    },
    version: () => `${last}.${unrecorded}`,
    about: (id) =>
      store.all<Stored>(`SELECT ${ROW} FROM request WHERE subject = ? ORDER BY id LIMIT 50`, id).map(rowOf),
    close: () => store.close(),
  };
}

/** Requests that are committed together. */
function createBatch(store: Database) {
  let [size, committed] = [0, 0];
  const commit = () => {
    size = 0;
    store.exec('COMMIT');
  };
  return {
    begin: (last: number) => {
      if (size === 0) {
        committed = last;
        store.exec('BEGIN');
      }
      size += 1;
    },
    end: () => size >= IN_TRANSACTION && commit(),
    /** Keeps what there was before an error. Returns the last request that there is: SQLite may have undone some, as it does on a full disk. */
    save: (last: number): number => {
      try {
        commit();
        return last;
      } catch {
        return committed;
      }
    },
  };
}

/** Why a request cannot be recorded. What an error says may have a key in it. */
function whyOf(error: unknown): string {
  const problem = error instanceof DatabaseError ? error.problem : undefined;
  if (problem === 'full') return 'the disk is full';
  return problem === 'unwritable' ? 'the folder for temporary files cannot be written' : 'an error in the inspector';
}

/** How far the sandbox’s clock is ahead is known for this long, unless a request may have moved it: to read it takes as long as to record a read. */
const CLOCK_MS = 100;

/** Returns what time it was in the sandbox when a request was answered; null if that is not known. */
function createSandboxTime(sandboxNowMs: () => number | undefined) {
  let [aheadMs, readAtMs] = [0, Number.NEGATIVE_INFINITY];
  return ({ startMs, durationMs }: ObservedExchange, isRead: boolean): number | null => {
    const atMs = startMs + durationMs;
    if (isRead && Math.abs(atMs - readAtMs) < CLOCK_MS) return Math.round(atMs + aheadMs);
    const nowMs = sandboxNowMs();
    if (nowMs === undefined) return null;
    [aheadMs, readAtMs] = [nowMs - atMs, atMs];
    return nowMs;
  };
}

/** Returns whether the bodies of a read are kept. One that is too long is kept too, and the next ones wait for it. */
function createAllowance(): (read: ObservedExchange) => boolean {
  let [left, atMs] = [READS.charsAtOnce, 0];
  return ({ request, response, startMs }) => {
    left = Math.min(READS.charsAtOnce, left + Math.max(0, startMs - atMs) * READS.charsPerMs);
    atMs = startMs;
    const hasRoom = left > 0;
    if (hasRoom) left -= request.url.length + (request.body?.length ?? 0) + (response?.body.length ?? 0);
    return hasRoom;
  };
}

/** Forgets the bodies of the older half. Returns how much is left. */
function dropBodies(store: Database): number {
  store.run(
    'UPDATE request SET sent = NULL, received = NULL WHERE id <= (SELECT (min(id) + max(id)) / 2 FROM request WHERE received IS NOT NULL)',
  );
  const left = store.get<{ n: bigint }>(
    'SELECT coalesce(sum(length(sent)), 0) + coalesce(sum(length(received)), 0) AS n FROM request',
  );
  return Number(left?.n ?? 0n);
}

/** Controls that show keys, or the whole state, on purpose. */
const HAS_KEYS = new Set(['sandbox.status', 'sandbox.snapshot', 'sandbox.restore']);

function recorded(
  exchange: ObservedExchange,
  match: PathMatch | undefined,
  hasBodies: boolean,
  who: string,
): Omit<RecordedRequest, 'sandboxAt'> {
  const { request, response, startMs, durationMs } = exchange;
  const texts = hasBodies ? wholeTexts(exchange, match?.endpoint) : shortTexts(exchange, match);
  const input = fieldsOf(texts.sent);
  return {
    at: startMs,
    ms: Math.round(durationMs * 100) / 100,
    method: request.method,
    ...texts,
    operation: match?.endpoint.id ?? null,
    effect: match ? effectOf(match.endpoint, input) : 'unknown',
    who,
    status: response?.status ?? null,
    subject: subjectOf(fieldsOf(texts.received), input),
  };
}

/** What of an exchange is shown, without secrets. */
type ExchangeTexts = Pick<RecordedRequest, 'path' | 'sent' | 'received'>;

function wholeTexts({ request, response, caller }: ObservedExchange, endpoint: Endpoint | undefined): ExchangeTexts {
  const secrets = secretsOf(endpoint, { ...request, headers: { 'x-api-key': caller.apiKey ?? '' } });
  const redactor = createRedactor(secrets);
  const clean = (text: string) => cutBody(redactor.text(text));
  const isHidden = HAS_KEYS.has(endpoint?.id ?? '');
  const textOf = (side: 'request' | 'response', body = '') => {
    if (body === '') return '';
    return isHidden ? `(${body.length} characters)` : clean(bodyText(endpoint, side, redactor.body(body)));
  };
  return {
    path: clean(pathText(endpoint, request.url)),
    sent: textOf('request', request.body),
    received: textOf('response', response?.body),
  };
}

function shortTexts({ request, caller }: ObservedExchange, match: PathMatch | undefined): ExchangeTexts {
  const path = pathIn(request.url);
  // What is in the contract is no secret; to look for one in all its forms would take longer than everything else.
  const isKnown = match !== undefined && path.endsWith(match.spelling.path);
  const secrets = isKnown || !caller.apiKey ? [] : [caller.apiKey];
  return { path: cutBody(redactText(pathText(match?.endpoint, path), secrets)), sent: null, received: null };
}

const pathIn = (url: string) => url.split('?', 1)[0] ?? '';

/** The fields of a body. The ids and actions that are read of it are texts, so that no digit matters. */
function fieldsOf(text: string | null): Readonly<Record<string, unknown>> {
  // Parsing an empty text throws, which takes longer than recording the request.
  const value = text ? jsonIn(text) : undefined;
  return isJsonObject(value) ? value : {};
}

/** What a request is about: the id in its response, else in the request itself. The sandbox alone names deposits and events. */
const IDS = [...ID_FIELDS.ofWork, 'depositId', 'eventId', ...ID_FIELDS.ofOthers];

function subjectOf(...sides: readonly Readonly<Record<string, unknown>>[]): string | null {
  for (const json of sides)
    for (const object of [json['data'], json])
      for (const name of IDS) {
        const id = isJsonObject(object) ? object[name] : undefined;
        if (typeof id === 'string') return id;
      }
  return null;
}

function rowOf({
  id,
  at,
  ms,
  method,
  path,
  operation,
  effect,
  who,
  status,
  subject,
  sandbox_at: sandboxAt,
}: Stored): Row {
  return {
    id: String(id),
    at: new Date(Number(at)).toISOString(),
    ms,
    method,
    path,
    operation,
    effect,
    who,
    subject,
    status: status === null ? null : Number(status),
    look: lookOfStatus(status === null ? null : Number(status)),
    sandboxAt: sandboxAt === null ? null : new Date(Number(sandboxAt)).toISOString(),
  };
}

/** The classes of a status, and the effects, that a list can be reduced to. */
const STATES: Readonly<Record<string, string>> = {
  ok: 'status BETWEEN 200 AND 299',
  rejected: 'status BETWEEN 400 AND 499',
  failed: '(status >= 500 OR status IS NULL)',
  read: `effect = 'read'`,
  write: `effect IN ('write', 'destructive')`,
  money: `effect = 'money'`,
};

/** The condition of a state; no request has one that is not among them. */
function conditionOf(state: string): string {
  if (state === '') return '1 = 1';
  return (Object.hasOwn(STATES, state) ? STATES[state] : undefined) ?? '1 = 0';
}

const ROW = 'id, at, ms, method, path, operation, effect, who, status, subject, sandbox_at';

/** Which requests there are: no number between the first and the last is left out. */
interface LogExtent {
  readonly first: number;
  readonly last: number;
  readonly generation: number;
  /** Why some are missing; empty if none is. */
  readonly gap: string;
}

function listOf(store: Database, extent: () => LogExtent): List {
  const matches = rememberMatches<number, LogExtent>({
    find: (filter, since) => ({ items: matchesAfter(store, filter, since?.last ?? 0), last: extent() }),
    isStill: ({ generation }) => generation === extent().generation,
  });
  const rowsFrom = (first: number, limit: number) =>
    store.all<Stored>(`SELECT ${ROW} FROM request WHERE id >= ? ORDER BY id LIMIT ?`, first, limit).map(rowOf);
  const rowWith = (id: number) => {
    const stored = store.get<Stored>(`SELECT ${ROW} FROM request WHERE id = ?`, id);
    return stored && rowOf(stored);
  };
  return {
    page: (query) => {
      const { first, last, generation, gap } = extent();
      const about = { generation, ...(gap !== '' && { gap }) };
      const { text, state, from, limit } = query;
      if (text === '' && state === '')
        return { total: last - first + 1, rows: rowsFrom(first + from, limit), ...about };
      return { ...pageOfMatches(matches(query), query, rowWith), ...about };
    },
    detail: (id) => {
      const stored = store.get<Stored>('SELECT * FROM request WHERE id = ?', Number(id));
      if (!stored) return undefined;
      const { sent, received } = stored;
      return { ...rowOf(stored), sent, received };
    },
  };
}

function matchesAfter(store: Database, { text, state, isDeep = false }: RowFilter, after: number): number[] {
  const conditions = ['id > ?', conditionOf(state)];
  const values: SqlValue[] = [after];
  if (text !== '') {
    conditions.push(
      `instr(lower(concat_ws(' ', operation, path, who, subject, status${isDeep ? ', sent, received' : ''})), ?) > 0`,
    );
    values.push(text.toLowerCase());
  }
  const sql = `SELECT id FROM request WHERE ${conditions.join(' AND ')} ORDER BY id`;
  return store.all<{ id: bigint }>(sql, ...values).map(({ id }) => Number(id));
}
