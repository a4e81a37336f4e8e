import type { Token } from '../../money/amount.ts';
import { type Call, newTxHash } from '../context.ts';
import type { WithdrawalRow } from './machine.ts';

/** A transfer of tokens out of a wallet, as recorded. */
interface NewWithdrawal {
  /** Null if the fintech sends its own tokens. */
  readonly user: bigint | null;
  readonly type: 'fintech_self_transfer' | 'fintech_user_withdrawal';
  readonly state: 'pending' | 'completed';
  readonly wallet: bigint;
  readonly destination: string;
  readonly asset: Token;
  /** The amount that leaves the wallet, including the fee. */
  readonly amountBase: bigint;
  readonly feeBase: bigint;
  /** The network on which the tokens leave the wallet. */
  readonly origin: string;
  readonly network: string;
  readonly note: string | null;
}

/** Records a withdrawal; the caller makes the postings. */
export function insertWithdrawal(call: Call, withdrawal: NewWithdrawal): WithdrawalRow {
  const { store, ids, nowMs, fintech } = call;
  const id = store.insert(
    `INSERT INTO withdrawal (request_id, fintech, user, type, state, wallet, destination, asset, amount_base, fee_base, origin, network, note,
       tx_hash, created_at, completed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ids.uuid(),
    fintech.id,
    withdrawal.user,
    withdrawal.type,
    withdrawal.state,
    withdrawal.wallet,
    withdrawal.destination,
    withdrawal.asset,
    withdrawal.amountBase,
    withdrawal.feeBase,
    withdrawal.origin,
    withdrawal.network,
    withdrawal.note,
    newTxHash(call),
    nowMs,
    withdrawal.state === 'completed' ? nowMs : null,
  );
  const row = store.get<WithdrawalRow>('SELECT * FROM withdrawal WHERE id = ?', id);
  if (!row) throw new Error('the new withdrawal cannot be read');
  return row;
}
