import { Fault } from '../contract/faults.ts';
import { ledgerNetwork, type Network, networkOf, sameAddress } from '../contract/networks.ts';
import { amount, amountForPeople, type Token } from '../money/amount.ts';
import type { Database } from '../sqlite/database.ts';
import { bridgeNetworkOf } from './bridge-routes.ts';
import type { Context } from './context.ts';
import { type AccountRef, BRIDGING, balanceOf, hasRoomFor, post, walletAccount } from './ledger.ts';
import { schedule } from './machine.ts';
import { type BridgeRow, bridge } from './machines/bridge.ts';
import { accountAt, EVM_NETWORKS, type WalletRow, walletAt } from './wallets.ts';

/** Tokens sent to an address: by somebody outside, or by a wallet of the service. */
export interface TokenDeposit {
  readonly address: string;
  readonly network: Network;
  readonly asset: Token;
  readonly amountBase: bigint;
  readonly from: string;
}

/** What became of it: in a wallet, on its way over a bridge, or back at the sender with the reason. */
export interface TokenReceipt {
  readonly outcome: 'credited' | 'bridging' | 'returned';
  readonly reason: 'wrong_sender' | 'wrong_token' | 'already_received' | null;
}

/** Books tokens that arrive at an address of the sandbox. Throws Fault NOT_FOUND for an address nobody has on that network. */
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
 * The account for tokens that a wallet of the service sends to an address on its own network. At the receivable address of a bridge they
 * are its deposit, and are noted as that: from another sender than it expects they come back to their wallet. The posting is the caller's.
 * Throws VALIDATION_ERROR for what the bridge would leave with its sender. Source: inferred.
 */
export function accountReceiving(context: Context, deposit: TokenDeposit): AccountRef {
  const row = bridgeReceivingAt(context.store, deposit.address, deposit.network);
  if (!row) return accountAt(context.store, deposit.address, ledgerNetwork(deposit.network), deposit.asset);
  const reason = notTaken(row, deposit.asset);
  if (reason) throw new Fault('VALIDATION_ERROR', `the bridge at ${deposit.address} ${NOT_TAKEN[reason]}`);
  noteDeposit(context, row, deposit);
  return BRIDGING;
}

/** The bridge transaction that waits at an address, or waited there; undefined on any other network than its source. */
export function bridgeReceivingAt(store: Database, address: string, network: Network): BridgeRow | undefined {
  const row = store.get<BridgeRow>('SELECT * FROM bridge WHERE receivable_address = ?', sameAddress(address));
  return row && row.from_network === bridgeNetworkOf(network.key)?.key ? row : undefined;
}

const NOT_TAKEN = { wrong_token: 'takes cNGN only', already_received: 'had its one deposit already' } as const;

/** Why a bridge leaves a deposit with its sender, whoever that is: one deposit of cNGN is taken, of any amount. Source: inferred. */
function notTaken(row: BridgeRow, asset: Token): keyof typeof NOT_TAKEN | undefined {
  if (asset !== row.asset) return 'wrong_token';
  return row.received_base === null ? undefined : 'already_received';
}

/** A wallet of an EVM chain has its address on all of them. */
function isOn({ blockchain }: WalletRow, network: Network): boolean {
  const home = networkOf(blockchain);
  return home?.form === 'evm' ? EVM_NETWORKS.some((key) => key === ledgerNetwork(network)) : home?.key === network.key;
}

/** From where the sender has them: outside on the chain, or in a wallet of the sandbox, which must hold so many. */
function move(context: Context, deposit: TokenDeposit, subject: string, to: AccountRef): void {
  const { asset, amountBase, network } = deposit;
  const source = accountAt(context.store, deposit.from, ledgerNetwork(network), asset);
  const held = balanceOf(context.store, source);
  if (source.code === to.code)
    throw new Fault('VALIDATION_ERROR', 'from: expected another address than the one it goes to');
  if (source.mayBeNegative && !hasRoomFor(held, amountBase))
    throw new Fault('VALIDATION_ERROR', `amount: the sandbox holds as much ${asset} as it can`);
  if (!source.mayBeNegative && held < amountBase)
    throw new Fault('VALIDATION_ERROR', `from: this wallet holds ${amountForPeople(amount(asset, held))}`);
  post(context, 'tokens.received', subject, [
    { account: source, minor: -amountBase },
    { account: to, minor: amountBase },
  ]);
}

/** What is not taken stays with its sender, and the bridge waits on. Source: inferred. */
function receiveForBridge(context: Context, row: BridgeRow, deposit: TokenDeposit): TokenReceipt {
  const reason = notTaken(row, deposit.asset);
  if (reason) return { outcome: 'returned', reason };
  move(context, deposit, row.request_id, BRIDGING);
  return noteDeposit(context, row, deposit)
    ? { outcome: 'bridging', reason: null }
    : { outcome: 'returned', reason: 'wrong_sender' };
}

/** Notes what a bridge has received, and lets it see it: false from another sender than the one it expects. */
function noteDeposit(context: Context, row: BridgeRow, { amountBase, from }: TokenDeposit): boolean {
  context.store.run('UPDATE bridge SET received_base = ?, sender = ? WHERE id = ?', amountBase, from, row.id);
  const isExpected = sameAddress(from) === sameAddress(row.from_address);
  schedule(context, bridge.name, row.id, isExpected ? 'deposit-seen' : 'deposit-refused', context.pace.bridgeSeen);
  return isExpected;
}
