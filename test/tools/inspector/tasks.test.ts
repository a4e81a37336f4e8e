import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Home, newHome, sharedEnd } from '../../support/built.ts';
import { fiatrailJson, must } from '../../support/in-process.ts';
import { go, inspectHome, openPage, send, serveHome, startContexts } from './browser.ts';
import { type Ask, asking, rowsOf } from './links.ts';

/** What someone opens the page for, by the keyboard alone, and how many keys it takes. */

const browser = await startContexts(sharedEnd());
const home = newHome(sharedEnd());
/** The same days have the same work whenever they are simulated. */
const UNTIL = ['--until', '2026-10-31', '-q'];

beforeAll(async () => {
  await must(home, ['sandbox', 'simulate', '--days', '30', '--users', '25', '--seed', '7', ...UNTIL]);
  await must(home, ['sync', '-q']);
});

/** Counts what is pressed; a text that is typed counts once. */
function keyboardOf(page: Page) {
  let steps = 0;
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      steps += 1;
      await page.keyboard.press(key);
    }
  };
  return {
    press,
    steps: () => steps,
    /** The key of a pane, as its link says. */
    keyOf: async (title: string) =>
      ((await page.getByRole('link', { name: title, exact: true }).getAttribute('title')) ?? '').replace('Key ', ''),
    type: async (text: string) => {
      steps += 1;
      await page.keyboard.type(text);
    },
    /** Presses Tab until a link with this in its address has the focus. */
    tabTo: async (href: string) => {
      await page.locator(`main a[href*="${href}"]`).first().waitFor();
      for (let times = 0; times < 40; times += 1) {
        await press('Tab');
        const at = await page.evaluate('document.activeElement?.getAttribute("href")');
        if (String(at).includes(href)) return;
      }
      throw new Error(`no link to ${href} was reached`);
    },
    /** Waits until the list has its rows and the focus. */
    inList: async () => {
      await page.locator('.row .cell').first().waitFor();
      await expect.poll(() => page.evaluate('document.activeElement?.className')).toBe('rows');
    },
  };
}

type Keyboard = ReturnType<typeof keyboardOf>;

interface Task {
  readonly asks: string;
  readonly steps: number;
  does(keyboard: Keyboard, ask: Ask): Promise<void>;
  sees(page: Page): Promise<void>;
}

const detailWith = (text: string | RegExp) => async (page: Page) => {
  await page.locator('.detail', { hasText: text }).waitFor();
};

const newest = async (ask: Ask, list: string, query: string) => {
  const row = (await rowsOf(ask, list, query)).at(-1);
  if (!row) throw new Error(`no row of ${list} fits ${query}`);
  return row as Readonly<Record<string, string>>;
};

