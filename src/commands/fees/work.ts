import { followedWorkOf } from '../../engine/operations/work-of.ts';
import { feeWithdrawal as aFeeWithdrawal } from '../../things/fee-withdrawal.ts';

export const feeWithdrawal = followedWorkOf(aFeeWithdrawal);
