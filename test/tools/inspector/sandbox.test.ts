import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { newHome, sharedEnd } from '../../support/built.ts';
import { go, inspectHome, newFolder, openPage, send, serveInspected, startContexts } from './browser.ts';
import { openWay } from './way.ts';

/** The page of a served sandbox in a real browser. */

const browser = await startContexts(sharedEnd());
const PANES = ['now', 'work', 'users', 'requests', 'events', 'ledger', 'points', 'clock', 'balances', 'book'];

async function opened(...more: string[]) {
  const at = await serveInspected(onTestFinished, ...more);
  const shown = await openPage(browser, at.inspector, onTestFinished);
  await go(shown.page, '#/requests');
  return { at, ...shown };
}

/** Serves something that receives webhooks. */
async function receiver(answer: string): Promise<{ readonly url: string; readonly bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      if (request.method === 'POST') bodies.push(body);
      response.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, bodies };
}

test('the token leaves the address, and every pane shows something without an error', async () => {
  const { page, problems, at } = await opened();
  expect(page.url()).not.toContain('token');
  await send(at, '/getfees');
  for (const pane of PANES) {
    await go(page, `#/${pane}`);
    await page.locator('main :is(.rows, .card, .note)').first().waitFor();
    expect(await page.locator('main').innerText(), pane).not.toMatch(/could not answer|no such page/);
  }
  expect(problems).toEqual([]);
});

test('a request appears by itself, and its details beside it', async () => {
  const { page, at } = await opened();
  await page.getByText('Nothing here yet.').waitFor();
  await send(at, '/getfees');
  const row = page.locator('.row', { hasText: 'fees.get' });
  await row.waitFor();
  await row.click();
  await page.getByRole('heading', { name: 'GET /v1/getfees' }).waitFor();
  expect(page.url()).toContain('#/requests/1');
  expect(await page.locator('.detail').innerText()).toContain('curl -X GET -H "x-api-key: $FIATRAIL_API_KEY"');
  expect(await page.content()).not.toContain(at.apiKey);
});

test('rows are in their order in the page once scrolling has ended, and each is there', async () => {
  const { page, at } = await opened();
  for (let count = 0; count < 150; count++) await send(at, '/getfees');
  await page.getByText('150 rows').waitFor();
  const IDS = `[...document.querySelectorAll('.row')].map(({ id }) => Number(id.replace('row-', '')))`;
  const ids = () => page.evaluate(IDS) as Promise<number[]>;
  for (const top of [1_200, 5_000, 0]) {
    await page.evaluate(`document.querySelector('.rows').scrollTop = ${top}`);
    const middle = 149 - Math.floor(Math.min(top, 150 * 34 - 600) / 34);
    await expect.poll(async () => (await ids()).includes(middle)).toBe(true);
    await expect
      .poll(async () => (await ids()).every((id, index, all) => index === 0 || id < (all[index - 1] ?? 0)))
      .toBe(true);
    await expect.poll(() => page.locator('.row .waiting').count()).toBe(0);
  }
});

const MANY = 1_000_000;
const SOON = { timeout: 20_000 };

/** Answers for a list as if it had so many rows. */
async function haveMany(page: Page): Promise<void> {
  await page.route('**/api/lists/requests?*', (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const limit = Number(asked.get('limit'));
    const from = asked.get('from') === 'newest' ? MANY - limit : Number(asked.get('from'));
    const rows = Array.from({ length: Math.min(limit, MANY - from) }, (_, index) => {
      const id = String(from + index + 1);
      return { id, at: '2026-11-02T09:00:00Z', method: 'GET', operation: `row ${id}`, status: 200, look: 'done' };
    });
    return route.fulfill({ json: { total: MANY, generation: 0, from, rows } });
  });
}

