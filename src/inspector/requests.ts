import type { World } from '../base/world.ts';
import { controls } from '../contract/control.ts';
import { type Endpoint, effectOf } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints/index.ts';
import { bodyText, secretsOf } from '../contract/exchange-text.ts';
import { createPathMatcher } from '../contract/paths.ts';
import { redactBody, redactText } from '../contract/redact.ts';
import { isJsonObject, parseExactJson } from '../money/decimal.ts';
import type { ObservedExchange } from '../sandbox/observe.ts';
import { type Database, openScratch, type SqlValue } from '../sqlite/database.ts';
import { cutBody } from './bodies.ts';
import { copiesOf } from './copies.ts';
import type { List, Row, RowQuery } from './source.ts';

const MAX_REQUESTS = 100_000;
/** Removing one by one would cost each request as much as adding it. */
const REMOVED_AT_ONCE = 10_000;
/** How much of bodies is kept. */
const MAX_BODIES = 64 * 1024 * 1024;
/** How often requests are recorded. */
const EVERY_MS = 100;
/**
 * Of how many reads the bodies are kept each time. Redacting a body takes as long as answering its request, so a load test would be half as
 * fast. Requests that change something are always kept.
 */
const READS_EACH_TIME = 20;

const TABLES = `
PRAGMA cache_size = -2000; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
CREATE TABLE request (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, ms REAL NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, operation TEXT, effect TEXT NOT NULL,
  who TEXT NOT NULL, status INTEGER, subject TEXT, sent TEXT, received TEXT) STRICT;`;

/** The session's requests: in a file without a name, bounded, and redacted before they are written. */
export interface RequestLog {
  readonly list: List;
  observe(exchange: ObservedExchange): void;
  /** The number of the last request. */
  last(): number;
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
}

interface Stored extends Omit<RecordedRequest, 'at' | 'status'> {
  readonly id: bigint;
  readonly at: bigint;
  readonly status: bigint | null;
}

interface Pending {
  readonly exchange: ObservedExchange;
  readonly endpoint: Endpoint | undefined;
  readonly hasBodies: boolean;
}

