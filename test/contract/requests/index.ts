import * as banks from './banks.ts';
import * as bridge from './bridge.ts';
import * as fees from './fees.ts';
import * as fx from './fx.ts';
import * as history from './history.ts';
import * as management from './management.ts';
import * as ramps from './ramps.ts';
import * as swaps from './swaps.ts';
import * as transfers from './transfers.ts';
import * as users from './users.ts';
import * as wallets from './wallets.ts';

const all = [banks, bridge, fees, fx, history, management, ramps, swaps, transfers, users, wallets];

export const good = all.flatMap((group) => group.good);
export const bad = all.flatMap((group) => group.bad);
