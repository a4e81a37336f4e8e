import { type Context, hex, isoTime, orderedBytes } from '../context.ts';
import { createdPayload, openVirtualAccount } from '../deposits/virtual-accounts.ts';
import { emit } from '../events/deliveries.ts';
import type { Machine } from '../machine.ts';
import { insert, update } from '../rows.ts';
import { fullName } from '../values.ts';
import { bantuAddress, solanaAddress } from '../wallets/addresses.ts';

export interface OnboardingRow {
  readonly id: bigint;
  readonly request_id: string;
  readonly fintech: bigint;
  readonly user_id: string;
  readonly first_name: string;
  readonly middle_name: string;
  readonly last_name: string;
  readonly verifies: bigint;
  readonly state: string;
  readonly created_at: bigint;
  readonly ended_at: bigint | null;
}

const ONBOARDING_TABLE = `
CREATE TABLE onboarding (
  id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, user_id TEXT NOT NULL, bvn_digest TEXT NOT NULL,
  first_name TEXT NOT NULL, middle_name TEXT NOT NULL, last_name TEXT NOT NULL, verifies INTEGER NOT NULL,
  state TEXT NOT NULL, created_at INTEGER NOT NULL, ended_at INTEGER) STRICT;
-- Not partial: an index whose condition names the state would be written again with every state. A failed onboarding gives its digest up.
CREATE UNIQUE INDEX onboarding_bvn ON onboarding (bvn_digest);`;

/** Source: interface (end states), public (`processing`), inferred (that a failed BVN can be tried again). */
export const onboarding: Machine<OnboardingRow> = {
  name: 'onboarding',
  table: 'onboarding',
  schema: ONBOARDING_TABLE,
  transitions: [
    { on: 'verified', from: ['processing'], to: 'completed', stamp: 'ended_at', effect: createUser },
    { on: 'rejected', from: ['processing'], to: 'failed', stamp: 'ended_at', effect: releaseBvn },
  ],
};

/** Lets the BVN be tried again. */
function releaseBvn({ store }: Context, { id }: OnboardingRow): void {
  update(store, 'onboarding', id, { bvn_digest: `failed/${id}` });
}

function createUser(context: Context, row: OnboardingRow): void {
  const { store, nowMs } = context;
  const user = insert(store, 'user', {
    user_id: row.user_id,
    fintech: row.fintech,
    onboarding: row.id,
    first_name: row.first_name,
    middle_name: row.middle_name,
    last_name: row.last_name,
    active: 1,
    created_at: row.created_at,
    verified_at: nowMs,
  });
  store.run('UPDATE fintech SET users = users + 1 WHERE id = ?', row.fintech);
  createWallets(context, row.fintech, user);
  const account = openVirtualAccount(context, {
    kind: 'user_permanent',
    fintech: row.fintech,
    user,
    name: fullName({ first: row.first_name, middle: row.middle_name, last: row.last_name }),
    status: 'active',
  });
  const about = { fintech: row.fintech, requestId: row.request_id, userId: row.user_id };
  emit(context, {
    ...about,
    event: 'virtual.account.created',
    data: createdPayload(context, account),
  });
  emit(context, {
    ...about,
    event: 'user.onboarded',
    data: { userId: row.user_id, firstName: row.first_name, lastName: row.last_name, onboardedAt: isoTime(nowMs) },
  });
}

function createWallets(context: Context, fintech: bigint, user: bigint): void {
  const { store, nowMs } = context;
  // One statement: each costs as much as the rows that it inserts.
  store.run(
    `INSERT INTO wallet (address, fintech, user, kind, blockchain, token_buy, created_at)
     VALUES (?4, ?1, ?2, 'managed', 'base', 'CNGN', ?3), (?5, ?1, ?2, 'multi_chain', 'bantu', 'CNGN', ?3),
            (?6, ?1, ?2, 'multi_chain', 'solana', 'CNGN', ?3)`,
    fintech,
    user,
    nowMs,
    `0x${hex(orderedBytes(context, 20))}`,
    bantuAddress(orderedBytes(context, 32)),
    solanaAddress(orderedBytes(context, 32)),
  );
}
