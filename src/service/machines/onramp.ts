import { amount } from '../../money/amount.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import { toWireText } from '../../money/units.ts';
import { type Context, isoTime, newTxHash } from '../context.ts';
import { collectFees } from '../fees.ts';
import { balanceOf, INCOMING, post, RESERVE, SUPPLY, walletAccount } from '../ledger.ts';
import { type Machine, schedule } from '../machine.ts';
import { emit } from '../outbox.ts';
import { managedWallet } from '../wallets.ts';

export interface OnrampRow {
  readonly id: bigint;
  readonly request_id: string;
  readonly fintech: bigint;
  readonly user: bigint;
  readonly wallet: bigint;
  readonly state: string;
  readonly base_kobo: bigint;
  readonly platform_fee_kobo: bigint;
  readonly fintech_fee_kobo: bigint;
  readonly platform_percent_millionths: bigint;
  readonly fintech_percent_millionths: bigint;
  readonly platform_capped: bigint;
  readonly fintech_capped: bigint;
  readonly sweep: bigint;
  readonly tx_hash: string | null;
  readonly created_at: bigint;
  readonly funding_requested_at: bigint | null;
  readonly funded_at: bigint | null;
  readonly completed_at: bigint | null;
}

/** Source: public for the states; interface for the 30 minutes and the exact amount. */
export const onramp: Machine<OnrampRow> = {
  name: 'onramp',
  table: 'onramp',
  transitions: [
    { on: 'account-ready', from: ['requested'], to: 'pending', effect: activateAccount },
    { on: 'paid', from: ['requested', 'pending'], to: 'processing', effect: acceptPayment },
    { on: 'expired', from: ['requested', 'pending'], to: 'failed', effect: expireAccount },
    { on: 'minted', from: ['processing'], to: 'funded', effect: mint },
    { on: 'delivered', from: ['funded'], to: 'completed', effect: deliver },
  ],
};

/** What the payer owes, in kobo: the requested amount and every fee on top. */
export function totalKobo(row: OnrampRow): bigint {
  return row.base_kobo + row.platform_fee_kobo + row.fintech_fee_kobo;
}

function setAccountStatus({ store }: Context, row: OnrampRow, status: string): void {
  store.run('UPDATE virtual_account SET status = ? WHERE onramp = ?', status, row.id);
}

function activateAccount(context: Context, row: OnrampRow): void {
  setAccountStatus(context, row, 'active');
}

function expireAccount(context: Context, row: OnrampRow): void {
  setAccountStatus(context, row, 'expired');
}

function acceptPayment(context: Context, row: OnrampRow): void {
  setAccountStatus(context, row, 'used');
  context.store.run('UPDATE onramp SET funding_requested_at = ? WHERE id = ?', context.nowMs, row.id);
  schedule(context, onramp.name, row.id, 'minted', context.pace.mint);
}

/** The payment becomes cNGN in the generated wallet; the fees stay in Naira. */
function mint(context: Context, row: OnrampRow): void {
  const { store, nowMs } = context;
  const base = cngnBaseFromKobo(row.base_kobo);
  const txHash = newTxHash(context);
  post(context, 'onramp.minted', row.request_id, [
    { account: INCOMING, minor: -totalKobo(row) },
    { account: RESERVE, minor: row.base_kobo },
    ...collectFees(context, row.fintech, 'onramp', row.platform_fee_kobo, row.fintech_fee_kobo),
    { account: SUPPLY, minor: -base },
    { account: walletAccount(row.wallet, 'base', 'CNGN'), minor: base },
  ]);
  store.run('UPDATE onramp SET funded_at = ?, tx_hash = ? WHERE id = ?', nowMs, txHash, row.id);
  store.run(
    `UPDATE deposit SET state = 'completed', tx_hash = ?, ended_at = ? WHERE onramp = ? AND state = 'processing'`,
    txHash,
    nowMs,
    row.id,
  );
  const wallet = store.get<{ address: string }>('SELECT address FROM wallet WHERE id = ?', row.wallet);
  const user = store.get<{ user_id: string }>('SELECT user_id FROM user WHERE id = ?', row.user);
  emit(context, {
    fintech: row.fintech,
    event: 'wallet.funding.completed',
    requestId: row.request_id,
    userId: user?.user_id ?? '',
    data: {
      walletAddress: wallet?.address,
      amount: toWireText(amount('CNGN', base), 'token'),
      transactionHash: txHash,
      completedAt: isoTime(nowMs),
    },
  });
  schedule(context, onramp.name, row.id, 'delivered', context.pace.deliver);
}

/** With sweep, the cNGN goes on to the user's default wallet, which is the managed one. */
function deliver(context: Context, row: OnrampRow): void {
  const generated = walletAccount(row.wallet, 'base', 'CNGN');
  // An offramp may have drawn on the wallet meanwhile: what is left is swept.
  const held = balanceOf(context.store, generated);
  if (row.sweep && held > 0n) {
    post(context, 'onramp.swept', row.request_id, [
      { account: generated, minor: -held },
      { account: walletAccount(managedWallet(context.store, row.user).id, 'base', 'CNGN'), minor: held },
    ]);
  }
  context.store.run('UPDATE onramp SET completed_at = ? WHERE id = ?', context.nowMs, row.id);
}
