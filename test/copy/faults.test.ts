import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ExchangeError } from '../../src/base/errors.ts';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { acquireLock } from '../../src/sqlite/lock.ts';
import { refusal, success, tooMany } from '../support/exchange.ts';
import { ACCOUNT, type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';
import { FINTECH, movingService } from './moving-service.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const never = new AbortController().signal;

function rig(env: Record<string, string> = {}) {
  const clock = fakeClock();
  const service = movingService(clock.now);
  const world = fakeWorld({ clock, network: (...given) => service.exchange(...given), env: { ...ACCOUNT, ...env } });
  return { clock, service, world };
}

const path = ({ stateDir }: FakeWorld) => join(stateDir, 'copy-environment.db');

async function run(world: FakeWorld, ...argv: string[]) {
  const [before, errors] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main(argv, world);
  return { code, stdout: world.stdout.text().slice(before), stderr: world.stderr.text().slice(errors) };
}

interface Table {
  readonly table: string;
  readonly rows: number;
  readonly added: number;
  readonly changed: number;
  readonly gone: number;
  readonly isWhole: boolean;
  readonly gap: string | null;
}

async function synced(world: FakeWorld, ...more: string[]): Promise<(table: string) => Table> {
  const { code, stdout, stderr } = await run(world, 'sync', '-o', 'json', ...more);
  expect(code, stderr).toBe(0);
  const { tables } = JSON.parse(stdout) as { tables: Table[] };
  return (name) => tables.find(({ table }) => table === name) as Table;
}

function query<T>(world: FakeWorld, sql: string): T[] {
  const database = new DatabaseSync(path(world), { readOnly: true });
  try {
    return database.prepare(sql).all() as T[];
  } finally {
    database.close();
  }
}

describe('a service that is not as it should be', () => {
  test('lists rows without ids: each different row is kept once', async () => {
    const { service, world } = rig();
    for (const _ of [1, 2, 3]) delete service.add('deposits')['id'];
    for (const row of service.rows['deposits'] ?? []) row['amount'] = 7;
    (service.rows['deposits']?.[0] ?? {})['amount'] = 5;
    const table = await synced(world);
    expect(table('deposits').rows).toBe(3);
    expect((await synced(world))('deposits')).toMatchObject({ rows: 3, added: 0 });
  });

  test('counts more rows than it shows: said, and the whole list is not read at each sync', async () => {
    const { service, world, clock } = rig();
    for (let each = 0; each < 250; each++) {
      service.add('deposits', (250 - each) * 11 * MINUTE_MS);
      service.move('deposits', 0);
      service.move('deposits', 0, 'completed');
    }
    const exchange = service.exchange;
    const lying = { ...service, exchange: null };
    expect(lying.exchange).toBeNull();
    const world2 = fakeWorld({
      clock,
      env: ACCOUNT,
      network: async (request, ...rest) => {
        const answer = await exchange(request, ...rest);
        return request.url.includes('/deposits')
          ? { ...answer, body: answer.body.replace('"total":250', '"total":253') }
          : answer;
      },
    });
    expect((await synced(world2))('deposits')).toMatchObject({ rows: 250, isComplete: false, gap: 'count' });
    service.requests.length = 0;
    expect((await synced(world2))('deposits')).toMatchObject({ rows: 250, isComplete: false, gap: 'count' });
    expect(service.requests.filter((each) => each === '/deposits')).toHaveLength(1);
    expect((await run(world2, 'sync', 'status')).stdout).toContain('no: the service counts another number of rows');
    expect(world.stderr.text()).toBe('');
  });

  /** A service whose list of deposits counts more rows than it shows, or fewer. */
  function countingWrongly(more: (reading: number) => number) {
    const { service, clock } = rig();
    const total = /"total":(\d+)/;
    let readings = 0;
    const world = fakeWorld({
      clock,
      env: ACCOUNT,
      network: async (request, ...rest) => {
        const answer = await service.exchange(request, ...rest);
        if (!request.url.includes('/deposits')) return answer;
        readings += 1;
        const body = answer.body.replace(total, (_, count) => `"total":${Number(count) + more(readings)}`);
        return { ...answer, body };
      },
    });
    const readingsOf = async (...argv: string[]) => {
      readings = 0;
      await synced(world, ...argv);
      return readings;
    };
    return { service, world, readingsOf };
  }

  test('fails while it is asked about what failed: each is asked about once, by this sync or the next', async () => {
    const { service, clock } = rig();
    // More than are read at once, also after those that were asked about first.
    const MANY = 630;
    let left = 100;
    const asked: unknown[] = [];
    const world = fakeWorld({
      clock,
      env: ACCOUNT,
      network: async (request, ...rest) => {
        if (request.url.includes('/fx/trades/status')) {
          left -= 1;
          if (left < 0) throw new Error('the connection was lost');
          asked.push(JSON.parse(request.body ?? '{}').tradeId ?? new URL(request.url).searchParams.get('tradeId'));
        }
        return service.exchange(request, ...rest);
      },
    });
    // So that a page, whose rows change at one moment, is not asked about as a whole.
    for (let each = 0; each < (MANY * 10) / 9; each++) {
      service.add('fx_trades', each * 1_000);
      if (each % 10 > 0) service.move('fx_trades', each, 'failed');
    }
    expect(await main(['sync', '-q'], world)).not.toBe(0);
    expect(asked).toHaveLength(100);
    left = MANY;
    await synced(world);
    expect(new Set(asked).size).toBe(MANY);
    expect(asked).toHaveLength(MANY);
    await synced(world);
    expect(asked).toHaveLength(MANY);
  });

  test('leaves out the first and the last offramp of what it says of each: it is asked again about those two alone', async () => {
    const { service, clock } = rig();
    const HOUR_MS = 3_600_000;
    for (let each = 0; each < 300; each++) service.add('payouts', each * 2 * HOUR_MS);
    const [last, first] = [service.rows['payouts']?.[0], service.rows['payouts']?.at(-1)].map((row) => row?.['id']);
    let pages = 0;
    const world = fakeWorld({
      clock,
      env: ACCOUNT,
      network: async (request, ...rest) => {
        const answer = await service.exchange(request, ...rest);
        if (!new URL(request.url).pathname.endsWith('/transactions')) return answer;
        pages += 1;
        const parsed = JSON.parse(answer.body);
        const { transactions } = parsed.data;
        parsed.data.transactions = transactions.map((row: { readonly id: unknown }) =>
          row.id === first || row.id === last ? { ...row, type: 'another' } : row,
        );
        return { ...answer, body: JSON.stringify(parsed) };
      },
    });
    await synced(world);
    // Three full pages and the end of the list, then one page for each of them.
    expect(pages).toBe(4 + 2);
  });

  test('has its clock set back: what failed after that is asked about as well', async () => {
    const clock = fakeClock();
    let backMs = 0;
    const now = () => clock.now() - backMs;
    const service = movingService(now);
    const world = fakeWorld({
      clock: { ...clock, now },
      env: ACCOUNT,
      network: (...given) => service.exchange(...given),
    });
    const asked = () => service.requests.filter((path) => path === '/fx/trades/status').length;
    for (const at of [0, 1]) {
      service.add('fx_trades', at);
      service.move('fx_trades', at, 'failed');
      await synced(world);
      expect(asked()).toBe(at + 1);
      backMs = 3_600_000;
    }
  });

  test('counts wrongly once: the list is read a second time, and is whole', async () => {
    const { service, world } = countingWrongly((reading) => (reading > 4 ? 0 : 2));
    for (let each = 0; each < 5; each++) service.add('deposits');
    expect((await synced(world))('deposits')).toMatchObject({ rows: 5, isComplete: true });
  });

  test('counts wrongly, each time otherwise: nothing is proved, and the list is read again by the next sync', async () => {
    let isLater = false;
    const { service, readingsOf } = countingWrongly((reading) => (isLater ? 9 : reading));
    for (let each = 0; each < 5; each++) service.add('deposits');
    const first = await readingsOf();
    isLater = true;
    expect([first, await readingsOf(), await readingsOf()]).toEqual([6, 6, 4]);
  });

  test('counts a row too few while one goes: the list is read a second time', async () => {
    const { service, readingsOf } = countingWrongly(() => -1);
    for (let each = 0; each < 5; each++) service.add('deposits');
    await readingsOf();
    const same = await readingsOf('--full');
    service.rows['deposits']?.pop();
    expect([same, await readingsOf('--full')]).toEqual([2, 4]);
  });

  test('changes an old row that was not final: it is read again by its time, and not the whole list', async () => {
    const { service, world, clock } = rig();
    for (let each = 0; each < 350; each++) {
      await clock.sleep(11 * MINUTE_MS, never);
      service.add('deposits');
      if (each > 0) service.move('deposits', 0, 'completed');
    }
    await synced(world);
    service.move('deposits', 349, 'completed');
    service.requests.length = 0;
    expect((await synced(world))('deposits')).toMatchObject({ changed: 1, isComplete: true });
    expect(service.requests.filter((each) => each === '/deposits')).toHaveLength(2);
    expect(query(world, "SELECT count(*) AS n FROM deposits WHERE status = 'completed'")).toEqual([{ n: 350 }]);
  });

  test('takes back what had ended well before it was first seen: both are known, the first from its end on', async () => {
    const { service, world, clock } = rig();
    service.add('payouts');
    service.move('payouts', 0, 'completed');
    await synced(world);
    await clock.sleep(MINUTE_MS, never);
    service.move('payouts', 0, 'failed');
    await synced(world, '--full');
    expect(query(world, 'SELECT status FROM status_changes ORDER BY seen_at')).toEqual([
      { status: 'completed' },
      { status: 'failed' },
    ]);
  });

  test('shows a row late, behind a page of newer ones', async () => {
    const { service, world, clock } = rig();
    for (let each = 0; each < 150; each++) {
      await clock.sleep(1_000, never);
      service.add('fx_trades');
      service.move('fx_trades', 0, 'completed');
    }
    await synced(world);
    service.add('fx_trades', 8 * MINUTE_MS);
    expect((await synced(world))('fx_trades')).toMatchObject({ rows: 151, added: 1 });
  });

  test('lists its rows in no order: said, and the whole list is read each time', async () => {
    const { service, world, clock } = rig();
    for (let each = 0; each < 150; each++) service.add('fx_trades', each * MINUTE_MS);
    service.rows['fx_trades']?.sort((a, b) => (String(a['tradeId']) < String(b['tradeId']) ? -1 : 1));
    expect((await synced(world))('fx_trades')).toMatchObject({ rows: 150, gap: 'order' });
    await clock.sleep(MINUTE_MS, never);
    service.add('fx_trades');
    // It ends up anywhere.
    service.rows['fx_trades']?.sort((a, b) => (String(a['tradeId']) > String(b['tradeId']) ? -1 : 1));
    expect((await synced(world))('fx_trades')).toMatchObject({ rows: 151, gap: 'order' });
  });

  test('a row that it no longer shows is marked, and comes back', async () => {
    const { service, world } = rig();
    for (const _ of [1, 2, 3]) service.add('payouts');
    await synced(world);
    const [row] = service.rows['payouts']?.splice(1, 1) ?? [];
    expect((await synced(world))('payouts')).toMatchObject({ rows: 2, deleted: 1, isComplete: true });
    service.rows['payouts']?.splice(1, 0, row ?? {});
    expect((await synced(world))('payouts')).toMatchObject({ rows: 3, deleted: 0 });
  });

  test('a row that it no longer shows comes back in a reading of the whole list too', async () => {
    const { service, world } = rig();
    for (const _ of [1, 2, 3]) service.add('payouts');
    await synced(world);
    const [row] = service.rows['payouts']?.splice(1, 1) ?? [];
    expect((await synced(world, '--full'))('payouts')).toMatchObject({ rows: 2, deleted: 1 });
    service.rows['payouts']?.splice(1, 0, row ?? {});
    expect((await synced(world, '--full'))('payouts')).toMatchObject({ rows: 3, deleted: 0, isComplete: true });
    expect(query(world, 'SELECT count(*) AS n FROM payouts')).toEqual([{ n: 3 }]);
  });

  test('ends old rows that lie far apart, more than are asked for one by one', async () => {
    const { service, world } = rig();
    const OPEN = 30;
    for (let each = 0; each < OPEN; each++) service.add('payouts', (each + 200) * 120 * MINUTE_MS);
    for (let each = 0; each < 130; each++) service.add('payouts', each * MINUTE_MS)['status'] = 'completed';
    expect((await synced(world))('payouts')).toMatchObject({ rows: OPEN + 130 });
    const open = 'SELECT count(*) AS n FROM stored_payouts WHERE is_open = 1';
    expect(query(world, open)).toEqual([{ n: OPEN }]);
    for (const row of service.rows['payouts'] ?? []) row['status'] = 'completed';
    service.requests.length = 0;
    expect((await synced(world))('payouts')).toMatchObject({ changed: OPEN, added: 0 });
    expect(query(world, open)).toEqual([{ n: 0 }]);
    // Not by reading the whole list: one page of new rows, and at most 20 periods.
    expect(service.requests.filter((path) => path === '/payouts').length).toBeLessThanOrEqual(21);
  });

  test('is cut off in the middle of a short list: it is read from its start again', async () => {
    const { service, clock } = rig();
    for (let each = 0; each < 120; each++) service.add('fx_orders');
    let isCut = true;
    const world = fakeWorld({
      clock,
      env: ACCOUNT,
      network: async (request, ...rest) => {
        if (isCut && request.url.includes('startAfter')) return refusal(403, '03', 'not allowed');
        return service.exchange(request, ...rest);
      },
    });
    expect((await run(world, 'sync')).code).toBe(4);
    isCut = false;
    service.add('fx_orders');
    expect((await synced(world))('fx_orders')).toMatchObject({ rows: 121, isComplete: true });
  });

  test('limits its lists: a sync waits, and ends', async () => {
    const { service, clock } = rig();
    for (let each = 0; each < 300; each++) service.add('deposits');
    let refused = 0;
    const world = fakeWorld({
      clock,
      env: ACCOUNT,
      network: async (request, ...rest) => {
        const isRefused = request.url.includes('offset=100') && refused < 1;
        if (isRefused) refused += 1;
        return isRefused ? tooMany({ 'retry-after': '1' }) : service.exchange(request, ...rest);
      },
    });
    expect((await synced(world))('deposits')).toMatchObject({ rows: 300, isComplete: true });
    expect(refused).toBe(1);
  });

  test('refuses a list: what was read before is kept, and the next sync goes on', async () => {
    const { service, clock } = rig();
    for (let each = 0; each < 300; each++) service.add('deposits');
    let isDown = true;
    const asked: string[] = [];
    const world = fakeWorld({
      clock,
      env: ACCOUNT,
      network: async (request, ...rest) => {
        asked.push(request.url);
        if (isDown && request.url.includes('offset=200')) return refusal(403, '03', 'not allowed');
        return service.exchange(request, ...rest);
      },
    });
    const { code, stderr } = await run(world, 'sync');
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('not allowed') });
    expect(query(world, 'SELECT count(*) AS n FROM deposits')).toEqual([{ n: 200 }]);
    isDown = false;
    asked.length = 0;
    expect((await synced(world))('deposits')).toMatchObject({ rows: 300, isComplete: true, added: 100 });
    // It goes on after the rows that it has, and does not start over.
    expect(asked.filter((url) => url.includes('/deposits'))[0]).toContain('offset=199');
  });
});

