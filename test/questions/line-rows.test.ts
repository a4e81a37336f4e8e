import { expect, test } from 'vitest';
import { simulatedAccount } from '../copy/ledger.ts';
import { run } from './reports.ts';

/** A figure of a report as JSON has it, without its asset. */
interface Printed {
  readonly value: string;
  readonly asset: string;
}

const FIGURES = {
  in: 'in',
  earned: 'earned',
  out: 'out',
  fees: 'fees',
  traded: 'traded',
  refunds: 'refunds',
  'in-transit': 'inFlight',
} as const;

const minorOf = ({ value }: Printed) => BigInt(value.replace('.', ''));

test('the rows of each figure add up to it, and a report of days with work under way has nothing to explain', async () => {
  const account = await simulatedAccount({ seed: 7, users: 40, days: 4 });
  await account.run('sync');
  const since = ['--since', '2026-10-02T00:00:00Z'];
  for (let day = 1; day <= 4; day++) {
    await account.live();
    await account.run('sync');
    const { code, stderr } = await run(account.world, 'report', ...since, '-o', 'json');
    expect({ code, stderr }, `day ${day}`).toEqual({ code: 0, stderr: '' });
  }
  const { assets } = JSON.parse(await account.run('report', ...since, '--by', 'asset', '-o', 'json'));
  let found = 0;
  for (const [figure, field] of Object.entries(FIGURES)) {
    const { rows } = JSON.parse(await account.run('report', ...since, '--rows', figure, '-o', 'json'));
    found += rows.length;
    for (const asset of assets) {
      const own = (rows as { amount: Printed }[]).filter(
        ({ amount }) => amount.asset === asset.asset && amount.value !== null,
      );
      const sum = own.reduce((all, { amount }) => all + minorOf(amount), 0n);
      // What the balance fell by is negative in a report.
      const isNegative = ['out', 'fees', 'in-transit'].includes(figure);
      if (asset[field].value !== null)
        expect(minorOf(asset[field]), `${figure} ${asset.asset}`).toBe(isNegative ? -sum : sum);
    }
  }
  expect(found).toBeGreaterThan(100);
});
