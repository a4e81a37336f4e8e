import { followedWorkOf } from '../../engine/evidence/work-of.ts';
import { feeWithdrawal as aFeeWithdrawal } from '../../things/fee-withdrawal.ts';

export const feeWithdrawal = followedWorkOf(aFeeWithdrawal);
