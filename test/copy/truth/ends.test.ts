import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { inFile } from '../ledger.ts';
import { FIRST_DAY } from './campaign.ts';
import { postingsIn } from './postings.ts';
import { dayStart } from './reports.ts';
import { type Machine, type Served, served } from './rig.ts';

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
const START_MS = dayStart(FIRST_DAY) + 9 * HOUR_MS;
const isoAt = (atMs: number) => new Date(atMs).toISOString();

const inSandbox = ({ path }: Served, sql: string): readonly Record<string, unknown>[] => {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(sql).all();
  database.close();
  return rows;
};

/** When a row ended by a copy, and the other end of the time in which it did. */
const endsIn = ({ copyPath }: Machine, table: string) =>
  inFile(copyPath)(`SELECT ended_at, end_bound FROM stored_${table} ORDER BY created_at`);

async function must({ run }: Machine, ...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...argv);
  expect(code, stderr).toBe(0);
  return stdout;
}

test('an event says when a transfer failed whose list does not, and nothing else does', async () => {
  const service = await served(START_MS);
  const [listening, other] = [service.machine({ name: 'listening' }), service.machine({ name: 'other' })];
  const destinationAddress = '0x52908400098527886E0F7030069857D2E4169EE7';
  await service.call('wallets.add-external', {
    address: destinationAddress,
    blockchain: 'base',
    type: 'custodial',
    label: 'treasury',
  });
  const amount = { value: '1601', asset: 'CNGN' };
  await service.call('transactions.fintech-transfer', { destinationAddress, amount, ticker: 'CNGN' });
  await service.moveTo(START_MS + HOUR_MS);
  await listening.listen();
  for (const machine of [listening, other]) await must(machine, 'sync');
  const [returned] = inSandbox(service, `SELECT created_at AS at FROM posting_set WHERE event = 'withdrawal.returned'`);
  expect(endsIn(listening, 'withdrawals')).toEqual([[isoAt(Number(returned?.['at'])), 'null']]);
  expect(endsIn(other, 'withdrawals')).toEqual([[isoAt(START_MS), isoAt(START_MS + HOUR_MS)]]);
  // It stays so, and a row that an event told of is not asked for again.
  await must(listening, 'sync', '--full');
  expect(endsIn(listening, 'withdrawals')).toEqual([[isoAt(Number(returned?.['at'])), 'null']]);
});

test('the status of a trade says when it failed; of one that expired, or was completed, nothing does', async () => {
  const service = await served(START_MS);
  const machine = service.machine();
  const order = (value: string, idempotencyKey: string) =>
    service.call('fx.market-order', {
      pair: 'CNGN-USDC',
      side: 'buy',
      cngnAmount: { value, asset: 'CNGN' },
      idempotencyKey,
    });
  const values = ['1301', '1302', '1303', '1304', '2000'];
  for (const [index, value] of values.entries()) {
    await order(value, `key-${index}`);
    await service.moveTo(START_MS + (index + 1) * MINUTE_MS);
  }
  await service.moveTo(START_MS + 4 * HOUR_MS);
  await must(machine, 'sync');
  const is = inSandbox(service, 'SELECT failed_at, created_at FROM fx_trade WHERE fintech = 1 ORDER BY created_at');
  expect(is.filter((row) => row['failed_at'] !== null).length).toBeGreaterThan(1);
  expect(is.filter((row) => row['failed_at'] === null).length).toBeGreaterThan(1);
  expect(endsIn(machine, 'fx_trades')).toEqual(
    is.map(({ failed_at: failedAt, created_at: madeAt }) =>
      failedAt === null
        ? [isoAt(Number(madeAt)), isoAt(Number(madeAt) + 30 * MINUTE_MS)]
        : [isoAt(Number(failedAt)), 'null'],
    ),
  );
});

test('what users held between two readings is known if both agree with the lists, or disagree by as much', async () => {
  const service = await served(START_MS);
  await service.control('seed', { users: 2 });
  const machine = service.machine();
  const [user] = inSandbox(
    service,
    `SELECT wallet.address FROM wallet JOIN user ON user.id = wallet.user WHERE wallet.kind = 'managed' AND user.fintech = 1 ORDER BY user.id`,
  );
  const read = async () => {
    await must(machine, 'sync');
    await must(machine, 'report', 'owed', '--max-age', '0');
  };
  const hour = (count: number) => service.moveTo(START_MS + count * HOUR_MS);
  await read();
  await hour(1);
  await service.control('deposit', {
    address: user?.['address'],
    asset: 'USDC',
    amount: { value: '50', asset: 'USDC' },
    network: 'base',
    from: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  });
  for (const count of [2, 4, 6]) {
    await hour(count);
    await read();
  }
  await hour(7);
  await must(machine, 'sync');
  const known: unknown[] = [];
  for (const count of [0.5, 1.5, 3, 5, 6.5]) {
    const atMs = START_MS + count * HOUR_MS;
    const { owed } = JSON.parse(await must(machine, 'report', 'owed', '--at', isoAt(atMs), '-o', 'json')) as {
      owed: { asset: string; amount: { value: string | null; known?: { why: string } } }[];
    };
    const figure = owed.find(({ asset }) => asset === 'USDC')?.amount;
    known.push(figure?.known?.why ?? figure?.value);
    if (figure?.value)
      expect(BigInt(figure.value.replace('.', ''))).toBe(postingsIn(service.path).held(atMs).get('USDC'));
  }
  // Nothing says when they came, and what came after the last reading is not known either.
  expect(known).toEqual(['UNLISTED', 'UNLISTED', '50.000000', '50.000000', 'NOT_READ']);
});