test('each of 1,000,000 rows is reached, by the scroll bar and by the keyboard', async () => {
  const { page } = await opened();
  await haveMany(page);
  await page.reload();
  const isSeen = async (id: number) => {
    const row = page.locator('.row', { has: page.getByText(`row ${id}`, { exact: true }) });
    await row.waitFor();
    const [shown, list] = [await row.boundingBox(), await page.locator('.rows').boundingBox()];
    if (!shown || !list) return false;
    return shown.y >= list.y - 1 && shown.y + shown.height <= list.y + list.height + 1;
  };
  await expect.poll(() => isSeen(MANY), SOON).toBe(true);
  const scrollTo = (part: number) =>
    page.evaluate(`{ const box = document.querySelector('.rows'); box.scrollTop = box.scrollHeight * ${part}; }`);
  await scrollTo(1);
  await expect.poll(() => isSeen(1), SOON).toBe(true);
  await scrollTo(0);
  await expect.poll(() => isSeen(MANY), SOON).toBe(true);
  await page.locator('.rows').focus();
  for (const [key, id] of [
    ['End', 1],
    ['ArrowUp', 2],
    ['Home', MANY],
    ['ArrowDown', MANY - 1],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => isSeen(id), { message: key, ...SOON }).toBe(true);
    expect(await page.locator('.row.active').innerText()).toContain(`row ${id}`);
  }
});

test('goes on by itself after its connection was lost', async () => {
  const way = await openWay();
  const at = await serveInspected(onTestFinished);
  const { page } = await openPage(browser, at.inspector, onTestFinished, { proxy: way.proxy });
  await go(page, '#/requests');
  await page.getByText('● Live').waitFor();
  way.lose();
  await page.getByText('○ Not connected').waitFor();
  await send(at, '/getfees');
  way.mend();
  await page.getByText('1 row').waitFor();
  await page.getByText('● Live').waitFor();
  await send(at, '/getfees');
  await page.getByText('2 rows').waitFor();
});

test('an event is sent again to the webhook that is set', async () => {
  const { page, at } = await opened();
  const target = await receiver('thanks');
  await send(at, '/setwebhook', { webhookUrl: target.url, enabled: true, secret: 'a-secret-of-a-test-that-signs' });
  await send(at, '/onboarduser', { bvn: '22345678901' });
  await send(at, '/_sandbox/advance', { durationMs: 600_000 });
  await go(page, '#/events');
  const row = page.locator('.row').first();
  await row.waitFor();
  await row.click();
  const before = target.bodies.length;
  await page.getByRole('button', { name: 'Send again' }).click();
  await page
    .getByRole('status')
    .filter({ hasText: /sent again|webhook/ })
    .first()
    .waitFor();
  await expect.poll(() => target.bodies.length).toBeGreaterThan(before);
});

test('a user is paid, time goes on, and it is all taken back, by the keyboard alone', async () => {
  const { page, at, problems } = await opened();
  await send(at, '/onboarduser', { bvn: '22345678901' });
  await send(at, '/_sandbox/settle', {});
  await go(page, '#/points');
  await page.getByLabel('Name of this point in time').focus();
  await page.keyboard.type('before');
  await page.keyboard.press('Enter');
  await page.getByText('Saved as “before”.').waitFor();
  await go(page, '#/users');
  await page.keyboard.press('3');
  await expect.poll(() => page.evaluate('document.activeElement?.className'), { timeout: 20_000 }).toBe('rows');
  await page.locator('.row.active .cell').first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Pay', exact: true }).waitFor();
  await page.getByLabel('Amount', { exact: true }).fill('5,100');
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'accepted' }).waitFor();
  await go(page, '#/clock');
  await page.getByRole('button', { name: '30 minutes' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'Sandbox time is now' }).waitFor();
  await go(page, '#/points/before');
  await page.getByRole('cell', { name: '−₦5,100.00' }).waitFor();
  await page.getByRole('button', { name: 'Restore…' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Restore' });
  await dialog.waitFor();
  // Escape leaves everything as it is, and the details open.
  await page.keyboard.press('Escape');
  await expect.poll(() => dialog.isVisible()).toBe(false);
  expect(page.url()).toContain('#/points/before');
  await page.getByRole('cell', { name: '−₦5,100.00' }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Restored “before”.').waitFor();
  await page.getByText('No work started or changed status.').waitFor();
  expect(problems).toEqual([]);
});

test('a fault is chosen from what the sandbox has, and a history replaces everything once it is confirmed', async () => {
  const { page, at, problems } = await opened();
  await send(at, '/onboarduser', { bvn: '22345678901' });
  await go(page, '#/clock');
  await page.getByLabel('Fault', { exact: true }).selectOption('reject');
  await page.getByLabel('On', { exact: true }).selectOption('fees.get');
  await page.getByLabel('Rejection').selectOption({ index: 1 });
  const name = await page.getByLabel('Rejection').inputValue();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText(`reject ${name} on fees.get, 1 more time`).waitFor();
  await page.getByLabel('Fault', { exact: true }).selectOption('lost-webhook');
  await page.getByText('it is never delivered').waitFor();
  await page.getByLabel('Days').fill('3');
  await page.getByLabel('Users').fill('5');
  await page.getByRole('button', { name: 'Replace with a new history…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace with a new history' }).click();
  await page.getByText('Simulated 3 days.').waitFor({ timeout: 60_000 });
  await page.getByText('No faults are set.').waitFor();
  expect(problems).toEqual([]);
});

test('works by the keyboard alone', async () => {
  const { page, at } = await opened();
  for (let count = 0; count < 3; count++) await send(at, '/getfees');
  await page.getByText('3 rows').waitFor();
  await page.keyboard.press('6');
  await expect.poll(() => page.url()).toContain('#/ledger');
  await page.keyboard.press('4');
  await expect.poll(() => page.evaluate('document.activeElement?.className'), { timeout: 20_000 }).toBe('rows');
  // The pane is read anew, and there is no next row before it is.
  await page.getByText('3 rows').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'GET /v1/getfees' }).waitFor();
  expect(page.url()).toContain('#/requests/2');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.url()).not.toContain('/requests/2');
  await page.keyboard.press('/');
  await page.keyboard.type('fees.get');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Results for “fees.get”' }).waitFor();
});

