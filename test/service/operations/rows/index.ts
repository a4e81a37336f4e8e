import { rows as banks } from './banks.ts';
import { rows as bridge } from './bridge.ts';
import { rows as fees } from './fees.ts';
import { rows as fx } from './fx.ts';
import { rows as history } from './history.ts';
import { rows as management } from './management.ts';
import { rows as ramps } from './ramps.ts';
import { rows as sandbox } from './sandbox.ts';
import { rows as swaps } from './swaps.ts';
import { rows as transfers } from './transfers.ts';
import { rows as users } from './users.ts';
import { rows as wallets } from './wallets.ts';

/** All groups; each runs in its own sandbox. */
export const groups = [ramps, users, transfers, history, swaps, bridge, wallets, banks, fees, management, fx, sandbox];
