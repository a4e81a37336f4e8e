import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newHome, sharedEnd } from '../../support/built.ts';
import { must } from '../../support/in-process.ts';
import { inspectHome, type Opened, openPage, serveHome, startContexts } from './browser.ts';
import { asking, hrefsAt, rowsOf, targetsIn, whyDead } from './links.ts';

/** Each link of every page of an account of 30 days leads to something. */

const browser = await startContexts(sharedEnd());
const home = newHome(sharedEnd());
/** The same days have the same work whenever they are simulated. */
const UNTIL = ['--until', '2026-10-31', '-q'];

beforeAll(async () => {
  await must(home, ['sandbox', 'simulate', '--days', '30', '--users', '25', '--seed', '7', ...UNTIL]);
  await must(home, ['fx', 'orders', 'create', '--pair', 'CNGN-USDC', '--side', 'buy', '--price', '1380', ...LIMITS]);
  await must(home, ['payout', 'create', '--amount', '2000', '--to', 'default', '--yes', '-q']);
  await must(home, ['sync', '-q']);
}, 300_000);

const LIMITS = ['--min', '1000', '--max', '500000', '--yes', '-q'];

/** Follows what the page draws for one row of each kind and status, and what it is told of all rows; returns how many links there were. */
async function followAll(opened: Opened): Promise<{ readonly drawn: number; readonly told: number }> {
  const { page, problems } = opened;
  const ask = asking(opened);
  const { data: about } = await ask('/api/about');
  const [lists, documents] = [about['lists'], about['documents']] as [string[], string[]];
  const drawn = new Set<string>();
  const told = new Set<string>();
  for (const pane of [...documents.filter((each) => each !== 'faults'), ...lists])
    for (const href of await hrefsAt(page, `#/${pane}`)) drawn.add(href);
  for (const list of lists) {
    const rows = await rowsOf(ask, list);
    const alike = Map.groupBy(rows, ({ kind, event, state, operation }) => [kind, event, state, operation].join(' '));
    for (const [row] of alike.values())
      for (const href of await hrefsAt(page, `#/${list}/${encodeURIComponent(String(row?.['id']))}`)) drawn.add(href);
    for (const { id } of rows) {
      const { status, data } = await ask(`/api/lists/${list}/${encodeURIComponent(String(id))}`);
      expect(status, `${list} ${String(id)}`).toBe(200);
      for (const target of targetsIn(data)) told.add(target);
    }
  }
  const dead: string[] = [];
  for (const href of new Set([...drawn, ...told])) {
    const why = await whyDead(ask, href);
    if (why !== undefined) dead.push(why);
  }
  expect(dead).toEqual([]);
  expect(problems).toEqual([]);
  return { drawn: drawn.size, told: told.size };
}

test('each link on the page of an account leads to something', async () => {
  const opened = await openPage(browser, await inspectHome(home, onTestFinished), onTestFinished);
  const { drawn } = await followAll(opened);
  expect(drawn).toBeGreaterThan(30);
}, 600_000);

test('each link on the page of a sandbox leads to something', async () => {
  const { inspector } = await serveHome(home, onTestFinished);
  const { drawn, told } = await followAll(await openPage(browser, inspector, onTestFinished));
  expect(drawn).toBeGreaterThan(100);
  expect(told).toBeGreaterThan(1_000);
}, 600_000);

test('a link that leads nowhere is found', async () => {
  const opened = await openPage(browser, await inspectHome(home, onTestFinished), onTestFinished);
  const ask = asking(opened);
  for (const href of ['#/copied/nothing-has-this', '#/nowhere', '#/copied?text=nothing-has-this'])
    expect(await whyDead(ask, href), href).toContain(href);
  expect(await whyDead(ask, '#/copied?state=deposits')).toBeUndefined();
});