test.for([
  ['desktop in light', { colorScheme: 'light' }],
  ['desktop in dark', { colorScheme: 'dark' }],
  ['a phone in light', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
  ['a phone in dark', { colorScheme: 'dark', viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' }],
] as const)('on %s, no pane is wider than the screen, and axe finds nothing', async ([, options]) => {
  const at = await serveInspected(onTestFinished);
  await send(at, '/getfees');
  await send(at, '/onboarduser', { bvn: '22345678901' });
  const { page } = await openPage(browser, at.inspector, onTestFinished, options);
  await send(at, '/_sandbox/settle', {});
  await go(page, '#/points');
  await page.getByLabel('Name of this point in time').fill('now');
  await page.keyboard.press('Enter');
  await page.getByText('Saved as “now”.').waitFor();
  await send(at, '/_sandbox/settle', {});
  const details = ['requests/1', 'ledger/1', 'points/now', 'find?text=fees'];
  for (const pane of [...PANES, ...details]) {
    await go(page, `#/${pane}`);
    await page.locator('main :is(.rows, .card, .note, h2):visible').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), pane).toBe(true);
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, nodes }) => `${pane}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    expect(found).toEqual([]);
    if (pane !== 'clock' && pane !== 'users') continue;
    if (pane === 'clock') await page.getByRole('button', { name: 'Replace with a new history…' }).click();
    else await page.locator('.row').first().click();
    await page.locator('dialog[open], .control').first().waitFor();
    expect(
      (await new AxeBuilder({ page }).analyze()).violations.map(
        ({ id, nodes }) => `${pane} open: ${id} ${nodes[0]?.html}`,
      ),
    ).toEqual([]);
    await page.keyboard.press('Escape');
  }
});

test('nothing moves where that is asked for', async () => {
  const durationIn = async (reducedMotion: 'reduce' | 'no-preference') => {
    const at = await serveInspected(onTestFinished);
    await send(at, '/getfees');
    const { page } = await openPage(browser, at.inspector, onTestFinished, { reducedMotion });
    await go(page, '#/requests');
    await page.locator('.row').first().waitFor();
    return page.evaluate('getComputedStyle(document.querySelector(".row")).transitionDuration');
  };
  expect(await durationIn('reduce')).toBe('0s');
  expect(await durationIn('no-preference')).toBe('0.1s');
});

const HOSTILE = [
  '<script>window.pwned=1</script>',
  '<img src=x onerror="window.pwned=1">',
  '\u202Egnp.exe\u202C\u200B',
  'javascript:window.pwned=1',
];

test('what others wrote is text, however long and whatever it is', async () => {
  const { page, at, problems } = await opened();
  const target = await receiver(`<script>window.pwned=1</script>${'x'.repeat(1_000_000)}`);
  await send(at, '/setwebhook', { webhookUrl: target.url, enabled: true, secret: 'a-secret-of-a-test-that-signs' });
  for (const text of HOSTILE) await send(at, `/${encodeURIComponent(text)}`, { note: text, [text]: text });
  await send(at, '/onboarduser', { note: 'x'.repeat(1_000_000) });
  await send(at, '/onboarduser', '{"broken": [');
  await send(at, '/onboarduser', { bvn: '22345678901' });
  await send(at, '/_sandbox/advance', { durationMs: 600_000 });
  await page.locator('.row').first().waitFor();
  for (const pane of PANES) {
    await go(page, `#/${pane}?text=${encodeURIComponent(HOSTILE[0] ?? '')}`);
    await go(page, `#/${pane}`);
    await page.locator('main :is(.rows, .card, .note)').first().waitFor();
  }
  for (let id = 1; id <= 9; id++) {
    await go(page, `#/requests/${id}`);
    await page.locator('.detail :is(h2, .note)').first().waitFor();
    expect(await page.locator('.detail').innerText()).not.toMatch(/[\u202A-\u202E\u200B]/);
  }
  for (const text of HOSTILE) {
    await go(page, `#/find?text=${encodeURIComponent(text)}`);
    await page.locator('.found, .note').first().waitFor();
  }
  expect(await page.evaluate('window.pwned')).toBeUndefined();
  expect(await page.locator('main script, main img, a[href^="javascript"]').count()).toBe(0);
  // A list that is refused is said by the browser too.
  expect(problems.filter((each) => !each.includes('status of 404'))).toEqual([]);
});

