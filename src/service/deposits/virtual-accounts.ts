import type { EventPayload } from '../../contract/event-payloads.ts';
import { VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import { type Context, isoTime } from '../context.ts';
import { insert } from '../rows.ts';

export interface VirtualAccountRow {
  readonly id: bigint;
  readonly number: string;
  readonly kind: 'fintech_permanent' | 'user_permanent' | 'temporary';
  readonly fintech: bigint;
  /** Null for the fintech's own account. */
  readonly user: bigint | null;
  readonly onramp: bigint | null;
  readonly name: string;
  readonly status: string;
  readonly expires_at: bigint | null;
  readonly created_at: bigint;
}

interface NewVirtualAccount {
  readonly kind: VirtualAccountRow['kind'];
  readonly fintech: bigint;
  readonly user?: bigint;
  readonly onramp?: bigint;
  readonly name: string;
  readonly status: string;
  readonly expiresAtMs?: number;
}

// The step and the range share no factor, so counting in steps visits every number once, in no obvious order.
const FIRST_NUMBER = 7_000_000_000;
const NUMBERS = 1_000_000_000;
const STEP = 387_420_489;

/** Opens an account with a unique 10-digit number. */
export function openVirtualAccount({ store, nowMs }: Context, account: NewVirtualAccount): OpenedAccount {
  const id = (store.get<{ last: bigint | null }>('SELECT MAX(id) AS last FROM virtual_account')?.last ?? 0n) + 1n;
  const number = accountNumberAt(id);
  insert(store, 'virtual_account', {
    id,
    number,
    kind: account.kind,
    fintech: account.fintech,
    user: account.user,
    onramp: account.onramp,
    name: account.name,
    status: account.status,
    expires_at: account.expiresAtMs,
    created_at: nowMs,
  });
  return { id, number, name: account.name };
}

function accountNumberAt(position: bigint): string {
  return String(BigInt(FIRST_NUMBER) + ((position * BigInt(STEP)) % BigInt(NUMBERS)));
}

type OpenedAccount = Pick<VirtualAccountRow, 'id' | 'number' | 'name'>;

/** What the event `virtual.account.created` contains about an account that was just opened. */
export function createdPayload(
  { nowMs }: Context,
  { id, number, name }: OpenedAccount,
): EventPayload<'virtual.account.created'> {
  return {
    vaId: id.toString(),
    accountNumber: number,
    bankName: VIRTUAL_ACCOUNT_BANK.name,
    accountName: name,
    createdAt: isoTime(nowMs),
  };
}
