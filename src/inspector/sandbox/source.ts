import { CliError } from '../../base/errors.ts';
import type { Zone } from '../../base/zone.ts';
import { isJsonObject, parseExactJson } from '../../money/decimal.ts';
import type { Sandbox } from '../../sandbox/app.ts';
import type { Service } from '../../service/service.ts';
import type { RequestLog } from '../requests.ts';
import { findIn } from '../search.ts';
import type { InspectorSource } from '../source.ts';
import { bookDocument } from './book.ts';
import { eventList } from './events.ts';
import { balancesOf, ledgerList } from './ledger.ts';
import { linksIn } from './links.ts';
import type { StepLog } from './lives.ts';
import { sandboxNow } from './now.ts';
import { postingReader } from './postings.ts';
import { userList } from './users.ts';
import { workList } from './work.ts';

/** What the page may do to a sandbox: some of its controls. A path's parameter is a field of the input. */
const ACTIONS = {
  advance: { method: 'POST', path: '/_sandbox/advance' },
  settle: { method: 'POST', path: '/_sandbox/settle' },
  'fault-add': { method: 'POST', path: '/_sandbox/faults' },
  'fault-clear': { method: 'DELETE', path: '/_sandbox/faults' },
  resend: { method: 'POST', path: '/_sandbox/events/:eventId/resend' },
} as const;

interface Inside {
  readonly sandbox: Sandbox;
  readonly service: Service;
}

/** What was seen from outside, and the zone in which times are shown. */
interface Seen {
  readonly requests: RequestLog;
  readonly steps: StepLog;
  readonly zone: Zone;
}

/** Everything about a served sandbox. */
export function sandboxSource({ sandbox, service }: Inside, { requests, steps, zone }: Seen): InspectorSource {
  const ask = asking(sandbox);
  const events = eventList(service);
  const postings = postingReader(service.store);
  const work = workList(service, steps, {
    postings,
    requests: requests.about,
    events: async (id) => (await events.page({ text: id, state: '', from: 0, limit: 50 })).rows,
  });
  const lists = {
    work,
    users: userList(service),
    requests: requests.list,
    events,
    ledger: ledgerList(service, postings),
  };
  const get = (path: string) => () => ask('GET', path);
  return {
    title: 'sandbox',
    zone: zone.name,
    lists,
    documents: {
      now: sandboxNow({ service, work, zone, apiKey: sandbox.apiKey }),
      clock: async () => ({ ...(await ask('GET', '/_sandbox/clock')), status: await ask('GET', '/_sandbox/status') }),
      faults: get('/_sandbox/faults'),
      balances: balancesOf(service),
      book: bookDocument(service, sandbox.apiKey),
    },
    actions: Object.fromEntries(
      Object.entries(ACTIONS).map(([name, { method, path }]) => [
        name,
        ({ eventId, ...input }) => {
          const id = typeof eventId === 'string' ? encodeURIComponent(eventId) : '';
          return ask(method, path.replace(':eventId', id), input);
        },
      ]),
    ),
    find: (text) => findIn(lists, text),
    linksOf: linksIn(service),
    version: () => service.submit('read', ({ store, settings }) => versionOf(store, settings.clockOffsetMs, requests)),
  };
}

const NEWEST = [
  'SELECT coalesce(max(id), 0) AS n FROM outbox',
  'SELECT coalesce(max(id), 0) AS n FROM posting_set',
  'SELECT coalesce(max(id), 0) AS n FROM delivery_attempt',
  `SELECT count(*) AS n FROM delivery WHERE state = 'waiting'`,
  'SELECT count(*) AS n FROM due',
  'SELECT coalesce(sum(times), 0) AS n FROM fault_rule',
];

function versionOf(store: Service['store'], offsetMs: number, requests: RequestLog): string {
  return [requests.version(), offsetMs, ...NEWEST.map((sql) => store.get<{ n: bigint }>(sql)?.n ?? 0n)].join('-');
}

/** Asks the sandbox as its own account. Throws CliError with what it refuses. */
function asking(sandbox: Sandbox) {
  return async (method: string, url: string, input?: object): Promise<Record<string, unknown>> => {
    const body = input === undefined || method === 'GET' ? '' : JSON.stringify(input);
    const headers = body === '' ? {} : { 'content-type': 'application/json' };
    const caller = { apiKey: sandbox.apiKey(), address: '127.0.0.1' };
    const response = await sandbox.fetch({ method, url, headers, body }, caller);
    const answer = parseExactJson(response.body);
    if (response.status < 300 && isJsonObject(answer) && isJsonObject(answer['data'])) return answer['data'];
    const why = isJsonObject(answer) ? answer['error'] : undefined;
    const reason = isJsonObject(why) ? (why['details'] ?? why['message']) : why;
    throw new CliError(
      'usage',
      typeof reason === 'string' ? reason : `the sandbox responded with HTTP ${response.status}`,
    );
  };
}
