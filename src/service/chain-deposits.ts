import { Fault } from '../contract/faults.ts';
import { ledgerNetwork, type Network, networkOf, sameAddress } from '../contract/networks.ts';
import { amount, amountForPeople, type Token } from '../money/amount.ts';
import { bridgeNetworkOf } from './bridge-routes.ts';
import type { Context } from './context.ts';
import { type AccountRef, BRIDGING, balanceOf, hasRoomFor, post, walletAccount } from './ledger.ts';
import { schedule } from './machine.ts';
import { type BridgeRow, bridge } from './machines/bridge.ts';
import { accountAt, EVM_NETWORKS, type WalletRow, walletAt } from './wallets.ts';

/** Tokens sent to an address by somebody outside the service. */
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
  const address = sameAddress(deposit.address);
  const row = store.get<BridgeRow>('SELECT * FROM bridge WHERE receivable_address = ?', address);
  if (row && row.from_network === bridgeNetworkOf(deposit.network.key)?.key)
    return receiveForBridge(context, row, deposit);
  const wallet = walletAt(store, address);
  if (!wallet || !isOn(wallet, deposit.network))
    throw new Fault('NOT_FOUND', 'the sandbox has no such address on this network');
  const account = walletAccount(wallet.id, ledgerNetwork(deposit.network), deposit.asset);
  move(context, deposit, wallet.address, account);
  return { outcome: 'credited', reason: null };
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

/** One deposit of cNGN is taken, of any amount. Anything else stays with its sender, and the bridge waits on. Source: inferred. */
function receiveForBridge(context: Context, row: BridgeRow, deposit: TokenDeposit): TokenReceipt {
  if (deposit.asset !== row.asset) return { outcome: 'returned', reason: 'wrong_token' };
  if (row.received_base !== null) return { outcome: 'returned', reason: 'already_received' };
  move(context, deposit, row.request_id, BRIDGING);
  context.store.run(
    'UPDATE bridge SET received_base = ?, sender = ? WHERE id = ?',
    deposit.amountBase,
    deposit.from,
    row.id,
  );
  const isExpected = sameAddress(deposit.from) === sameAddress(row.from_address);
  schedule(context, bridge.name, row.id, isExpected ? 'deposit-seen' : 'deposit-refused', context.pace.bridgeSeen);
  return isExpected ? { outcome: 'bridging', reason: null } : { outcome: 'returned', reason: 'wrong_sender' };
}
