import { expect, test, vi } from 'vitest';
import { pay, ruledMachine, SAVED } from '../rules/support.ts';

// What another process records after the rules were asked is not in the sum that they read.
vi.mock('../../src/journal/open.ts', async (load) => {
  const real = await load<typeof import('../../src/journal/open.ts')>();
  const openJournalAt: typeof real.openJournalAt = async (...given) => ({
    ...(await real.openJournalAt(...given)),
    spent: async () => 0n,
  });
  return { ...real, openJournalAt };
});

test('the journal stops a payment that another one left no room for after the rules were asked', async () => {
  const { sends, stops, recorded } = await ruledMachine(['--max-per-day', 'NGN 1000', '--max-per-month', 'NGN 5000']);
  await sends(pay('600'));
  await stops(
    pay('400.01'),
    'RULE_AMOUNT',
    'rule max-per-day: ₦400.01 is above the ₦400.00 that is left of ₦1,000.00 today',
  );
  await stops(
    ['payout', 'create', '--amount', '400.000001', '--to', SAVED, '--yes'],
    'RULE_AMOUNT',
    'rule max-per-day: 400.000001 cNGN is above the ₦400.00 that is left of ₦1,000.00 today',
  );
  await sends(pay('400'));
  expect(recorded()).toHaveLength(2);
});
