import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type SampleAccount, SENDER, sampleAccount } from '../../inspector/sample-account.ts';
import { newHome, sharedEnd } from '../../support/built.ts';
import { must } from '../../support/in-process.ts';
import { go, inspectHome, openPage, startContexts } from './browser.ts';

/** The page of an account, and of a saved session of it, in a real browser. */

const browser = await startContexts(sharedEnd());
const PANES = ['now', 'operations', 'events', 'plans', 'users', 'copied', 'charts', 'copy', 'book'];
const home = newHome(sharedEnd());
let used: SampleAccount;

beforeAll(async () => {
  used = await sampleAccount(home);
});

async function opened(options = {}) {
  const shown = await openPage(browser, await inspectHome(home, onTestFinished), onTestFinished, options);
  await go(shown.page, '#/operations');
  return shown;
}

const SHOWN = 'main :is(.row, .card, .note, .count, h2):visible';

test('every pane shows what this machine knows, and nothing that changes it', async () => {
  const { page, problems } = await opened();
  for (const pane of PANES) {
    await go(page, `#/${pane}`);
    await page.locator('main :is(.row, .card, .count)').first().waitFor();
    expect(await page.locator('main').innerText(), pane).not.toMatch(/could not answer|no such page|cannot be shown/);
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
  }
  expect(problems).toEqual([]);
});

test('an operation leads to its events, its row and its story, by links alone', async () => {
  const { page } = await opened();
  await page.locator('.row', { hasText: used.user }).first().click();
  await page.getByRole('heading', { name: /^Start an onramp of ₦5,000\.00/ }).waitFor();
  await page.getByText('Path: prepared → sent → accepted → settled').first().waitFor();
  await page.locator('.belongings a').first().click();
  await expect.poll(() => page.url()).toContain('#/events/');
  await page.locator('.detail a', { hasText: used.onramp }).first().click();
  await expect.poll(() => page.url()).not.toContain('#/events/');
  await page.locator('.detail h2').waitFor();
  await go(page, '#/copy');
  await page.getByRole('link', { name: 'deposits', exact: true }).click();
  await page.locator('.row').first().click();
  expect(page.url()).toContain('state=deposits');
  await page.locator('.detail', { hasText: SENDER }).first().waitFor();
});

test('the search is that of find, and says what it rejects', async () => {
  const { page } = await opened();
  const search = page.getByLabel('Find');
  await search.fill(used.onramp);
  await search.press('Enter');
  await page.locator('.found li').first().waitFor();
  await search.fill('22345678901');
  await search.press('Enter');
  await page.getByText('eleven digits may be a phone number or a BVN').waitFor();
});

test('charts are drawn, the keyboard reads their figures, and a table has them all', async () => {
  const { page } = await opened();
  await go(page, '#/charts');
  const volumes = page.locator('.card', { has: page.getByRole('heading', { name: 'Volumes in cNGN' }) });
  await volumes.locator('.drawing g path').first().waitFor();
  // As a text, because these tests are not compiled for a browser.
  const drawn = `[...document.querySelectorAll('.drawing g path')].map((path) => path.getAttribute('d'))`;
  const paths = (await page.evaluate(drawn)) as string[];
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) expect(path).toMatch(/^[MLh\d. -]+$/);
  const slider = page.getByRole('slider', { name: 'Volumes in cNGN' });
  await slider.focus();
  await page.keyboard.press('Home');
  expect(await slider.getAttribute('aria-valuenow')).toBe('0');
  const parts: string[] = [];
  for (let at = 0; at < 30; at++) {
    parts.push((await slider.getAttribute('aria-valuetext')) ?? '');
    await page.keyboard.press('ArrowRight');
  }
  expect(parts.filter((each) => each.includes('Out 2,000.00 cNGN'))).toHaveLength(1);
  await volumes.locator('summary').focus();
  await page.keyboard.press('Enter');
  await volumes.getByRole('rowheader').first().waitFor();
  expect(await volumes.getByRole('rowheader').count()).toBe(30);
  expect(await volumes.getByRole('cell', { name: '2,000.00 cNGN' }).count()).toBe(1);
  for (const name of [
    'Fees in NGN',
    'Balance in cNGN',
    'Users',
    'Failure rate',
    'Time to complete payouts of the account',
  ])
    expect(await page.getByRole('heading', { name, exact: true }).count(), name).toBe(1);
  await page.getByLabel('By', { exact: true }).selectOption('week');
  await expect.poll(() => page.url()).toContain('by=week');
  await expect.poll(() => slider.getAttribute('aria-valuemax')).toMatch(/^[45]$/);
  await page.reload();
  await expect.poll(() => slider.getAttribute('aria-valuemax')).toMatch(/^[45]$/);
});

test('an operation appears by itself, and stays where it is read', async () => {
  const { page } = await opened();
  await page.getByText('● Live').waitFor();
  await page.locator('.row').first().waitFor();
  const before = await page.locator('.row').count();
  await must(home, ['payout', 'create', '--amount', '4000', '--to', 'default', '--yes', '-q']);
  await page.locator('.row', { hasText: '4,000.00' }).first().waitFor();
  expect(await page.locator('.row').count()).toBe(before + 1);
});

