import type { Zone } from '../../base/zone.ts';
import type { Sandbox } from '../../sandbox/app.ts';
import type { Context } from '../../service/context.ts';
import type { Service } from '../../service/service.ts';
import type { RequestLog } from '../requests.ts';
import { findIn } from '../search.ts';
import type { InspectorSource } from '../source.ts';
import { askingOf } from './ask.ts';
import { bookDocument } from './book.ts';
import { controlsOf } from './controls.ts';
import { eventList } from './events.ts';
import { faultChoices } from './faults.ts';
import { createHistories } from './history.ts';
import { balancesOf, ledgerList } from './ledger.ts';
import { linksIn } from './links.ts';
import type { StepLog } from './lives.ts';
import { dueIn, sandboxNow } from './now.ts';
import { createPoints } from './points.ts';
import { postingReader } from './postings.ts';
import { userList } from './users.ts';
import { workList } from './work.ts';

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
  const ask = askingOf(sandbox);
  const points = createPoints(service, ask);
  const histories = createHistories(ask);
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
    points: points.list,
  };
  const get = (path: string) => () => ask('GET', path);
  return {
    title: 'sandbox',
    zone: zone.name,
    lists,
    documents: {
      now: sandboxNow({ service, work, zone, apiKey: sandbox.apiKey }),
      clock: async () => ({
        ...(await ask('GET', '/_sandbox/clock')),
        ...(await service.submit('read', ({ store, settings }) => settingsIn(store, settings))),
        simulating: histories.running() ?? null,
      }),
      faults: get('/_sandbox/faults'),
      'fault-choices': faultChoices,
      balances: balancesOf(service),
      book: bookDocument(service, sandbox.apiKey),
    },
    actions: controlsOf({ service, ask, points, histories }),
    find: (text) => findIn(lists, text),
    linksOf: linksIn(service),
    version: () =>
      service.submit('read', ({ store, settings }) =>
        versionOf(store, settings.clockOffsetMs, [
          requests.version(),
          points.version(),
          histories.running()?.done ?? '',
        ]),
      ),
  };
}

/** How the sandbox is set, and what waits in it. Its status says that too, but checks the ledger for it. */
function settingsIn(store: Service['store'], { pace, rateLimits }: Context['settings']) {
  const count = (table: string) => Number(store.get<{ n: bigint }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0n);
  return {
    pace,
    rateLimits: rateLimits ? 'on' : 'off',
    scheduled: count('due'),
    stuck: count('stuck'),
    due: dueIn(store),
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

function versionOf(store: Service['store'], offsetMs: number, others: readonly (string | number)[]): string {
  return [...others, offsetMs, ...NEWEST.map((sql) => store.get<{ n: bigint }>(sql)?.n ?? 0n)].join('-');
}