describe('an account of which nobody can say whether it has a vault', () => {
  const withSettings = (answer: (sent: HttpRequest) => HttpResponse) => {
    const { service, clock } = rig();
    const network: Exchange = async (request, ...rest) =>
      request.url.includes('/fx/settings') ? answer(request) : service.exchange(request, ...rest);
    return fakeWorld({ clock, env: ACCOUNT, network });
  };
  const vault = "SELECT count(*) AS n FROM balances WHERE source = 'vault'";

  test('stops the sync, and its balances are not said to have been looked at', async () => {
    const world = withSettings(() => {
      throw new ExchangeError('the connection was reset', true);
    });
    expect((await run(world, 'sync')).code).not.toBe(0);
    expect(query(world, 'SELECT count(*) AS n FROM stored_balance_checks')).toEqual([{ n: 0 }]);
  });

  test('has none if the service rejects to say it', async () => {
    const world = withSettings(() => refusal(404, '02', 'no vault'));
    expect((await run(world, 'sync')).code).toBe(0);
    expect(query(world, 'SELECT count(*) AS n FROM stored_balance_checks')).toEqual([{ n: 1 }]);
    expect(query(world, vault)).toEqual([{ n: 0 }]);
  });
});

describe('what is personal', () => {
  const secrets = ['SENDER deposits-1', 'UCHE', 'ADA OBI', '22212345678', '0123456789'];

  test('is removed after its days from tables, indexes, names and free pages, and does not come back', async () => {
    const { service, world, clock } = rig();
    const deposit = service.add('deposits');
    deposit['note'] = 22212345678;
    deposit['bvn'] = '22212345678';
    service.add('payouts');
    service.move('payouts', 0);
    service.move('payouts', 0, 'completed');
    service.move('deposits', 0, 'completed');
    service.add('users');
    service.add('bank_accounts');
    await synced(world);
    const files = () => [path(world), `${path(world)}-wal`].filter((file) => existsSync(file));
    const bytes = () =>
      files()
        .map((file) => readFileSync(file).toString('latin1'))
        .join('');
    expect(secrets.filter((each) => bytes().includes(each))).toEqual([
      'SENDER deposits-1',
      'UCHE',
      'ADA OBI',
      '0123456789',
    ]);
    service.remove('users', 0);
    service.remove('bank_accounts', 0);
    await clock.sleep(2 * DAY_MS, never);
    await synced(world, '--full');
    await clock.sleep(91 * DAY_MS, never);
    await synced(world, '--full');
    expect(secrets.filter((each) => bytes().includes(each))).toEqual([]);
    expect(query(world, 'SELECT name FROM person_name')).toEqual([]);
    expect(query(world, 'SELECT id, amount_minor, sender_name FROM deposits')).toEqual([
      { id: 'deposits-1', amount_minor: 510_000, sender_name: null },
    ]);
  });
});

