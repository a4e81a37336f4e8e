import { followedWorkOf } from '../../engine/evidence/of-thing.ts';
import { feeWithdrawal as aFeeWithdrawal } from '../../things/fee-withdrawal.ts';

export const feeWithdrawal = followedWorkOf(aFeeWithdrawal);
