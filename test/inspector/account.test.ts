import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/base/world.ts';
import { INBOX_URL } from '../../src/contract/sandbox.ts';
import type { Now } from '../../src/inspector/now.ts';
import { textAt } from '../../src/inspector/page/field.ts';
import { systemClock } from '../../src/system/time-and-chance.ts';
import { newHome, sharedEnd } from '../support/built.ts';
import { fiatrail, fiatrailJson, must, startFiatrail } from '../support/in-process.ts';
import { ask, enter, session } from './asking.ts';
import { type SampleAccount, SENDER, sampleAccount } from './sample-account.ts';

/** The inspector of an account, and of a saved session: they show what this machine knows, and change nothing. */

const home = newHome(sharedEnd());
let used: SampleAccount;

beforeAll(async () => {
  used = await sampleAccount(home);
});

/** Starts an inspector, and enters it. */
const inspected = (...words: string[]) => inspectedAt(systemClock, home, ...words);

async function inspectedAt(clock: Clock, of: typeof home, ...words: string[]) {
  const running = startFiatrail(of, ['inspect', ...words, '-o', 'json'], { clock });
  onTestFinished(async () => {
    running.kill('SIGTERM');
    await running.end;
  });
  const { origin, hash } = new URL((JSON.parse(await running.firstLine()) as { url: string }).url);
  const cookie = await session({ origin, token: hash.replace('#token=', '') });
  const read = async (path: string) => JSON.parse((await ask(origin, path, { cookie })).body);
  return { origin, cookie, read };
}

type Rows = { readonly total: number; readonly rows: readonly Readonly<Record<string, string>>[] };

interface Charts {
  readonly period: string;
  readonly by: string;
  readonly parts: readonly string[];
  readonly charts: readonly {
    readonly title: string;
    readonly unit: string;
    readonly lines: readonly { readonly title: string; readonly figures: readonly { readonly value: string }[] }[];
  }[];
}

type Printed = Readonly<{ value: string }>;

interface Reported {
  readonly parts?: readonly ({ readonly day: string; readonly asset: string } & Readonly<
    Record<'in' | 'out' | 'earned' | 'fees', Printed>
  >)[];
  readonly balances?: readonly { readonly at: string; readonly balance: Printed }[];
}

const DAY_MS = 86_400_000;

const saved = (name: string) => join(home.path, name);

