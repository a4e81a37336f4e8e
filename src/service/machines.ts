// Written by `npm run lists`.
import { bridge } from './bridge/machine.ts';
import { deposit } from './deposits/machine.ts';
import { feeWithdrawal } from './fees/withdrawal-machine.ts';
import { trade, vault } from './fx/machine.ts';
import type { Machine } from './machine.ts';
import { offramp } from './offramp/machine.ts';
import { onramp } from './onramp/machine.ts';
import { payout } from './payout/machine.ts';
import { swap } from './swaps/machine.ts';
import { withdrawal } from './transfers/machine.ts';
import { onboarding } from './users/machine.ts';

/** Every state machine. */
export const MACHINES = [
  bridge,
  deposit,
  feeWithdrawal,
  trade,
  vault,
  offramp,
  onramp,
  payout,
  swap,
  withdrawal,
  onboarding,
] as unknown as readonly Machine<never>[];
