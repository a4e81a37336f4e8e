import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { builtInProfile } from '../../src/account/profile.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { complete } from '../../src/commands/completion/complete.ts';
import { recentBanks, recentIds } from '../../src/copy/recent.ts';
import { main } from '../../src/main.ts';
import { bankAccounts } from '../../src/things/destinations.ts';
import { LISTS } from '../../src/things/index.ts';
import { orders } from '../../src/things/market.ts';
import type { ServiceList } from '../../src/things/thing.ts';
import { users } from '../../src/things/users.ts';
import { ACCOUNT, type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';
import { type MovingService, movingService } from './moving-service.ts';

const PROFILE = { ...builtInProfile(), name: 'environment', mode: 'live' } as const;
/** Eleven digits, as a BVN has. */
const BVN = '22212345678';

function rig() {
  const clock = fakeClock();
  const service = movingService(clock.now);
  const world = fakeWorld({ clock, network: (...given) => service.exchange(...given), env: ACCOUNT });
  return { service, world };
}

async function synced(world: FakeWorld, ...more: string[]): Promise<void> {
  expect(await main(['sync', '-q', ...more], world), world.stderr.text()).toBe(0);
}

function addUser(service: MovingService, firstName: string, lastName: string): string {
  const row = service.add('users');
  Object.assign(row, { firstName, lastName });
  return String(row['userId']);
}

const offered = (world: FakeWorld, list: unknown, start = '') =>
  recentIds(world, PROFILE, (list as ServiceList).name, start);

const idsOf = async (world: FakeWorld, list: unknown, start = '') =>
  (await offered(world, list, start)).map(({ id }) => id).toSorted();

/** What the shell is offered for a line. */
async function completed(world: FakeWorld, ...words: string[]): Promise<string[]> {
  const before = world.stdout.text().length;
  expect(await complete(words, CATALOGUE, world)).toBe(0);
  return world.stdout.text().slice(before).split('\n').filter(Boolean);
}

describe('what the copy of the account offers', () => {
  test.each(LISTS.map((list) => [list.name, list] as const))('ids of %s, newest first', async (name, list) => {
    const { service, world } = rig();
    const older = service.add(name, 60_000);
    const newer = service.add(name);
    await synced(world);
    const ids = [newer, older].map((row) => String(row[list.id]));
    expect((await offered(world, list)).map(({ id }) => id)).toEqual(ids);
    expect(await idsOf(world, list, ids[1])).toEqual([ids[1]]);
  });

  test('an id by its start, and whoever has a name that begins so', async () => {
    const { service, world } = rig();
    const ngozi = addUser(service, 'NGOZI', 'EZE');
    const ada = addUser(service, 'Ada', 'Ọ́bi');
    const other = addUser(service, 'UCHE', 'SOLANA');
    await synced(world);
    expect(await idsOf(world, users)).toEqual([ngozi, ada, other].toSorted());
    expect(await idsOf(world, users, ngozi)).toEqual([ngozi]);
    expect(await idsOf(world, users, 'ngo')).toEqual([ngozi]);
    expect(await idsOf(world, users, 'eze')).toEqual([ngozi]);
    // The start of a word, and not the middle of one.
    expect(await idsOf(world, users, 'gozi')).toEqual([]);
    expect(await offered(world, users, 'ngo')).toEqual([{ id: ngozi, about: 'NGOZI EZE' }]);
    expect(await completed(world, 'users', 'show', 'ngo')).toEqual([expect.stringContaining(ngozi)]);
  });

  test('a row without names by what tells it from others', async () => {
    const { service, world } = rig();
    const [first, second] = [service.add('fx_orders'), service.add('fx_orders')];
    Object.assign(first, { side: 'sell', price: '1500.000000' });
    await synced(world);
    expect(await idsOf(world, orders, 'sel')).toEqual([first['orderId']]);
    expect(await idsOf(world, orders, 'buy')).toEqual([second['orderId']]);
    expect((await offered(world, orders, 'sel'))[0]?.about).toMatch(/^sell CNGN-USDC .*active$/);
  });

  test('banks of the saved accounts', async () => {
    const { service, world } = rig();
    Object.assign(service.add('bank_accounts'), { bankCode: '000013', bankName: 'GTBANK PLC' });
    service.add('bank_accounts');
    await synced(world);
    expect(await recentBanks(world, PROFILE)).toEqual([{ id: '000013', about: 'GTBANK PLC' }]);
  });

  test('no bank whose code a shell would run, and no control characters of its name', async () => {
    const { service, world } = rig();
    Object.assign(service.add('bank_accounts'), { bankCode: '$(touch x)', bankName: 'A BANK' });
    Object.assign(service.add('bank_accounts'), { bankCode: '000014', bankName: 'B\u001b[31mBANK' });
    await synced(world);
    expect(await recentBanks(world, PROFILE)).toEqual([{ id: '000014', about: 'B [31mBANK' }]);
  });

  test('at most 100 ids, the newest', async () => {
    const { service, world } = rig();
    for (let at = 0; at < 120; at++) service.add('bank_accounts', (120 - at) * 60_000);
    await synced(world);
    const ids = (await offered(world, bankAccounts)).map(({ id }) => id);
    expect(ids).toHaveLength(100);
    expect([ids[0], ids.at(-1)]).toEqual(['bank_accounts-120', 'bank_accounts-21']);
  });
});

describe('what the copy of the account does not offer', () => {
  test('rows that are gone, and those that only an event told of', async () => {
    const { service, world } = rig();
    const [gone, stays] = [addUser(service, 'NGOZI', 'EZE'), addUser(service, 'NGOZI', 'OBI')];
    await synced(world);
    service.remove(
      'users',
      (service.rows['users'] ?? []).findIndex((row) => row['userId'] === gone),
    );
    await synced(world, '--full');
    expect(await idsOf(world, users)).toEqual([stays]);
    expect(await idsOf(world, users, gone)).toEqual([]);
    expect(await idsOf(world, users, 'ngo')).toEqual([stays]);
    const database = new DatabaseSync(join(world.stateDir, 'copy-environment.db'));
    database.exec('UPDATE stored_users SET digest = NULL');
    database.close();
    for (const start of ['', stays, 'ngo']) expect(await idsOf(world, users, start), start).toEqual([]);
  });

  test('numbers that look like a BVN, as an id or in a description', async () => {
    const { service, world } = rig();
    service.add('users')['userId'] = BVN;
    const shown = addUser(service, `ADA ${BVN}`, 'OBI');
    await synced(world);
    expect(await offered(world, users)).toEqual([{ id: shown, about: 'ADA … OBI' }]);
    expect(await offered(world, users, BVN)).toEqual([]);
    expect((await completed(world, 'users', 'show', '')).join('\n')).not.toContain(BVN);
  });

  test('control characters, and ids that a shell would not take as they are', async () => {
    const { service, world } = rig();
    for (const id of ['a\u001b[31mb', 'a b', '-rf', '$(reboot)', 'a\u202eb']) service.add('users')['userId'] = id;
    const shown = addUser(service, 'ADA\u001b[31m\u202e', 'O\u0085BI\nEZE');
    await synced(world);
    expect(await offered(world, users)).toEqual([{ id: shown, about: 'ADA [31m  O BI EZE' }]);
    const lines = await completed(world, 'users', 'show', '');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[\x20-\x7e\t]+$/);
  });
});

test('no request is sent and no file is created, with a copy and without one', async () => {
  const { service, world } = rig();
  // SQLite's own, beside a file that is open, are no news.
  const isOfSqlite = (name: string) => /-(wal|shm)$/.test(name);
  const filesIn = () =>
    existsSync(world.stateDir)
      ? readdirSync(world.stateDir)
          .filter((name) => !isOfSqlite(name))
          .toSorted()
      : undefined;
  for (const start of ['', 'x']) expect(await offered(world, users, start)).toEqual([]);
  expect(await recentBanks(world, PROFILE)).toEqual([]);
  expect(await completed(world, 'users', 'show', '')).toEqual([]);
  expect([filesIn(), service.requests]).toEqual([undefined, []]);
  const id = addUser(service, 'NGOZI', 'EZE');
  await synced(world);
  const [files, requests] = [filesIn(), service.requests.length];
  expect(await completed(world, 'users', 'show', '')).toEqual([expect.stringContaining(id)]);
  expect(await completed(world, 'users', 'show', 'ngo')).toEqual([expect.stringContaining(id)]);
  expect([filesIn(), service.requests.length]).toEqual([files, requests]);
});