describe('inspect', () => {
  test('shows plans with what became of them, and who decided', async () => {
    const line = ['payout', 'create', '--amount', '700', '--to', 'default', '--plan', '-q', '-o', 'json'];
    const { plan: withdrawn } = await fiatrailJson<{ plan: string }>(home, line);
    await must(home, ['plans', 'withdraw', withdrawn, '--reason', 'paid by hand', '-q']);
    const { plan: waiting } = await fiatrailJson<{ plan: string }>(home, line);
    const { read } = await inspected();
    const { rows } = (await read('/api/lists/plans?limit=50')) as Rows;
    expect(rows.map(({ id, state }) => [id, state])).toEqual([
      [withdrawn, 'withdrawn'],
      [waiting, 'waiting'],
    ]);
    const { history, lines, copies } = await read(`/api/lists/plans/${withdrawn}`);
    expect(history).toMatchObject([{ act: 'withdrawn', reason: 'paid by hand' }]);
    expect(lines.some(({ value }: { value: string }) => value.includes('700.00 cNGN'))).toBe(true);
    expect(copies).toEqual({ fiatrail: `fiatrail plans show ${withdrawn}` });
  });

  test('shows operations with how each went, and the events about it', async () => {
    const { read } = await inspected();
    const { rows } = (await read('/api/lists/operations?limit=50')) as Rows;
    const row = rows.find(({ subject }) => subject === used.onramp);
    expect(row).toMatchObject({ state: 'settled', amount: '₦5,000.00' });
    const detail = await read(`/api/lists/operations/${row?.['id']}`);
    expect(detail.life.path.map(({ state }: { state: string }) => state)).toEqual([
      'prepared',
      'sent',
      'accepted',
      'settled',
    ]);
    expect(detail.events.length).toBeGreaterThan(0);
    const event = await read(`/api/lists/events/${detail.events[0].id}`);
    expect(event).toMatchObject({ subject: used.onramp, state: 'received', forwards: [] });
    expect(JSON.parse(event.data)).toMatchObject({ requestId: used.onramp });
  });

  test('shows the copied lists, and the story of a row without asking the service', async () => {
    const { read } = await inspected();
    const { tables } = await read('/api/documents/copy');
    const deposits = tables.find(({ table }: { table: string }) => table === 'deposits');
    const { total, rows } = (await read('/api/lists/copied?state=deposits&limit=50')) as Rows;
    expect(total).toBe(deposits.rows);
    const story = await read(`/api/lists/copied/${rows.at(-1)?.['id']}`);
    expect(story.timeline.map(({ what }: { what: string }) => what).join('\n')).toContain(SENDER);
    expect(rows.at(-1)?.['amount']).toBe('₦5,100.00');
    expect(story.amount).toBe('₦5,100.00');
    // The facts of the record, with where the row has them.
    expect(story.facts).toContainEqual({ title: 'From', field: 'depositor.name' });
    for (const { field } of story.facts) expect(textAt(story.row, field), field).not.toBeNull();
    expect(textAt(story.row, 'depositor.name')).toBe(SENDER);
    expect(textAt(story.row, 'amount')).toBe('5,100.00 NGN');
    expect(textAt(`${story.row.slice(0, 40)}…`, 'amount')).toBeNull();
  });

  test('shows the users of the copy: the account to pay into, what was paid, the wallets and the work', async () => {
    const { read } = await inspected();
    await must(home, ['report', 'owed', '-q']);
    const { rows } = (await read('/api/lists/users?limit=50')) as Rows;
    const [row] = rows.filter(({ id }) => id === used.user);
    const listed = await fiatrailJson(home, ['history', 'deposits', '--user', used.user, '--all', '-q']);
    const { deposits } = listed as { readonly deposits: readonly { readonly amount: { readonly value: string } }[] };
    expect(deposits.map(({ amount }) => amount.value)).toEqual(['5100.00']);
    expect(row).toMatchObject({ state: 'active', paidIn: '₦5,100.00', paidOut: null, open: '0' });
    const { wallets, accounts, holds, work, links } = await read(`/api/lists/users/${used.user}`);
    const { users } = (await fiatrailJson(home, ['users', 'list', '--all', '-q'])) as {
      readonly users: readonly {
        readonly userId: string;
        readonly virtualAccount: { readonly accountNumber: string };
      }[];
    };
    const { accountNumber = '' } = users.find(({ userId }) => userId === used.user)?.virtualAccount ?? {};
    expect(row?.['accountNumber']).toBe(accountNumber);
    expect(accounts).toMatchObject([{ accountNumber, kind: 'permanent' }]);
    expect(wallets.map(({ kind }: { kind: string }) => kind)).toContain('EVM');
    expect(holds).toMatchObject([{ amount: '5,000.00 cNGN' }]);
    expect(work).toMatchObject([{ kind: 'deposit', amount: '₦5,100.00', look: 'done' }]);
    expect(links).not.toHaveProperty(used.user);
    expect((await read(`/api/lists/users?limit=9&text=${accountNumber}`)).total).toBe(1);
    expect((await read('/api/lists/users?limit=9&text=nobody')).total).toBe(0);
    const [found] = await read(`/api/find?text=${used.user}`);
    expect(found).toMatchObject({ list: 'users', id: used.user });
  });

  test('says what the account’s wallets and its vault have as the service does', async () => {
    const { read } = await inspected();
    const held = async (...of: string[]) => {
      const words = ['balances', ...of, '--token', 'USDC', '-q'];
      const { totalBalance } = (await fiatrailJson(home, words)) as { readonly totalBalance: Printed };
      return Number(totalBalance.value);
    };
    const { tokenWallets } = (await fiatrailJson(home, ['fx', 'vault', 'show', '-q'])) as {
      readonly tokenWallets: { readonly USDC: string };
    };
    const { balances } = (await read('/api/documents/now')) as Pick<Now, 'balances'>;
    const shown = (title: string) => {
      const { parts = [] } = balances.find(({ asset }) => asset === 'USDC') ?? {};
      return Number(parts.find((each) => each.title === title)?.text?.replace(/[^\d.]/g, ''));
    };
    const [inWallets, inVault] = [await held('account'), await held('address', tokenWallets.USDC)];
    expect([shown('Account wallets'), shown('Vault')]).toEqual([inWallets, inVault]);
    expect(Math.min(inWallets, inVault)).toBeGreaterThan(0);
  });

  test('draws the volumes, fees and balances that the reports print', async () => {
    const { read } = await inspected();
    const { parts: days, charts } = (await read('/api/documents/charts')) as Charts;
    expect(days.length).toBe(30);
    const figureOf = (title: string, asset: string, line: string, day: string) =>
      charts.find((each) => each.title === title && each.unit === asset)?.lines.find((each) => each.title === line)
        ?.figures[days.indexOf(day)]?.value;
    const report = async (...words: string[]) => (await fiatrailJson(home, ['report', ...words, '-q'])) as Reported;
    const { parts = [] } = await report('--since', days[0] ?? '', '--by', 'day');
    expect(new Set(parts.map(({ day, asset }) => `${days.indexOf(day)} ${asset}`)).size).toBeGreaterThan(2);
    for (const { day, asset, ...moved } of parts)
      for (const [title, line, field] of [
        ['Volumes', 'In', 'in'],
        ['Volumes', 'Out', 'out'],
        ['Fees', 'Earned', 'earned'],
        ['Fees', 'Paid', 'fees'],
      ] as const) {
        const { value } = moved[field];
        expect(Number(figureOf(title, asset, line, day) ?? 0), `${line} ${asset} ${day}`).toBe(Math.abs(Number(value)));
      }
    const { balances = [] } = await report('balance', '--since', days[0] ?? '');
    expect(balances.map(({ at }) => at)).toEqual(days);
    for (const { at, balance } of balances) expect(figureOf('Balance', 'CNGN', 'At the end', at)).toBe(balance.value);
  });

  test('draws other periods by week and month, and what it does not know as the usual one', async () => {
    const { read } = await inspected();
    const { choices } = (await read('/api/about')) as { choices: { charts: Record<'period' | 'by', string[]> } };
    const { period: periods, by: steps } = choices.charts;
    // Each of both at least once.
    for (let at = 0; at < Math.max(periods.length, steps.length); at++) {
      const [period = '', by = ''] = [periods[at % periods.length], steps[at % steps.length]];
      const drawn = (await read(`/api/documents/charts?${new URLSearchParams({ period, by })}`)) as Charts;
      expect([drawn.period, drawn.by]).toEqual([period, by]);
      for (const { title, lines } of drawn.charts)
        for (const { figures } of lines) expect(figures.length, `${period} ${by} ${title}`).toBe(drawn.parts.length);
    }
    const usual = await read('/api/documents/charts');
    for (const query of ['period=__proto__&by=constructor', 'period=1000000 days&by=second', 'by=%00', 'more=1'])
      expect(await read(`/api/documents/charts?${query}`)).toEqual(usual);
  });

  test('draws another day after midnight, also without a sync', async () => {
    let aheadMs = 0;
    const { read } = await inspectedAt({ ...systemClock, now: () => Date.now() + aheadMs }, home);
    const daysOf = async () => ((await read('/api/documents/charts')) as Charts).parts;
    // The sync was two days later than now, because the sandbox's clock was advanced.
    aheadMs = 2 * DAY_MS;
    const before = await daysOf();
    aheadMs += DAY_MS;
    const after = await daysOf();
    expect(after.slice(0, -1)).toEqual(before.slice(1));
    expect(after.at(-1)).not.toBe(before.at(-1));
  });

  test('finds by what `find` takes, and repeats no digits that may be a BVN', async () => {
    const { read } = await inspected();
    const found = await read(`/api/find?text=${used.onramp}`);
    expect(found).toMatchObject([{ list: 'operations' }]);
    expect(await read('/api/find?text=22345678901')).toEqual({
      error: 'eleven digits may be a phone number or a BVN',
    });
  });

  test('refuses every change, and leaves the files as they are', async () => {
    const { origin, cookie, read } = await inspected();
    expect((await read('/api/about')).actions).toEqual([]);
    const before = await read('/api/lists/operations?limit=50');
    const names = ['advance', 'settle', 'resend', 'fault-add', 'fault-clear', 'save', 'constructor', '__proto__'];
    for (const name of names) {
      const reply = await ask(origin, `/api/actions/${name}`, { cookie, origin }, `{"eventId":"1"}`);
      expect(reply).toMatchObject({ status: 404, body: '{"error":"nothing can be changed here"}' });
    }
    for (const path of ['/api/lists/operations', '/api/documents/copy', '/'])
      expect((await ask(origin, path, { cookie, origin }, '{}')).status).toBe(404);
    expect(await read('/api/lists/operations?limit=50')).toEqual(before);
  });

  test('shows an account that did nothing yet, and creates no file for it', async () => {
    const other = newHome(onTestFinished);
    const running = startFiatrail(other, ['inspect', '-o', 'json']);
    const { origin, hash } = new URL((JSON.parse(await running.firstLine()) as { url: string }).url);
    const cookie = (await enter({ origin, token: hash.replace('#token=', '') })).headers['set-cookie']?.[0] ?? '';
    const read = async (path: string) =>
      JSON.parse((await ask(origin, path, { cookie: cookie.split(';')[0] ?? '' })).body);
    for (const list of ['operations', 'events', 'plans', 'users', 'copied'])
      expect(await read(`/api/lists/${list}?limit=9`)).toMatchObject({ total: 0, rows: [] });
    expect(await read('/api/documents/copy')).toEqual({ tables: [] });
    running.kill('SIGTERM');
    expect((await running.end).code).toBe(0);
    expect(() => statSync(join(other.stateDir, 'journal.db'))).toThrow('ENOENT');
  });
});

