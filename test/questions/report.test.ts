import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FakeWorld } from '../support/world.ts';
import { account, COLD, HOUR_MS, MINUTE_MS, minorOf, must, pass, report, run, topUp } from './reports.ts';

/** What happens, and how much time passes after it. */
type Happening = { readonly what: string; readonly amount: number; readonly to: number; readonly minutes: number };

const happening: fc.Arbitrary<Happening> = fc.record({
  what: fc.constantFrom('deposit', 'payout', 'transfer', 'buy', 'sell', 'fees', 'sync'),
  amount: fc.integer({ min: 1_000, max: 20_000 }),
  to: fc.nat(20),
  // Two things at one moment have no order.
  minutes: fc.integer({ min: 1, max: 600 }),
});

async function happens({ world, ids, accountNumber }: Awaited<ReturnType<typeof account>>, each: Happening) {
  const { what, amount, to, minutes } = each;
  const sum = String(amount);
  const lines: Record<string, string[]> = {
    deposit: ['sandbox', 'pay', accountNumber, '--amount', sum, '--sender', 'HARMATTAN PAY'],
    payout: ['payout', 'create', '--amount', sum, '--to', ids[to % ids.length] ?? '', '--yes', '--again'],
    transfer: [
      'transfers',
      'create',
      '--amount',
      String((amount % 50) + 1),
      '--token',
      'USDC',
      '--to',
      COLD,
      '--yes',
      '--again',
    ],
    buy: ['fx', 'trade', '--pair', 'CNGN-USDC', '--side', 'buy', '--amount', sum, '--yes'],
    sell: ['fx', 'trade', '--pair', 'CNGN-USDT', '--side', 'sell', '--amount', sum, '--yes'],
    fees: ['fees', 'withdraw', '--amount', String((amount % 500) + 10), '--to', 'default', '--yes', '--again'],
    sync: ['sync'],
  };
  const { code, stderr } = await run(world, ...(lines[what] ?? []));
  // What the service refuses moves nothing.
  expect([0, 3, 8, 9], `${what}: ${stderr}`).toContain(code);
  await pass(world, minutes * MINUTE_MS);
}

/** What the sandbox's ledger has for the account: tokens of its wallets, and fees that it can withdraw. */
function ledger({ stateDir }: FakeWorld): Record<string, bigint> {
  const database = new DatabaseSync(join(stateDir, 'sandbox.db'), { readOnly: true });
  const statement = database.prepare(`SELECT a.asset, sum(a.balance) AS minor FROM account a
    WHERE a.code LIKE 'fees/fintech/1/%' OR EXISTS (SELECT 1 FROM wallet w WHERE w.fintech = 1 AND w.kind IN ('fintech', 'vault')
      AND a.code LIKE 'wallet/' || w.id || '/%') GROUP BY 1`);
  statement.setReadBigInts(true);
  const rows = statement.all() as { asset: string; minor: bigint }[];
  database.close();
  return Object.fromEntries(rows.map(({ asset, minor }) => [asset, minor]));
}

describe('the report of a month', () => {
  test('equals the ledger of the service, asset by asset, to the last unit, and explains every movement', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 5, maxLength: 25 }), async (history) => {
        const at = await account();
        const before = ledger(at.world);
        for (const each of history) await happens(at, each);
        await must(at.world, 'sandbox', 'settle');
        await pass(at.world, 4 * HOUR_MS);
        await must(at.world, 'sync');
        // Since the first sync: what was before, nothing says.
        const { code, assets, stderr } = await report(at.world, '--since', at.syncedAt, '--complete');
        const after = ledger(at.world);
        const closing = Object.fromEntries(assets.map((each) => [each.asset, minorOf(each.closing)]));
        const opening = Object.fromEntries(assets.map((each) => [each.asset, minorOf(each.opening)]));
        for (const asset of Object.keys(closing)) {
          expect({ asset, minor: closing[asset] }).toEqual({ asset, minor: after[asset] ?? 0n });
          // The seed gave what the account has; nothing moved in this month before.
          expect({ asset, minor: opening[asset] }).toEqual({ asset, minor: before[asset] ?? 0n });
        }
        expect(assets.map(({ unlisted }) => minorOf(unlisted))).toEqual(assets.map(() => 0n));
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      }),
      { numRuns: Number(process.env['FIATRAIL_SOAK_REPORTS'] ?? 2) },
    );
  }, 600_000);

  test('shows a movement that no list has as the difference, until a person accepts it', async () => {
    const { world, syncedAt } = await account();
    await must(world, 'sync');
    await topUp(world, 25);
    await pass(world, HOUR_MS);
    await must(world, 'sync');
    const found = await report(world);
    expect(found.code).toBe(9);
    expect(found.stderr).toContain('25.00 USDC that no list shows');
    // Of the time before the first sync, no balance says it.
    expect(found.of('USDC')?.unlisted).toMatchObject({ value: null, known: { why: 'BEFORE_FIRST_SYNC' } });
    const since = new Date(Date.parse(syncedAt) + MINUTE_MS - 1).toISOString();
    expect((await report(world, '--since', since)).of('USDC')?.unlisted.value).toBe('25.000000');
    await must(world, 'report', 'accept', 'USDC', '--reason', 'top-up from the exchange', '--yes');
    expect((await report(world)).code).toBe(0);
    expect((await run(world, 'report', 'accept', 'USDC', '--reason', 'again', '--yes')).code).toBe(2);
  });
});
