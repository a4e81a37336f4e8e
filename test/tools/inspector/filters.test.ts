import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newHome, sharedEnd } from '../../support/built.ts';
import { must } from '../../support/in-process.ts';
import { go, inspectHome, type Opened, openPage, send, serveHome, startContexts } from './browser.ts';
import { type Ask, asking, type Json, rowsOf } from './links.ts';

/** Each filter of every list, and each of its choices, leaves the rows that it says. */

const browser = await startContexts(sharedEnd());
const home = newHome(sharedEnd());

beforeAll(async () => {
  const until = ['--until', '2026-10-31', '-q'];
  await must(home, ['sandbox', 'simulate', '--days', '30', '--users', '25', '--seed', '7', ...until]);
  await must(home, ['payout', 'create', '--amount', '2000', '--to', 'default', '--yes', '-q']);
  await must(home, ['payout', 'create', '--amount', '3000', '--to', 'default', '--plan', '-q']);
  await must(home, ['sync', '-q']);
});

const timeOf = ({ at }: Json) => Date.parse(String(at));
const sumOf = ({ amount }: Json) => Number(/[\d,]+(\.\d+)?/.exec(String(amount))?.[0].replaceAll(',', ''));
const midnight = (day: string) => Date.parse(`${day}T00:00:00+01:00`);
const dayOf = (row: Json, days = 0) => new Date(timeOf(row) + 3_600_000 + days * 86_400_000).toISOString().slice(0, 10);

/** Whether a row fits, where the rows themselves say it. */
const FITS: Readonly<Record<string, (row: Json, value: string) => boolean>> = {
  look: (row, value) => row['look'] === value,
  since: (row, value) => timeOf(row) >= midnight(value),
  until: (row, value) => timeOf(row) < midnight(value),
  least: (row, value) => sumOf(row) >= Number(value),
  most: (row, value) => sumOf(row) <= Number(value),
};

/** The filters that a list may have, by what the page calls them, and what to type into them. */
const NAMES: Readonly<Record<string, readonly [name: string, typed: (row: Json) => string]>> = {
  Filter: ['text', ({ id }) => String(id)],
  Kind: ['state', String],
  Status: ['state', String],
  'Status or effect': ['state', String],
  From: ['since', (row) => dayOf(row)],
  Before: ['until', (row) => dayOf(row, 1)],
  'At least': ['least', (row) => String(sumOf(row))],
  'At most': ['most', (row) => String(sumOf(row))],
};

/** The rows that fit, newest last. */
async function fitting(ask: Ask, list: string, name: string, value: string): Promise<readonly Json[]> {
  const fits = FITS[name];
  const all = await rowsOf(ask, list);
  return fits ? all.filter((row) => fits(row, value)) : rowsOf(ask, list, `&${new URLSearchParams({ [name]: value })}`);
}

/** Waits until the list shows as many rows as are expected, the newest of them first. */
async function expectRows(page: Page, rows: readonly Json[], what: string): Promise<void> {
  const count = `${rows.length.toLocaleString('en')} ${rows.length === 1 ? 'row' : 'rows'}`;
  const said = async () => /^[\d,]+ rows?/.exec(await page.locator('.list > .count').innerText())?.[0];
  await expect.poll(said, { message: what }).toBe(count);
  const newest = rows.at(-1);
  if (newest === undefined) {
    await page.getByText(/^Nothing (matches|here)/).waitFor();
    expect(await page.locator('.row').count(), what).toBe(0);
    return;
  }
  const chosen = `/${encodeURIComponent(String(newest['id']))}`;
  // The rows of the filter before may still be there, so the first one is chosen until it is the right one.
  const choose = async () => {
    await page.locator('.row[aria-posinset="1"] .cell').first().click();
    return page.url().split('?')[0]?.endsWith(chosen);
  };
  await expect.poll(choose, { message: what, timeout: 10_000 }).toBe(true);
}

/** What the filters of a list are called, and the choices of each. */
const FILTERS = `[...document.querySelectorAll('.filters label')].map((label) => [
  label.querySelector('span').textContent,
  [...(label.querySelector('select')?.options ?? [])].slice(1).map(({ value }) => value),
])`;