test('says how many events are missing, as webhooks inbox gaps counts them, until they are accepted', async () => {
  const other = newHome(onTestFinished);
  await must(other, ['sandbox', 'seed', '--pace', 'instant', '-q']);
  await must(other, ['webhooks', 'set', INBOX_URL, '--new-secret', '--yes', '-q']);
  const onboard = async (bvn: string) =>
    (await fiatrailJson(other, ['users', 'onboard', '--bvn-stdin', '--wait', '-q'], { stdin: `${bvn}\n` })) as Record<
      string,
      string
    >;
  await onboard('22345678901');
  await must(other, ['sandbox', 'fault', 'add', '--on', 'user.onboarded', '--fault', 'lost-webhook', '-q']);
  const { userId = '' } = await onboard('22345678902');
  const needs = async () => {
    await must(other, ['sync', '-q']);
    const { read } = await inspectedAt(systemClock, other);
    const now = (await read('/api/documents/now')) as { needs: { what: string; count?: number }[] };
    return now.needs.filter(({ what }) => what.includes('missing'));
  };
  // It may still be on its way.
  expect(await needs()).toEqual([]);
  await must(other, ['sandbox', 'advance', '10m', '-q']);
  expect(await needs()).toEqual([
    { what: 'event missing in the inbox', count: 1, todo: 'fiatrail webhooks inbox gaps' },
  ]);
  const gaps = ['webhooks', 'inbox', 'gaps', '-q'];
  const { stdout } = await fiatrail(other, [...gaps, '-o', 'json']);
  expect(JSON.parse(stdout).missing).toMatchObject([{ event: 'user.onboarded', id: userId }]);
  await must(other, [...gaps, '--accept', userId, '--reason', 'seen by hand']);
  expect(await needs()).toEqual([]);
});

