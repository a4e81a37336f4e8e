import { outputOf, timeMs, timesInTurn } from './measure.ts';
import type { Row } from './report.ts';
import { ratios } from './statistics.ts';
import type { Command, Workshop } from './workshop.ts';

const SANDBOX = 'tab-sandbox';
/** The user ids of the sandbox share their first digits. */
const TYPED = 3;

/** Measures Tab where a user id is typed, of an account with many known users: in the embedded sandbox, and over the network. */
export async function measureTab(shop: Workshop, many: number, runs: number): Promise<Row[]> {
  timeMs(shop.fiatrail(SANDBOX, ['sandbox', 'seed', '--users', String(many), '--rate-limits', 'off']));
  const serve = shop.fiatrail(SANDBOX, ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json']);
  const sandbox = await shop.serve(serve);
  const account = { FIATRAIL_BASE_URL: sandbox.url, FIATRAIL_API_KEY: sandbox.apiKey };
  const list = ['users', 'list', '--all', '-q', '-o', 'csv', '--fields', 'userId'];
  const ids = outputOf(shop.fiatrail('tab-cache', list, account)).split('\n');
  // Over the network, ids are those of the copy.
  timeMs(shop.fiatrail('tab-cache', ['sync', '-q'], account));
  await shop.stop(sandbox);
  const start = ids[Math.floor(ids.length / 2)]?.slice(0, -TYPED) ?? '';
  const tab = (state: string, typed: string, env: Readonly<Record<string, string>>): Command =>
    shop.fiatrail(state, ['completion', 'complete', '--', 'users', 'show', typed], env);
  const commands = {
    embedded: tab(SANDBOX, '', {}),
    embeddedStart: tab(SANDBOX, start, {}),
    network: tab('tab-cache', '', account),
    networkStart: tab('tab-cache', start, account),
  };
  for (const [name, command] of Object.entries(commands))
    if (outputOf(command) === '') throw new Error(`Tab offers nothing: ${name}`);
  const times = await timesInTurn({ ...commands, node: shop.node(['-e', '0']) }, runs);
  const row = (name: string, values: readonly number[]): Row => ({
    name: `Tab with ${many.toLocaleString('en')} users known, ${name}`,
    unit: 'ms',
    values,
    against: 'node -e 0',
    beside: times.node,
    ratios: ratios(values, times.node),
    target: { is: 'at most', ratio: 1.6 },
  });
  return [
    row('embedded', times.embedded),
    row('embedded, an id begun', times.embeddedStart),
    row('network', times.network),
    row('network, an id begun', times.networkStart),
  ];
}
