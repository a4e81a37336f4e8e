import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type DocumentPage, documentPage } from '../../src/present/document-page.ts';
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

const LONG = 'x'.repeat(300);
const EVIL =
  '</title></style><script>window.pwned=1</script><img src="https://attacker.test/x" onerror="window.pwned=1">';

const page = (tone: DocumentPage['tone'], text: string): DocumentPage => ({
  title: `Payout receipt ${text}`,
  heading: 'Payout receipt',
  from: `Harmattan Pay ${text}`,
  tone,
  state: 'Completed',
  stateText: `The payout has completed. ${text}`,
  notices: [`Sandbox: this is a test ${text}`],
  sum: '₦999,999,999,999.99',
  sumAlso: ['999,999,999,999.990000 cNGN'],
  party: `to DAMILOLA CHIAMAKA IGWE ${text}`,
  sections: [
    { title: 'Details', values: [{ title: 'Account number', text: `******6789 ${text}` }] },
    {
      title: 'Times',
      values: [{ title: 'Completed', text: '2026-01-04 11:02:00 +01', at: '2026-01-04T10:02:00.000Z' }],
    },
    { title: 'References', values: [{ title: 'Tx hash', text: `0x${'5e'.repeat(32)}${text}`, isCode: true }] },
  ],
  steps: { title: 'How to check it', items: [`Ask the bank. ${text}`] },
  footer: [`Issued by Harmattan Pay ${text}`],
});

async function shown(shownPage: DocumentPage, options: Parameters<Browser['newContext']>[0]) {
  const file = join(temporaryFolder(onTestFinished), 'receipt.html');
  writeFileSync(file, documentPage(shownPage));
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const tab = await context.newPage();
  const requests: string[] = [];
  tab.on('request', (request) => requests.push(request.url()));
  await tab.goto(pathToFileURL(file).href);
  return { tab, requests };
}

test.for([
  ['a desktop in light', { colorScheme: 'light' }],
  ['a desktop in dark', { colorScheme: 'dark' }],
  ['a phone in light', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
  ['a phone in dark', { colorScheme: 'dark', viewport: { width: 360, height: 740 } }],
] as const)('on %s, no receipt is wider than the screen, and axe finds nothing', async ([, options]) => {
  for (const tone of ['good', 'open', 'bad'] as const) {
    const { tab } = await shown(page(tone, LONG), options);
    expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'), tone).toBe(true);
    const { violations } = await new AxeBuilder({ page: tab }).analyze();
    expect(violations.map(({ id, nodes }) => `${tone}: ${id}: ${nodes.map((each) => each.html).join(' ')}`)).toEqual(
      [],
    );
  }
});

test('it asks nobody for anything, and runs nothing, whatever someone wrote', async () => {
  const { tab, requests } = await shown(page('good', EVIL), {});
  expect(requests).toHaveLength(1);
  expect(await tab.evaluate('window.pwned')).toBeUndefined();
  expect(await tab.locator('script, img, iframe, a').count()).toBe(0);
  expect(await tab.title()).toBe(`Payout receipt ${EVIL}`);
});

test('it prints black on white on one page of A4, also from a dark screen', async () => {
  const { tab } = await shown(page('good', ''), { colorScheme: 'dark' });
  const paper = (await tab.pdf({ preferCSSPageSize: true })).toString('latin1');
  expect(paper.match(/\/Type \/Page\b/g)).toHaveLength(1);
  expect(paper).toMatch(/\/MediaBox \[0 0 (594|595|596)[.\d]* 84[12]/);
  await tab.emulateMedia({ media: 'print' });
  expect(await tab.evaluate('getComputedStyle(document.body).color')).toBe('rgb(22, 32, 42)');
});