test('with --mask, the page has no name and no account, and finds what its handles stand for', async () => {
  const { read } = await inspected('--mask');
  const shown: unknown[] = [];
  for (const list of ['operations', 'events', 'plans', 'users', 'copied']) {
    const { rows } = (await read(`/api/lists/${list}?limit=500`)) as Rows;
    shown.push(rows);
    // Two of each kind, from both ends of the list.
    for (const found of Map.groupBy(rows, ({ kind, state }) => `${kind} ${state}`).values())
      for (const { id = '' } of new Set([...found.slice(0, 1), ...found.slice(-1)]))
        shown.push(await read(`/api/lists/${list}/${encodeURIComponent(id)}`));
  }
  const text = JSON.stringify(shown).toLowerCase();
  expect(text).toContain(used.onramp);
  for (const part of [SENDER, used.account]) expect(text).not.toContain(part.toLowerCase());
  expect(text).not.toMatch(/0x[0-9a-f]{40}/);
  const [account = ''] = /account-\d+/.exec(text) ?? [];
  expect(await read(`/api/find?text=${account}`)).not.toEqual([]);
});

describe('a state file of a newer version', () => {
  const newer = async (part: string, ...words: string[]) => {
    const files = readdirSync(home.stateDir, { recursive: true, encoding: 'utf8' });
    const file = files.find((name) => name.includes(part) && name.endsWith('.db')) ?? '';
    const database = new DatabaseSync(join(home.stateDir, file));
    onTestFinished(() => database.close());
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    onTestFinished(() => database.exec(`PRAGMA user_version = ${version}`));
    database.exec('PRAGMA user_version = 9999');
    const ran = await fiatrail(home, words);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(
      'was created by a newer version of fiatrail\n  hint: use that version, or a later one\n',
    );
    expect(ran.stderr).not.toContain('    at ');
  };

  test.each(['journal', 'inbox', 'copy'])('is reported instead of a page: %s', async (part) => {
    await newer(part, 'inspect', '--port', '0');
  });

  test('is reported instead of a sandbox with a page', async () => {
    await newer('sandbox', 'sandbox', 'serve', '--port', '0', '--inspect');
  });
});

