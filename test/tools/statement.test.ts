import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { zoneNamed } from '../../src/base/zone.ts';
import { statementPage } from '../../src/commands/report/statement-page.ts';
import { amount } from '../../src/money/amount.ts';
import { temporaryFolder } from '../support/built.ts';
import { startBrowser } from './inspector/browser.ts';

let browser: Browser;
const ends: (() => unknown)[] = [];
beforeAll(async () => {
  browser = await startBrowser((end) => ends.push(end));
});
afterAll(async () => {
  for (const end of ends) await end();
});

const ROWS = 300;
/** The longest id of a user, and amounts with all their decimals. */
const LONG_NAME = `OLUWADAMILOLA ${'CHIAMAKA '.repeat(20)}IGWE`;
const minor = 999_999_999_999_999_999n;
const figure = (asset: 'CNGN' | 'USDC') => amount(asset, minor);

/** A statement of many rows with what is long. */
function page(reasons: readonly string[]): string {
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    at: new Date(Date.UTC(2026, 10, 1) + index * 7_200_000).toISOString(),
    asset: index % 2 === 0 ? 'CNGN' : 'USDC',
    thing: 'fee withdrawal',
    step: 'came-back',
    id: `FTW_01a21e26-6e72-704c-82d8-3dd02e4b41cd_${1_793_628_532_574 + index}`,
    who: index % 3 === 0 ? LONG_NAME : '0x52908400098527886E0F7030069857D2E4169EE7',
    amount: figure(index % 2 === 0 ? 'CNGN' : 'USDC'),
    balance: figure(index % 2 === 0 ? 'CNGN' : 'USDC'),
  }));
  const sums = (['CNGN', 'USDC'] as const).map((asset) => ({
    asset,
    opening: figure(asset),
    in: figure(asset),
    out: figure(asset),
    closing: figure(asset),
  }));
  return statementPage(
    { sums, rows } as unknown as Parameters<typeof statementPage>[0],
    {
      title: 'Statement',
      of: `${LONG_NAME}, user ${'01a189f5'.repeat(8)}`,
      since: '2026-10-31T23:00:00.000Z',
      until: '2026-11-30T22:59:59.999Z',
      issuedAt: '2026-12-01T09:00:00.000Z',
      syncedAt: '2026-12-01T08:00:00.000Z',
      profile: 'shop',
      isTest: true,
      reasons,
    },
    zoneNamed('Africa/Lagos'),
  );
}

async function shown(text: string, options: Parameters<Browser['newContext']>[0]) {
  const file = join(temporaryFolder(onTestFinished), 'statement.html');
  writeFileSync(file, text);
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const tab = await context.newPage();
  await tab.goto(pathToFileURL(file).href);
  return tab;
}

const UNKNOWN = 'not known before 2026-11-01 00:00 +01 (first sync)';

const SCREENS = [400, 1024, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

test.each(SCREENS)(
  'a statement of many rows fits a screen of $width pixels in $colorScheme, and axe finds nothing',
  async ({ width, colorScheme }) => {
    for (const reasons of [[], [UNKNOWN]]) {
      const tab = await shown(page(reasons), { colorScheme, viewport: { width, height: 900 } });
      expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      const { violations } = reasons.length > 0 ? await new AxeBuilder({ page: tab }).analyze() : { violations: [] };
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((each) => each.html).join(' ')}`)).toEqual([]);
      // A word such as an asset is not broken, and amounts end below each other.
      const heights = 'new Set([...document.querySelectorAll("td.word")].map((cell) => cell.offsetHeight)).size';
      expect(await tab.evaluate(heights)).toBe(1);
      expect(await tab.evaluate('getComputedStyle(document.querySelector("td.amount")).textAlign')).toBe('right');
      expect(await tab.evaluate('document.querySelectorAll("tbody tr").length')).toBe(ROWS + 2);
    }
  },
);

test('it says at the top what is not known, and that an account of a sandbox is one', async () => {
  const tab = await shown(page([UNKNOWN]), {});
  expect(await tab.locator('.state').innerText()).toBe(
    'Not complete\n\nSome figures are not known: not known before 2026-11-01 00:00 +01 (first sync).',
  );
  expect(await tab.locator('.notice').innerText()).toBe('Sandbox: this is a test, and no real money moved');
});

test('it prints on A4 without a column that is cut or a row on two pages, with the head of the table and a number on each page', async () => {
  // As wide as A4 without its margins.
  const tab = await shown(page([]), { viewport: { width: 672, height: 1_017 }, colorScheme: 'dark' });
  const paper = (await tab.pdf({ preferCSSPageSize: true })).toString('latin1');
  expect(paper.match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(5);
  expect(paper).toMatch(/\/MediaBox \[0 0 (594|595|596)[.\d]* 84[12]/);
  await tab.emulateMedia({ media: 'print' });
  expect(
    await tab.evaluate(
      '[...document.querySelectorAll(".rows")].filter((each) => each.scrollWidth > each.clientWidth).length',
    ),
  ).toBe(0);
  const styleOf = (selector: string, name: string) =>
    tab.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(name)}]`);
  expect([await styleOf('thead', 'display'), await styleOf('tbody tr', 'breakInside')]).toEqual([
    'table-header-group',
    'avoid',
  ]);
  expect(await tab.content()).toContain('content:counter(page) " of " counter(pages)');
});