test('works by the keyboard alone', async () => {
  const { page } = await opened();
  await page.locator('.row').first().waitFor();
  for (const [at, pane] of PANES.entries()) {
    await page.keyboard.press(String(at + 1));
    await expect.poll(() => page.url()).toContain(`#/${pane}`);
  }
  await page.keyboard.press('2');
  await expect.poll(() => page.evaluate('document.activeElement?.className'), { timeout: 20_000 }).toBe('rows');
  await page.keyboard.press('End');
  await page.locator('.row.active .cell').first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.detail h2').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('.detail').count()).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type(used.onramp);
  await page.keyboard.press('Enter');
  await page.locator('.found').waitFor();
});

test.for([
  ['desktop in light', { colorScheme: 'light' }],
  ['desktop in dark', { colorScheme: 'dark' }],
  ['a phone in light', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
  ['a phone in dark', { colorScheme: 'dark', viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' }],
] as const)('on %s, no pane is wider than the screen, and axe finds nothing', async ([, options]) => {
  const { page } = await opened(options);
  const check = async (what: string) => {
    await page.locator(SHOWN).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), what).toBe(true);
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    expect(found).toEqual([]);
  };
  for (const pane of PANES) {
    await go(page, `#/${pane}`);
    await check(pane);
    if (pane === 'charts') {
      await page.locator('summary').first().click();
      await check('figures');
    }
    if (await page.locator('.row').count()) {
      await page.locator('.row').first().click();
      await page.locator('.detail h2').waitFor();
      await check(`details of ${pane}`);
    }
  }
  await go(page, `#/find?text=${used.onramp}`);
  await check('find');
});

const SCRIPT = '<img src=x onerror="window.pwned=1">';

const expectText = async (page: Page) => {
  expect(await page.evaluate('window.pwned')).toBeUndefined();
  expect(await page.locator('#page img, #page script').count()).toBe(0);
  expect(await page.locator('#page').innerText()).not.toMatch(/[\u202A-\u202E\u200B]/);
};

test('what others wrote is text', async () => {
  const other = newHome(onTestFinished);
  await sampleAccount(other, SCRIPT);
  const { page, problems } = await openPage(browser, await inspectHome(other, onTestFinished), onTestFinished);
  await go(page, '#/copied?state=deposits');
  await page.locator('.row').first().click();
  await page.locator('.detail', { hasText: SCRIPT }).waitFor();
  for (const pane of [...PANES, `find?text=${encodeURIComponent(SCRIPT)}`]) {
    await go(page, `#/${pane}`);
    await page.locator(SHOWN).first().waitFor();
    await expectText(page);
  }
  expect(problems).toEqual([]);
});

const UNSEEN = '\u202Egnp.exe\u200B';

/** Everything that someone could write into a saved session by hand, in every text of it. */
function spoilt(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => spoilt(each, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, spoilt(each, field)]));
  if (typeof value !== 'string' || name === 'id') return value;
  return name === 'detail' ? 'x'.repeat(1_000_000) : `${SCRIPT}${UNSEEN}${value}`;
}

test('a session that someone edited in every text is shown as text, too', async () => {
  const path = join(home.path, 'edited.json');
  await must(home, ['inspect', '--save-to', path, '--with-personal-data', '-q']);
  const [header = '', body = ''] = readFileSync(path, 'utf8').split('\n');
  const edited = JSON.stringify(spoilt(JSON.parse(body)));
  const sha256 = createHash('sha256').update(edited).digest('hex');
  writeFileSync(path, `${JSON.stringify({ ...JSON.parse(header), sha256 })}\n${edited}\n`);
  const url = await inspectHome(newHome(onTestFinished), onTestFinished, path);
  const { page, problems } = await openPage(browser, url, onTestFinished);
  for (const pane of PANES) {
    await go(page, `#/${pane}`);
    await page.locator('main :is(.row, .card, .count)').first().waitFor();
    await expectText(page);
    if (!(await page.locator('.row').count())) continue;
    await page.locator('.row').first().click();
    await page.locator('.detail h2').waitFor();
    await page.locator('.detail', { hasText: '⟨U+202E⟩gnp.exe⟨U+200B⟩' }).waitFor();
    await expectText(page);
  }
  expect(problems).toEqual([]);
});

test('a saved session shows the same without the account, and names nobody', async () => {
  const path = join(home.path, 'session.json');
  await must(home, ['inspect', '--save-to', path, '-q']);
  const url = await inspectHome(newHome(onTestFinished), onTestFinished, path);
  const { page, problems } = await openPage(browser, url, onTestFinished);
  await page.getByText('which was not checked with the service').waitFor();
  for (const pane of PANES) {
    await go(page, `#/${pane}`);
    await page.locator('main :is(.row, .card, .count)').first().waitFor();
    expect(await page.locator('main').innerText()).not.toContain(SENDER);
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
  }
  await go(page, '#/charts');
  await page.getByRole('heading', { name: 'Volumes in cNGN' }).waitFor();
  await page.locator('.drawing g path').first().waitFor();
  expect(await page.getByLabel('By', { exact: true }).count()).toBe(0);
  await go(page, '#/operations');
  await page.locator('.row').last().click();
  await page.locator('.detail h2').waitFor();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations).toEqual([]);
  expect(problems).toEqual([]);
});