const TASKS: readonly Task[] = [
  {
    asks: 'find the payment of an amount that failed',
    steps: 5,
    does: async ({ press, type, tabTo }, ask) => {
      const { id = '', amount = '' } = await newest(ask, 'work', '&state=deposit&look=bad');
      await press('/');
      await type(amount);
      await press('Enter');
      await tabTo(id);
      await press('Enter');
    },
    sees: detailWith(/refunded|failed|rejected/),
  },
  {
    asks: 'which posting credited this user',
    steps: 5,
    does: async ({ press, type, tabTo }, ask) => {
      const { id = '' } = await newest(ask, 'work', '&state=onramp&look=done');
      await press('/');
      await type(id);
      await press('Enter');
      await tabTo(`#/work/${id}`);
      await press('Enter');
    },
    sees: detailWith(/Balance after.* wallet .*Sums to /s),
  },
  {
    asks: 'what is waiting for the bank',
    steps: 7,
    does: async ({ press, inList }) => {
      await press('2');
      await inList();
      await press('f', 'Tab', 'Tab', 'u', 'Escape');
      await inList();
      await press('Enter');
    },
    sees: detailWith(/waits for the bank|bank/),
  },
  {
    asks: 'which event was not delivered',
    steps: 6,
    does: async ({ press, inList }) => {
      await press('5');
      await inList();
      await press('f', 'Tab', 'w', 'Escape');
      await inList();
      await press('Enter');
    },
    sees: detailWith('waiting'),
  },
  {
    asks: 'whether the ledger balances',
    steps: 1,
    does: ({ press }) => press('1'),
    sees: (page) => page.locator('.card .done', { hasText: 'balances' }).waitFor(),
  },
  {
    asks: 'what the newest request got',
    steps: 2,
    does: async ({ press, inList }) => {
      await press('4');
      await inList();
      await press('Enter');
    },
    sees: detailWith('Response'),
  },
  {
    asks: 'all work of a user',
    steps: 6,
    does: async ({ press, inList, tabTo }) => {
      await press('3');
      await inList();
      await press('Enter');
      await tabTo('#/work?user=');
      await press('Enter');
    },
    sees: async (page) => {
      await page.locator('.list-work').waitFor();
      expect(page.url()).toContain('user=');
    },
  },
  {
    asks: 'the best price of a pair',
    steps: 1,
    does: async ({ press, keyOf }) => press(await keyOf('Order book')),
    sees: (page) => page.locator('.books .figures', { hasText: 'bid-ask spread' }).first().waitFor(),
  },
  {
    asks: 'the details of one row after the other',
    steps: 4,
    does: async ({ press, inList }) => {
      await press('2');
      await inList();
      await press('Enter', 'j', 'j');
    },
    sees: async (page) => {
      await expect.poll(() => page.locator('.row[aria-selected="true"]').getAttribute('aria-posinset')).toBe('3');
      const id = decodeURIComponent(page.url().split('/').at(-1) ?? '');
      await page.locator('.detail code', { hasText: id }).waitFor();
    },
  },
];

test('nine questions to a sandbox are answered by the keyboard alone', async () => {
  const at = await serveHome(home, onTestFinished);
  const webhook = { webhookUrl: 'http://127.0.0.1:9/hook', enabled: true, secret: 'a-secret-of-a-test-that-signs' };
  await send(at, '/setwebhook', webhook);
  await send(at, '/onboarduser', { bvn: '22345678901' });
  await send(at, '/_sandbox/advance', { durationMs: 600_000 });
  const opened = await openPage(browser, at.inspector, onTestFinished);
  const { page, problems } = opened;
  const taken: [string, number][] = [];
  for (const { asks, does, sees } of TASKS) {
    await go(page, '#/now');
    await page.locator('.now').waitFor();
    const keyboard = keyboardOf(page);
    await does(keyboard, asking(opened));
    await sees(page);
    taken.push([asks, keyboard.steps()]);
  }
  expect(taken).toEqual(TASKS.map(({ asks, steps }) => [asks, steps]));
  expect(problems).toEqual([]);
});

test('who decided about a plan, and why, is two keys away', async () => {
  const second: Home = { ...home, env: { ...home.env, FIATRAIL_CONFIG_DIR: join(home.path, 'of-bayo') } };
  for (const [person, name] of [
    [home, 'ada'],
    [second, 'bayo'],
  ] as const)
    await must(person, ['profiles', 'approvers', 'add', name, '--generate', '--yes', '-q']);
  const written = await fiatrailJson(home, ['payout', 'create', '--amount', '5000', '--to', 'default', '--plan', '-q']);
  const { plan } = written as { readonly plan: string };
  await must(second, ['plans', 'reject', plan, '--reason', 'too much', '--yes', '-q']);
  const { page } = await openPage(browser, await inspectHome(home, onTestFinished), onTestFinished);
  const { press, inList, steps } = keyboardOf(page);
  await press('4');
  await inList();
  await press('Enter');
  await detailWith(/reject\w* by .*bayo.*too much/s)(page);
  expect(steps()).toBe(2);
});

test('the keys are listed, and closing the list goes back to where it was opened from', async () => {
  const { page } = await openPage(browser, await inspectHome(home, onTestFinished), onTestFinished);
  const { press, inList } = keyboardOf(page);
  await press('6');
  await inList();
  await press('?');
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  // Its own keys do not reach the page behind it.
  await press('1');
  expect(page.url()).toContain('#/copied');
  await press('Escape');
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
  await inList();
});
