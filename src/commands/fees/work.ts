import { followedWorkOf } from '../../engine/operations/of-thing.ts';
import { feeWithdrawal as aFeeWithdrawal } from '../../things/fee-withdrawal.ts';

export const feeWithdrawal = followedWorkOf(aFeeWithdrawal);
