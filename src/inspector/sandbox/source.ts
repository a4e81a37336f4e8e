import { CliError } from '../../base/errors.ts';
import { isJsonObject, parseExactJson } from '../../money/decimal.ts';
import type { Sandbox } from '../../sandbox/app.ts';
import type { Service } from '../../service/service.ts';
import type { RequestLog } from '../requests.ts';
import { findIn } from '../search.ts';
import type { InspectorSource } from '../source.ts';
import { eventList } from './events.ts';
import { balancesOf, ledgerList } from './ledger.ts';
import { lifeList, type StepLog } from './lives.ts';

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

/** Everything about a served sandbox. */
export function sandboxSource({ sandbox, service }: Inside, requests: RequestLog, steps: StepLog): InspectorSource {
  const ask = asking(sandbox);
  const events = eventList(service);
  const works = lifeList(service, steps, async (id) => ({
    requests: requests.about(id),
    events: (await events.page({ text: id, state: '', from: 0, limit: 50 })).rows,
  }));
  const lists = { requests: requests.list, events, work: works, ledger: ledgerList(service) };
  const get = (path: string) => () => ask('GET', path);
  return {
    title: 'sandbox',
    lists,
    documents: {
      clock: async () => ({ ...(await ask('GET', '/_sandbox/clock')), status: await ask('GET', '/_sandbox/status') }),
      faults: get('/_sandbox/faults'),
      balances: balancesOf(service),
      book: async () => ({
        USDC: await ask('GET', '/v1/fx/orderbook?pair=CNGN-USDC'),
        USDT: await ask('GET', '/v1/fx/orderbook?pair=CNGN-USDT'),
      }),
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
