import { previewFees } from '../../contract/endpoints/fees.ts';
import { amount, fromWire, toWireNumber } from '../../money/amount.ts';
import type { Account } from '../account.ts';
import type { Mirror } from './database.ts';

/** How many amounts are asked for in one sync: fewer than the rate limit of a minute. */
const MOST = 40;

/**
 * The list of deposits does not say which fee was taken from the account's own deposits, so the service is asked what it takes from such an
 * amount, soon after the deposit. Without it, a report would show the fee as a movement that is in no list.
 */
export async function readDepositFees(account: Account, mirror: Mirror): Promise<void> {
  const rows = await mirror.read((queries) =>
    queries.all<{ amount_minor: bigint }>(
      `SELECT DISTINCT amount_minor FROM stored_deposits WHERE type = 'fintech_deposit' AND status = 'completed'
         AND fee_minor IS NULL AND funding_minor IS NULL AND amount_minor IS NOT NULL
         AND amount_minor NOT IN (SELECT amount_minor FROM stored_deposit_fees) ORDER BY amount_minor LIMIT ${MOST}`,
    ),
  );
  for (const { amount_minor: kobo } of rows) {
    const { result } = (
      await account.call(previewFees, { amount: toWireNumber(amount('NGN', kobo), 'kobo'), transactionType: 'onramp' })
    ).data;
    const fee = result?.finalFee == null ? undefined : fromWire(result.finalFee, 'kobo', 'NGN');
    if (!fee) continue;
    const at = new Date(account.world.clock.now()).toISOString();
    await mirror.write((queries) =>
      queries.run(
        'INSERT INTO stored_deposit_fees (amount_minor, fee_minor, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        ...[kobo, fee.minor, at],
      ),
    );
  }
}