/** Sets each filter of a list to each of its values, and takes it off again; returns how many of the values of each some row fits. */
async function filterBy({ page }: Opened, ask: Ask, list: string): Promise<string[]> {
  const all = await rowsOf(ask, list);
  const tried: string[] = [];
  await go(page, `#/${list}`);
  await expectRows(page, all, list);
  const bar = page.locator('.filters');
  const more = bar.getByRole('button', { name: 'More filters' });
  for (const [title, choices] of (await page.evaluate(FILTERS)) as [string, string[]][]) {
    const [name = '', typed = String] = NAMES[title] ?? [];
    const control = bar.locator('label', { has: page.getByText(title, { exact: true }) }).locator('input, select');
    const moving = all.filter((row) => !name.endsWith('st') || sumOf(row) > 0);
    const values = choices.length > 0 ? choices : [typed(moving.at(-Math.ceil(moving.length / 3)) as Json)];
    let found = 0;
    for (const value of values) {
      // Beside details there is less room.
      if (await more.isVisible()) await more.click();
      await (choices.length > 0 ? control.selectOption(value) : control.fill(value));
      // A status is one of the four looks, or exact.
      const [, own = name, wanted = value] = /^(look|state) (.*)$/.exec(value) ?? [];
      const rows = await fitting(ask, list, own, wanted);
      await expectRows(page, rows, `${list}: ${title} ${value}`);
      expect(page.url()).toContain(new URLSearchParams({ [own]: wanted }).toString());
      if (rows.length > 0) found += 1;
    }
    tried.push(`${title}: ${found} of ${values.length}`);
    await bar.getByRole('button', { name: 'Clear filters' }).click();
    await expectRows(page, all, `${list}: cleared`);
  }
  return tried;
}

/** Tries the filters of every list that has rows. */
async function filterAll(url: string) {
  const opened = await openPage(browser, url, onTestFinished);
  const ask = asking(opened);
  const { lists, zone } = (await ask('/api/about')).data as { lists: string[]; zone: string };
  expect(zone).toContain('Lagos');
  const tried: Record<string, readonly string[]> = {};
  for (const list of lists)
    if (list !== 'points' && (await rowsOf(ask, list)).length > 0) tried[list] = await filterBy(opened, ask, list);
  expect(opened.problems).toEqual([]);
  return tried;
}

const AMOUNTS = ['At least: 1 of 1', 'At most: 1 of 1'];
const TIMES = ['From: 1 of 1', 'Before: 1 of 1'];

test('each filter on the page of a sandbox leaves the rows that it says', async () => {
  const at = await serveHome(home, onTestFinished);
  await send(at, '/getfees');
  await send(at, '/nothing');
  expect(await filterAll(at.inspector)).toEqual({
    work: ['Filter: 1 of 1', 'Kind: 11 of 11', 'Status: 4 of 4', ...TIMES, ...AMOUNTS],
    users: ['Filter: 1 of 1'],
    requests: ['Filter: 1 of 1', 'Status or effect: 3 of 6'],
    events: ['Filter: 1 of 1', 'Status: 1 of 8'],
    ledger: ['Filter: 1 of 1'],
  });
});

test('each filter on the page of an account leaves the rows that it says', async () => {
  expect(await filterAll(await inspectHome(home, onTestFinished))).toEqual({
    operations: ['Filter: 1 of 1', 'Status: 2 of 12', ...TIMES, ...AMOUNTS],
    plans: ['Filter: 1 of 1', 'Status: 2 of 12', ...TIMES],
    users: ['Filter: 1 of 1'],
    copied: ['Filter: 1 of 1', 'Kind: 10 of 11', 'Status: 4 of 4', ...TIMES, ...AMOUNTS],
  });
});

test('filters are combined, kept in the address, and say what the rows move together', async () => {
  const opened = await openPage(browser, (await serveHome(home, onTestFinished)).inspector, onTestFinished);
  const { page } = opened;
  const ask = asking(opened);
  const [{ id } = {}] = await rowsOf(ask, 'users');
  const user = String(id);
  const of = await rowsOf(ask, 'work', `&user=${user}`);
  const rows = of.filter((row) => row['look'] === 'done' && sumOf(row) <= 20_000);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.length).toBeLessThan(of.length);
  await go(page, `#/work?user=${user}`);
  await page.getByLabel('User').waitFor();
  await page.getByLabel('Status').selectOption('look done');
  await page.getByLabel('At most').fill('20,000');
  const { data } = await ask(`/api/sums/work?${new URLSearchParams({ user, look: 'done', most: '20000' })}`);
  await expectRows(page, rows, 'combined');
  await page.reload();
  await expectRows(page, rows, 'read again');
  for (const { amount } of data as unknown as { amount: string }[])
    await page.locator('.count .sum', { hasText: `${amount} in all, all done` }).waitFor();
});
