import { Fault } from '../../contract/faults.ts';
import { ledgerNetwork, type Network, networkOf, sameAddress } from '../../contract/networks.ts';
import { amount, amountForPeople, type Token } from '../../money/amount.ts';
import type { Database } from '../../sqlite/database.ts';
import { type BridgeRow, bridge, bridgeNetworkOf } from '../bridge/machine.ts';
import type { Context } from '../context.ts';
import { type AccountRef, BRIDGING, balanceOf, hasRoomFor, post, walletAccount } from '../ledger.ts';
import { schedule } from '../machine.ts';
import { update } from '../rows.ts';
import { accountAt, EVM_NETWORKS, type WalletRow, walletAt } from '../wallets/wallets.ts';

/** Tokens sent to an address, from outside or from a wallet of the service. */
interface TokenDeposit {
  readonly address: string;
  readonly network: Network;
  readonly asset: Token;
  readonly amountBase: bigint;
  readonly from: string;
}

/** The outcome: credited to a wallet, in a bridge, or returned to the sender with a reason. */
interface TokenReceipt {
  readonly outcome: 'credited' | 'bridging' | 'returned';
  readonly reason: 'wrong_sender' | 'wrong_token' | 'already_received' | null;
}

/**
 * Posts tokens that arrive at an address of the sandbox. Throws Fault NOT_FOUND if the address is unknown on that
 * network.
 */
export function receiveTokens(context: Context, deposit: TokenDeposit): TokenReceipt {
  const { store } = context;
  const row = bridgeReceivingAt(store, deposit.address, deposit.network);
  if (row) return receiveForBridge(context, row, deposit);
  const wallet = walletAt(store, deposit.address);
  if (!wallet || !isOn(wallet, deposit.network))
    throw new Fault('NOT_FOUND', 'the sandbox has no such address on this network');
  const account = walletAccount(wallet.id, ledgerNetwork(deposit.network), deposit.asset);
  move(context, deposit, wallet.address, account);
  return { outcome: 'credited', reason: null };
}

/**
 * Returns the account for tokens that a wallet of the service sends to an address on its own network; the caller posts
 * them. Tokens sent to the receivable address of a bridge are recorded as its deposit, and are returned if the bridge
 * expects another sender. Throws VALIDATION_ERROR if the bridge would not accept the deposit. Source: inferred.
 */
export function accountReceiving(context: Context, deposit: TokenDeposit): AccountRef {
  const row = bridgeReceivingAt(context.store, deposit.address, deposit.network);
  if (!row) return accountAt(context.store, deposit.address, ledgerNetwork(deposit.network), deposit.asset);
  const reason = rejectionOf(row, deposit.asset);
  if (reason) throw new Fault('VALIDATION_ERROR', `the bridge at ${deposit.address} ${REJECTIONS[reason]}`);
  noteDeposit(context, row, deposit);
  return BRIDGING;
}

/**
 * Returns the bridge transaction with this receivable address, open or not; undefined on any network but its source.
 */
export function bridgeReceivingAt(store: Database, address: string, network: Network): BridgeRow | undefined {
  const row = store.get<BridgeRow>('SELECT * FROM bridge WHERE receivable_address = ?', sameAddress(address));
  return row && row.from_network === bridgeNetworkOf(network.key)?.key ? row : undefined;
}

const REJECTIONS = { wrong_token: 'accepts only cNGN', already_received: 'has already received its deposit' } as const;

/** Returns why a bridge rejects a deposit: it accepts a single deposit of cNGN, of any amount. Source: inferred. */
function rejectionOf(row: BridgeRow, asset: Token): keyof typeof REJECTIONS | undefined {
  if (asset !== row.asset) return 'wrong_token';
  return row.received_base === null ? undefined : 'already_received';
}

/** An EVM wallet has the same address on every EVM network. */
function isOn({ blockchain }: WalletRow, network: Network): boolean {
  const home = networkOf(blockchain);
  return home?.form === 'evm' ? EVM_NETWORKS.some((key) => key === ledgerNetwork(network)) : home?.key === network.key;
}

/** Moves tokens from the sender's account: outside on the chain, or a wallet of the sandbox with enough balance. */
function move(context: Context, deposit: TokenDeposit, subject: string, to: AccountRef): void {
  const { asset, amountBase, network } = deposit;
  const source = accountAt(context.store, deposit.from, ledgerNetwork(network), asset);
  const held = balanceOf(context.store, source);
  if (source.code === to.code)
    throw new Fault('VALIDATION_ERROR', 'from: expected an address other than the destination');
  if (source.mayBeNegative && !hasRoomFor(held, amountBase))
    throw new Fault('VALIDATION_ERROR', `amount: the sandbox cannot hold more ${asset}`);
  if (!source.mayBeNegative && held < amountBase)
    throw new Fault(
      'VALIDATION_ERROR',
      `from: expected a wallet with enough tokens; this one has ${amountForPeople(amount(asset, held))}`,
    );
  post(context, 'tokens.received', subject, [
    { account: source, minor: -amountBase },
    { account: to, minor: amountBase },
  ]);
}

/** A rejected deposit stays with its sender, and the bridge keeps waiting. Source: inferred. */
function receiveForBridge(context: Context, row: BridgeRow, deposit: TokenDeposit): TokenReceipt {
  const reason = rejectionOf(row, deposit.asset);
  if (reason) return { outcome: 'returned', reason };
  move(context, deposit, row.request_id, BRIDGING);
  return noteDeposit(context, row, deposit)
    ? { outcome: 'bridging', reason: null }
    : { outcome: 'returned', reason: 'wrong_sender' };
}

/** Records what a bridge received and schedules its reaction. Returns false if the sender is not the expected one. */
function noteDeposit(context: Context, row: BridgeRow, { amountBase, from }: TokenDeposit): boolean {
  update(context.store, 'bridge', row.id, { received_base: amountBase, sender: from });
  const isExpected = sameAddress(from) === sameAddress(row.from_address);
  schedule(context, bridge.name, row.id, isExpected ? 'deposit-seen' : 'deposit-refused', context.pace.bridgeDetected);
  return isExpected;
}
