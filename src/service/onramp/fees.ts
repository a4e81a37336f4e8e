import { amount } from '../../money/amount.ts';
import { percentToWire } from '../../money/rates.ts';
import { toWireNumber } from '../../money/units.ts';
import { gatewayFee } from '../fees/fees.ts';
import { type OnrampRow, totalFeeKobo, totalKobo } from './machine.ts';

const naira = (kobo: bigint) => toWireNumber(amount('NGN', kobo), 'naira');

/** The fees of an onramp in short form. With a gateway fee it has the older shape, which repeats the fees in long form. */
export function feesInShort(row: OnrampRow) {
  const gateway = gatewayFee(row.base_kobo);
  return {
    baseAmount: naira(row.base_kobo),
    fintechFee: naira(row.fintech_fee_kobo),
    platformFee: naira(row.platform_fee_kobo),
    totalFee: naira(totalFeeKobo(row)),
    totalAmount: naira(totalKobo(row)),
    ...(gateway ? { gatewayFee: naira(gateway.kobo), breakdown: feesInFull(row) } : {}),
  };
}

/** The fees of an onramp in long form. */
export function feesInFull(row: OnrampRow) {
  const gateway = gatewayFee(row.base_kobo);
  return {
    userRequestedAmount: naira(row.base_kobo),
    fintechFeeAmount: naira(row.fintech_fee_kobo),
    fintechFeePercentage: percentToWire(row.fintech_percent_millionths),
    fintechFeeCapped: row.fintech_capped === 1n,
    platformFeeAmount: naira(row.platform_fee_kobo),
    platformFeePercentage: percentToWire(row.platform_percent_millionths),
    platformFeeCapped: row.platform_capped === 1n,
    ...(gateway ? { gatewayFeeAmount: naira(gateway.kobo), gatewayFeePercentage: percentToWire(gateway.percent) } : {}),
    totalFeeAmount: naira(totalFeeKobo(row)),
    finalAmount: naira(totalKobo(row)),
    amountToWallet: naira(row.base_kobo),
  };
}