describe('a secret in a row', () => {
  test.each(['users', 'bank_accounts'] as const)('of %s is never copied, whatever field it is in', async (table) => {
    const { service, world } = rig();
    const row = service.add(table);
    row['apiKey'] = 'sk-invented-1';
    row['nested'] = { clientSecret: 'sk-invented-2', list: [{ privateKey: 'sk-invented-3' }] };
    await synced(world);
    const text = [path(world), `${path(world)}-wal`].filter(existsSync).map((file) => readFileSync(file, 'latin1'));
    expect(text.join('')).not.toContain('sk-invented');
    expect(query(world, `SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 1 }]);
  });
});

test('what is personal is also removed from a row whose time nobody says', async () => {
  const { service, world, clock } = rig();
  service.add('deposits')['createdAt'] = null;
  service.move('deposits', 0, 'completed');
  const names = 'SELECT sender_name IS NULL AS deleted FROM deposits';
  await synced(world);
  expect(query(world, names)).toEqual([{ deleted: 0 }]);
  await clock.sleep(89 * DAY_MS, never);
  await synced(world, '--full');
  expect(query(world, names)).toEqual([{ deleted: 0 }]);
  await clock.sleep(3 * DAY_MS, never);
  await synced(world, '--full');
  expect(query(world, names)).toEqual([{ deleted: 1 }]);
  expect(query(world, 'SELECT name FROM person_name')).toEqual([]);
});

test.each([[], ['--full']])(
  'what is personal is also removed from the log of the file, while another program keeps it open: sync %s',
  async (...more) => {
    const { service, world, clock } = rig();
    const name = 'IFEOMA NEVERMORE';
    service.add('deposits')['senderName'] = name;
    service.move('deposits', 0, 'completed');
    const inFiles = () =>
      [path(world), `${path(world)}-wal`].filter((file) => readFileSync(file, 'latin1').includes(name)).length;
    await synced(world);
    // The log of a file that nobody has open is removed with the last program that had.
    const reader = new DatabaseSync(path(world));
    onTestFinished(() => reader.close());
    reader.exec('SELECT count(*) FROM deposits');
    await synced(world, '--full');
    expect(inFiles()).toBeGreaterThan(0);
    await clock.sleep(92 * DAY_MS, never);
    await synced(world, ...more);
    expect(query(world, 'SELECT sender_name FROM deposits')).toEqual([{ sender_name: null }]);
    expect(inFiles()).toBe(0);
  },
);

test('rows that are too old for names are not written again at each reading', async () => {
  const { service, world, clock } = rig();
  service.add('deposits');
  service.move('deposits', 0, 'completed');
  await clock.sleep(91 * DAY_MS, never);
  expect((await synced(world))('deposits')).toMatchObject({ added: 1 });
  expect((await synced(world, '--full'))('deposits')).toMatchObject({ added: 0, changed: 0 });
});

describe('a local copy that cannot be used', () => {
  test.each([
    ['damaged', (file: string) => writeFileSync(file, 'no database'), 'STATE_CORRUPT'],
    [
      'of a newer version',
      (file: string) => {
        const database = new DatabaseSync(file);
        database.exec('PRAGMA user_version = 99');
        database.close();
      },
      'STATE_NEWER',
    ],
  ])('%s', async (_, spoil, expected) => {
    const { world } = rig();
    await synced(world);
    spoil(path(world));
    const { code, stderr } = await run(world, 'sync', '-o', 'json');
    expect({ code, error: JSON.parse(stderr.trim().split('\n').at(-1) ?? '') }).toMatchObject({
      code: 2,
      error: { error: { code: expected } },
    });
    // Losing it loses nothing that the service has.
    expect((await run(world, 'sync', 'forget', '--yes')).code).toBe(0);
    await synced(world);
  });

  test('of another account: nothing is written', async () => {
    const { service, clock, world } = rig();
    service.add('deposits');
    await synced(world);
    const other = fakeWorld({
      clock,
      env: { ...ACCOUNT, FIATRAIL_STATE_DIR: world.stateDir },
      network: async (request, ...rest) =>
        request.url.endsWith('/getfees')
          ? success({ fintechId: FINTECH.replace('1', '2') })
          : service.exchange(request, ...rest),
    });
    service.add('deposits');
    const { code, stderr } = await run(other, 'sync');
    expect(code).toBe(9);
    expect(stderr).toContain('is of another account; nothing was written');
    expect(query(world, 'SELECT count(*) AS n FROM deposits')).toEqual([{ n: 1 }]);
  });

  test('that another program fills', async () => {
    const { service, world } = rig();
    await synced(world);
    const lock = await acquireLock(`${path(world)}.lock`, 0);
    service.add('deposits');
    const running = { host: 'host-1', process: 100, since: '2026-01-05T09:00:00.000Z' };
    const printed = async (...argv: string[]) => JSON.parse((await run(world, ...argv, '-o', 'json')).stdout);
    const requests = service.requests.length;
    const { code, stdout, stderr } = await run(world, 'sync');
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('a sync by process 100 on host-1 has been running since 2026-01-05 09:00 UTC'),
    });
    expect(stdout).toMatch(/Running.*Host +Process +Since.*host-1 +100 +2026-01-05 10:00/s);
    expect(await printed('sync', 'status')).toMatchObject({ running });
    expect(service.requests.length).toBe(requests);
    lock?.release();
    expect(await printed('sync', 'status')).toMatchObject({ running: null });
    await synced(world);
    expect(query(world, 'SELECT count(*) AS n FROM deposits')).toEqual([{ n: 1 }]);
  });

  test('that does not exist', async () => {
    const { world } = rig();
    for (const command of ['status', 'forget'])
      expect(await run(world, 'sync', command)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('has not been copied to this machine yet'),
      });
  });
});