test('each link on the page leads to something', async () => {
  const { page, at, problems } = await opened();
  const { data } = (await send(at, '/onboarduser', { bvn: '22345678901' })) as { data: { userHash: string } };
  await send(at, '/_sandbox/advance', { durationMs: 600_000 });
  await send(at, '/onramp', { userId: data.userHash, amount: 5_000 });
  await send(at, '/_sandbox/advance', { durationMs: 600_000 });
  const HREFS = `[...document.querySelectorAll('main a[href]')].map((each) => each.getAttribute('href'))`;
  const wanted = PANES.map((pane) => `#/${pane}`);
  const seen = new Set(wanted);
  for (const href of wanted) {
    await go(page, href);
    await page.locator('main :is(.row, .card, .note, .found, .detail h2, .count)').first().waitFor();
    if (href.split('/').length > 2) await page.locator('.detail h2').waitFor();
    expect(await page.locator('main').innerText(), href).not.toMatch(/No results|no longer|could not answer/);
    const rows = page.locator('.row');
    for (let at = 0; at < Math.min(3, await rows.count()) && seen.size < 60; at++) {
      await rows.nth(at).click();
      await page.locator('.detail h2').waitFor();
      for (const next of (await page.evaluate(HREFS)) as string[])
        if (!seen.has(next)) {
          seen.add(next);
          wanted.push(next);
        }
    }
  }
  expect(seen.size).toBeGreaterThan(PANES.length + 5);
  expect(problems).toEqual([]);
});

test('two inspectors in one browser do not sign each other out', async () => {
  const [one, other] = [await serveInspected(onTestFinished), await serveInspected(onTestFinished)];
  const { page, context } = await openPage(browser, one.inspector, onTestFinished);
  const second = await context.newPage();
  await second.goto(other.inspector);
  await second.locator('nav').waitFor();
  for (const each of [page, second]) {
    await each.reload();
    await each.locator('nav').waitFor();
  }
  expect((await context.cookies()).length).toBe(2);
});

test('an address that was used says so', async () => {
  const { at } = await opened();
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(at.inspector);
  await page.getByText('This link has already been used, or its session has ended.').waitFor();
});

test('a session is saved from the page, and shown on another machine without a way to change anything', async () => {
  const path = join(newFolder(onTestFinished), 'session.json');
  const { page, at } = await opened('--inspect-save', path);
  await send(at, '/getfees');
  await page.getByText('1 row').waitFor();
  await page.getByRole('button', { name: 'Save session' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const url = await inspectHome(newHome(onTestFinished), onTestFinished, path);
  const saved = await openPage(browser, url, onTestFinished);
  await saved.page.getByText('which was not checked with the service').waitFor();
  for (const pane of PANES) {
    await go(saved.page, `#/${pane}`);
    await saved.page.locator('main :is(.rows, .card, .note)').first().waitFor();
  }
  await go(saved.page, '#/requests/1');
  await saved.page.getByRole('heading', { name: 'GET /v1/getfees' }).waitFor();
  await go(saved.page, '#/clock');
  await saved.page.getByRole('heading', { name: 'Clock' }).waitFor();
  expect(await saved.page.locator('main').getByRole('button').count()).toBe(0);
  expect(saved.problems).toEqual([]);
});