describe('a saved session', () => {
  test('is private, has the same rows, and says that nobody checked it', async () => {
    const path = saved('whole.json');
    await must(home, ['inspect', '--save-to', path, '--with-personal-data', '-q']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { read } = await inspected(path);
    const about = await read('/api/about');
    expect(about).toMatchObject({ lists: ['operations', 'events', 'plans', 'users', 'copied'], actions: [] });
    expect(about.saved.notice).toContain('which was not checked with the service. It has personal data.');
    const live = await inspected();
    for (const list of ['operations', 'events', 'plans', 'users', 'copied']) {
      const { rows } = (await read(`/api/lists/${list}?limit=500`)) as Rows;
      expect(rows).toEqual((await live.read(`/api/lists/${list}?limit=500`)).rows);
      const [first] = rows;
      const path = `/api/lists/${list}/${first?.['id']}`;
      // Of a saved session, only what it has is a link.
      const { links, ...detail } = await read(path);
      const { links: more, ...now } = await live.read(path);
      expect(detail).toEqual(now);
      expect(more).toMatchObject(links as object);
    }
    expect(await read(`/api/find?text=${used.onramp}`)).not.toEqual([]);
    expect(readFileSync(path, 'utf8')).toContain(SENDER);
  });

  test('has no name, account or address unless that is asked for', async () => {
    const path = saved('masked.json');
    await must(home, ['inspect', '--save-to', path, '-q']);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(used.onramp);
    for (const part of [SENDER, ...SENDER.split(' '), used.account, home.path.slice(1)])
      expect(text.toLowerCase()).not.toContain(part.toLowerCase());
    expect(text).not.toMatch(/0x[0-9a-f]{40}/i);
    const { read } = await inspected(path);
    const about = await read('/api/about');
    // The name of a profile is nobody's.
    expect(about.title).toBe('sandbox (saved)');
    expect(about.saved.notice).toContain('Names, accounts and addresses are masked.');
  });

  test('is never written over something', async () => {
    const path = saved('taken.json');
    writeFileSync(path, 'mine');
    const ran = await fiatrail(home, ['inspect', '--save-to', path]);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(`${path} exists already`) });
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  test('is not shown if it is anything else than what was saved', async () => {
    const path = saved('good.json');
    await must(home, ['inspect', '--save-to', path, '-q']);
    const good = readFileSync(path, 'utf8');
    const wrong: readonly (readonly [string, string])[] = [
      [good.replace('settled', 'rejected'), 'is not as it was saved: it was cut or edited'],
      [good.slice(0, good.length / 2), 'is not as it was saved: it was cut or edited'],
      [`${good}{}`, 'is not as it was saved: it was cut or edited'],
      [good.replace('"version":2', '"version":1'), 'was saved by another version of fiatrail'],
      ['{"format":"other"}\n{}\n', 'is not a saved session of the inspector'],
      ['no json', 'is not a saved session of the inspector'],
      ['', 'is not a saved session of the inspector'],
      [`${'['.repeat(100_000)}`, 'is not a saved session of the inspector'],
    ];
    const bad = saved('bad.json');
    for (const [text, why] of wrong) {
      writeFileSync(bad, text);
      const ran = await fiatrail(home, ['inspect', bad]);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toContain(`${bad} ${why}`);
      expect(ran.stderr).not.toContain('    at ');
    }
  });

  test('is not read if it is missing, a folder or too large', async () => {
    const large = saved('large.json');
    writeFileSync(large, Buffer.alloc(64 * 1024 * 1024 + 1));
    const wrong = {
      [saved('missing.json')]: 'does not exist',
      [home.path]: 'is not a regular file',
      [large]: 'is larger',
    };
    for (const [path, why] of Object.entries(wrong)) {
      const ran = await fiatrail(home, ['inspect', path]);
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(`${path} ${why}`) });
    }
  });
});
