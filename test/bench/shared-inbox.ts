import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../support/postgres.ts';
import { inTurn, outputOf, timeMs, timesInTurn } from './measure.ts';
import type { Row } from './report.ts';
import { median, quantile, ratios } from './statistics.ts';
import { ENVIRONMENT, startListener, startSender, type WebhookSize } from './webhooks.ts';
import type { Workshop } from './workshop.ts';

const HOSTS = [0, 1];
const PER_SECOND = 1_500;
/** How much longer the load is to go on than the payments took without it: it must not end before them. */
const LONGER = 4;
const LOOK_MS = 20;

const NAME = 'plain events received by two hosts that share an inbox in PostgreSQL';

/** Measures what two hosts with one inbox receive together, and payments whose journal is in the same database. */
export async function measureSharedInbox(
  shop: Workshop,
  size: WebhookSize & { readonly runs: number },
): Promise<Row[]> {
  const server = await startPostgres().catch((error: Error) => error.message);
  if (typeof server === 'string') return [{ name: NAME, why: server }];
  const url = server.newDatabase();
  const account = { ...ENVIRONMENT, env: { ...ENVIRONMENT.env, FIATRAIL_INBOX_URL: url } };
  const hosts = await Promise.all(HOSTS.map((host) => startListener(shop, `listen-host-${host}`, account)));
  const urls = hosts.map((host) => host.url);
  const sender = startSender(shop.node([]));
  let sent = 0;
  const stored = () => Number(server.sql(url, 'SELECT count(*) FROM fiatrail_inbox.event'));
  const prepare = async (count: number) => {
    await sender.prepare(count);
    sent += count;
  };
  try {
    const sendAll = async () => {
      await prepare(size.events);
      return sender.send(urls);
    };
    const { both } = await inTurn({ both: urls }, size.rounds, sendAll, 1);
    const rates = both.map(({ perSecond }) => perSecond);
    const limits = rates.map(() => PER_SECOND);
    const half = median(rates) / 2;
    const { payment, stop } = await startPayments(shop, url);
    const startMs = performance.now();
    const { pay: idle } = await timesInTurn({ pay: payment }, size.runs);
    await prepare(Math.ceil((half * LONGER * (performance.now() - startMs)) / 1_000));
    const before = stored();
    const pay = async () => {
      // A payment holds up this process, but neither the sender nor the hosts once they have begun.
      while (stored() === before) await sleep(LOOK_MS);
      const { pay: times } = await timesInTurn({ pay: payment }, size.runs);
      if (stored() === sent) throw new Error('all events were stored before the last payment had ended');
      return times;
    };
    const [during] = await Promise.all([pay(), sender.send(urls, half)]);
    await stop();
    if (stored() !== sent) throw new Error(`the inbox has ${stored()} events instead of ${sent}`);
    const [values, beside] = [[quantile(during, 0.99)], [quantile(idle, 0.99)]];
    const rate = Math.round(half).toLocaleString('en');
    return [
      {
        name: NAME,
        unit: '/s',
        values: rates,
        against: 'limit',
        beside: limits,
        ratios: ratios(rates, limits),
        target: { is: 'at least', ratio: 1 },
        note: 'Over 100 connections, half of them to each host. All were kept once. The database is on the same cores.',
      },
      {
        name: `p99 of ${size.runs} payments while both receive ${rate}/s in the same database`,
        unit: 'ms',
        values,
        against: 'nothing else',
        beside,
        ratios: ratios(values, beside),
        target: { is: 'at most', ratio: 1.2 },
        note: 'The listeners, their sender and the database take both cores of a small machine as well.',
      },
    ];
  } finally {
    sender.stop();
    await Promise.all(hosts.map((host) => shop.stop(host)));
    await server.stop();
  }
}

/** A payment that can be repeated, with its journal in a database. */
async function startPayments(shop: Workshop, url: string) {
  const state = 'paying-beside-inbox';
  timeMs(shop.fiatrail(state, ['sandbox', 'seed', '--users', '1', '--pace', 'instant', '--rate-limits', 'off']));
  const serve = ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json'];
  const served = await shop.serve(shop.fiatrail(state, serve));
  const account = { FIATRAIL_BASE_URL: served.url, FIATRAIL_API_KEY: served.apiKey, FIATRAIL_JOURNAL_URL: url };
  const list = shop.fiatrail('paying', ['users', 'list', '-o', 'json', '--query', 'users[0].userId'], account);
  const user = JSON.parse(outputOf(list)) as string;
  const payment = shop.fiatrail('paying', ['onramp', 'create', user, '--amount', '5000', '--yes', '-q'], account);
  return { payment, stop: () => shop.stop(served) };
}
