// Written by `npm run lists`.
import { offramp, payout, payouts } from './bank-transfers.ts';
import { bridgeTransfer, bridgeTransfers } from './bridge-transfer.ts';
import { deposit, deposits, userDeposit } from './deposits.ts';
import { bankAccount, bankAccounts, externalWallet, externalWallets } from './destinations.ts';
import { feeWithdrawal, feeWithdrawals } from './fee-withdrawal.ts';
import { order, orders, trade, trades } from './market.ts';
import { onramp } from './onramp.ts';
import { swap, swaps } from './swap.ts';
import type { ServiceList, Thing } from './thing.ts';
import { transfer, withdrawal, withdrawals } from './token-transfers.ts';
import { onboarding, user, users } from './users.ts';

/** Every kind of thing that a list or an endpoint of the service has. */
export const RECORDS: readonly Thing[] = [
  offramp,
  payout,
  bridgeTransfer,
  deposit,
  userDeposit,
  bankAccount,
  externalWallet,
  feeWithdrawal,
  order,
  trade,
  onramp,
  swap,
  transfer,
  withdrawal,
  onboarding,
  user,
];

/** Every list of the service. */
export const LIST_RECORDS = [
  payouts,
  bridgeTransfers,
  deposits,
  bankAccounts,
  externalWallets,
  feeWithdrawals,
  orders,
  trades,
  swaps,
  withdrawals,
  users,
] as unknown as readonly ServiceList[];