export async function openRequestLog(
  { clock }: Pick<World, 'clock'>,
  whoIs: (apiKey: string | undefined) => string,
): Promise<RequestLog> {
  const store = await openScratch((database) => database.exec(TABLES));
  const paths = createPathMatcher<Endpoint>([...controls, ...endpoints]);
  let pending: Pending[] = [];
  let reads = 0;
  let [last, bodies, generation] = [0, 0, 0];
  const insert = (row: RecordedRequest) => {
    last += 1;
    bodies += (row.sent?.length ?? 0) + (row.received?.length ?? 0);
    store.run(
      'INSERT INTO request VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[last, row.at, row.ms, row.method, row.path, row.operation, row.effect],
      ...[row.who, row.status, row.subject, row.sent, row.received],
    );
  };
  const tidy = () => {
    if (bodies > MAX_BODIES) bodies = dropBodies(store);
    const count = Number(store.get<{ n: bigint }>('SELECT count(*) AS n FROM request')?.n ?? 0n);
    if (count <= MAX_REQUESTS) return;
    store.run('DELETE FROM request WHERE id <= ?', last - MAX_REQUESTS + REMOVED_AT_ONCE);
    generation += 1;
  };
  const write = (work: () => void) => {
    store.transaction('write', work);
    if (last % 1_000 < 200 || bodies > MAX_BODIES) tidy();
  };
  const flush = () => {
    const waiting = pending;
    [pending, reads] = [[], 0];
    if (waiting.length === 0) return;
    write(() => {
      for (const each of waiting) insert(recorded(each, whoIs));
    });
  };
  const timer = clock.every?.(EVERY_MS, flush);
  return {
    list: listOf(store, flush, () => generation),
    observe: (exchange) => {
      const { method, url } = exchange.request;
      const endpoint = paths.match(method === 'HEAD' ? 'GET' : method, url.split('?', 1)[0] ?? '')?.endpoint;
      const hasBodies = endpoint?.effect !== 'read' || reads < READS_EACH_TIME;
      if (endpoint?.effect === 'read') reads += 1;
      pending.push({ exchange: hasBodies ? exchange : withoutBodies(exchange), endpoint, hasBodies });
      if (!timer) flush();
    },
    last: () => last,
    about: (id) => store.all<Stored>(`SELECT * FROM request WHERE subject = ? ORDER BY id LIMIT 50`, id).map(rowOf),
    close: () => {
      timer?.[Symbol.dispose]();
      store.close();
    },
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

function withoutBodies({ request, response, ...rest }: ObservedExchange): ObservedExchange {
  const { method, url, headers } = request;
  return {
    ...rest,
    request: { method, url: url.split('?', 1)[0] ?? '', headers, body: undefined },
    response: response && { status: response.status, headers: {}, body: '' },
  };
}

/** Controls that show keys, or the whole state, on purpose. */
const HAS_KEYS = new Set(['sandbox.status', 'sandbox.snapshot', 'sandbox.restore']);

function recorded({ exchange, endpoint, hasBodies }: Pending, whoIs: (key?: string) => string): RecordedRequest {
  const { request, response, caller, startMs, durationMs } = exchange;
  const secrets = secretsOf(endpoint, { ...request, headers: { 'x-api-key': caller.apiKey ?? '' } });
  const clean = (text: string) => cutBody(redactText(text, secrets));
  const isHidden = HAS_KEYS.has(endpoint?.id ?? '');
  const textOf = (side: 'request' | 'response', body: string | undefined) => {
    if (!hasBodies) return null;
    if (!body) return '';
    return isHidden ? `(${body.length} characters)` : clean(bodyText(endpoint, side, redactBody(body, secrets)));
  };
  const received = textOf('response', response?.body);
  const sent = textOf('request', request.body);
  return {
    ...{ at: startMs, ms: Math.round(durationMs * 100) / 100, method: request.method, path: clean(request.url) },
    ...{ operation: endpoint?.id ?? null, effect: endpoint ? effectOf(endpoint, jsonOf(sent)) : 'unknown' },
    ...{ who: whoIs(caller.apiKey), status: response?.status ?? null, subject: subjectOf(received, sent) },
    ...{ sent, received },
  };
}

function jsonOf(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value = parseExactJson(text ?? '');
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** What a request is about: the id in its response, else in the request itself. */
const IDS = ['requestId', 'tradeId', 'withdrawalId', 'depositId', 'orderId', 'eventId', 'userId'];

function subjectOf(...texts: readonly (string | null)[]): string | null {
  for (const json of texts.map(jsonOf))
    for (const object of [json['data'], json])
      for (const name of IDS) {
        const id = isJsonObject(object) ? object[name] : undefined;
        if (typeof id === 'string') return id;
      }
  return null;
}

function rowOf({ id, at, ms, method, path, operation, effect, who, status, subject }: Stored): Row {
  return {
    ...{ id: String(id), at: new Date(Number(at)).toISOString(), ms, method, path, operation, effect, who, subject },
    status: status === null ? null : Number(status),
  };
}

/** The classes of a status, and the effects, that a list can be reduced to. */
const STATES: Readonly<Record<string, string>> = {
  ok: 'status BETWEEN 200 AND 299',
  refused: 'status BETWEEN 400 AND 499',
  failed: '(status >= 500 OR status IS NULL)',
  read: `effect = 'read'`,
  write: `effect IN ('write', 'destructive')`,
  money: `effect = 'money'`,
};

/** `flush` records what waits, so that whoever asks gets everything that was answered before. */
function listOf(store: Database, flush: () => void, generation: () => number): List {
  const whereOf = ({ text, state }: RowQuery): readonly [string, SqlValue[]] => {
    const conditions = [...(STATES[state] ? [STATES[state]] : [])];
    if (text !== '') conditions.push(`instr(lower(concat_ws(' ', operation, path, who, subject, status)), ?) > 0`);
    return [conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '', text === '' ? [] : [text.toLowerCase()]];
  };
  return {
    page: (query) => {
      flush();
      const [where, values] = whereOf(query);
      const total = store.get<{ n: bigint }>(`SELECT count(*) AS n FROM request ${where}`, ...values)?.n ?? 0n;
      const sql = `SELECT * FROM request ${where} ORDER BY id LIMIT ? OFFSET ?`;
      const rows = store.all<Stored>(sql, ...values, query.limit, query.from).map(rowOf);
      return { total: Number(total), rows, generation: generation() };
    },
    detail: (id) => {
      const stored = store.get<Stored>('SELECT * FROM request WHERE id = ?', Number(id));
      if (!stored) return undefined;
      const { sent, received } = stored;
      return { ...rowOf(stored), sent, received, copies: copiesOf(stored) };
    },
  };
}
