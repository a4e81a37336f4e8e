import { PAIRS, SIDES } from '../../contract/fx.ts';
import { networkOf } from '../../contract/networks.ts';
import { amount as amountOf, toWireNumber, toWireText } from '../../money/amount.ts';
import { banksOperations } from '../banks/operation.ts';
import { bridgeOperations } from '../bridge/operation.ts';
import { receivePayment } from '../deposits/deposits.ts';
import { feesOperations, WITHDRAWAL_LIMITS_KOBO } from '../fees/operation.ts';
import { feeWithdrawalsOperations } from '../fees/withdrawals.ts';
import { fxTradesOperations } from '../fx/trade-operations.ts';
import { balanceOf, fintechFees, walletAccount } from '../ledger.ts';
import { payoutsOperations } from '../payout/operation.ts';
import { receiveTokens } from '../transfers/chain-deposits.ts';
import { transfersOperations } from '../transfers/operation.ts';
import { accountHolder } from '../values.ts';
import { externalWalletsOperations } from '../wallets/external-wallets.ts';
import { smartWallet } from '../wallets/wallets.ts';
import {
  type Act,
  type Life,
  MINUTE_MS,
  naira,
  outsideAddress,
  SECOND_MS,
  tokens,
  wayOf,
  wholeTokens,
} from './life.ts';
import { FAILURES } from './rates.ts';
import { ACCOUNTS, CHAIN_FAILS_BASE } from './users.ts';

/** What the account does for itself, and what is done to it. */

const CUSTOMERS = ['DANGOTE RETAIL LTD', 'KADUNA MILLS PLC', 'LEKKI HOMES LTD', 'IBADAN FOODS LTD'] as const;

/** A bank transfer into the account's own virtual account. */
const deposit: Act = (life) => {
  const { call, chance } = life;
  const account = call.store.get<{ number: string }>(
    `SELECT number FROM virtual_account WHERE fintech = ? AND kind = 'fintech_permanent'`,
    call.fintech.id,
  );
  if (!account) return undefined;
  const kobo = naira(life, 50_000, 900_000);
  receivePayment(call, { accountNumber: account.number, amountKobo: kobo, senderName: chance.pick(CUSTOMERS) });
  return amountOf('NGN', kobo);
};

/** The bank accounts of an account that has simulated days: two of them work, to each other something happens. */
const PAYOUT_ACCOUNTS = {
  payroll: '1029384756',
  suppliers: '2038475610',
  rejected: ACCOUNTS.rejected,
  cancelled: ACCOUNTS.cancelled,
  transferFails: ACCOUNTS.transferFails,
  reversed: ACCOUNTS.reversed,
  reviewed: ACCOUNTS.reviewed,
} as const;

const BANK_CODE = '000014';
const GOOD = ['payroll', 'suppliers'] as const;

/** Where the account's tokens may go. */
const WALLET_LABELS = ['treasury', 'exchange'] as const;

/** Returns the requests that register bank accounts and wallets which are still missing. */
export function registrations({ store, fintech }: Life['call']): Act[] {
  const has = (sql: string, value: string) => store.get(sql, fintech.id, value) !== undefined;
  const accounts = Object.entries(PAYOUT_ACCOUNTS)
    .filter(([, number]) => !has('SELECT 1 FROM bank_account WHERE fintech = ? AND number = ?', number))
    .map(
      ([name, accountNumber]): Act =>
        ({ call }) => {
          const label = GOOD.some((good) => good === name) ? name : `account ${accountNumber.slice(-2)}`;
          banksOperations['banks.add'](call, { accountNumber, bankCode: BANK_CODE, label });
          return null;
        },
    );
  const wallets = WALLET_LABELS.filter(
    (label) => !has('SELECT 1 FROM external_wallet WHERE fintech = ? AND label = ?', label),
  ).map(
    (label): Act =>
      (life) => {
        const address = outsideAddress(life);
        externalWalletsOperations['wallets.add-external'](life.call, {
          address,
          blockchain: 'base',
          type: 'custodial',
          label,
        });
        return null;
      },
  );
  return [...accounts, ...wallets];
}

/** Returns what the account's wallet has of cNGN on Base, in whole tokens. */
function heldWhole({ call }: Life): number {
  const { id } = smartWallet(call.store, call.fintech.id);
  return wholeTokens(balanceOf(call.store, walletAccount(id, 'base', 'CNGN')));
}

const payout: Act = (life) => {
  const { call, chance } = life;
  const way =
    wayOf(life, {
      rejected: FAILURES.bankFails,
      cancelled: FAILURES.cancelled,
      transferFails: FAILURES.transferFails,
      reversed: FAILURES.reversed,
      reviewed: FAILURES.unreviewed,
    }) ?? chance.pick(GOOD);
  const account = call.store.get<{ account_id: string }>(
    'SELECT account_id FROM bank_account WHERE fintech = ? AND number = ?',
    call.fintech.id,
    PAYOUT_ACCOUNTS[way],
  );
  const held = heldWhole(life);
  if (!account || held < 20_000) return undefined;
  const whole = chance.is(FAILURES.tooMuch) ? BigInt(held) * 2_000_000n : tokens(life, 5_000, Math.floor(held / 12));
  const amount = toWireNumber(amountOf('CNGN', whole), 'base');
  payoutsOperations['transactions.fintech-offramp'](call, { amount, bankAccountId: account.account_id });
  return amountOf('CNGN', whole);
};

/** How long a quote and a lock hold. */
const WINDOW_MS = 5 * MINUTE_MS;

const FAILING_TRADES = [1301, 1302, 1303, 1304] as const;

const cngnText = (minor: bigint) => toWireText(amountOf('CNGN', minor), 'decimal-string');

/** Asks for a quote and trades by it, or trades at the market. */
const trade: Act = (life) => {
  const { call, chance } = life;
  const way = wayOf(life, { fails: FAILURES.tradeFails, unsigned: FAILURES.unsigned });
  const whole = BigInt(way === 'fails' ? chance.pick(FAILING_TRADES) : 0) * 1_000_000n;
  // From 10,000 US dollars, someone has to sign.
  const minor = whole || (way === 'unsigned' ? tokens(life, 15_000_000, 15_400_000) : tokens(life, 1_000, 400_000));
  const request = {
    pair: chance.pick(PAIRS),
    side: way === 'unsigned' ? 'sell' : chance.pick(SIDES),
    cngnAmount: cngnText(minor),
  } as const;
  if (chance.is(0.5)) {
    fxTradesOperations['fx.market-order'](call, { ...request, idempotencyKey: call.ids.uuid() });
    return amountOf('CNGN', minor);
  }
  const { quoteId } = fxTradesOperations['fx.quote'](call, request).quote;
  const delayMs = chance.is(FAILURES.lateQuote) ? WINDOW_MS + MINUTE_MS : (5 + chance.below(120)) * SECOND_MS;
  life.later(delayMs, 'trade', (then) => {
    fxTradesOperations['fx.trade'](then.call, { quoteId, idempotencyKey: then.call.ids.uuid() });
    return amountOf('CNGN', minor);
  });
  return undefined;
};

const NETWORKS = ['bsc', 'eth', 'pol'] as const;

/** The test amount that a bridge does not release. */
const BRIDGE_FAILS_BASE = 1_701_000_000n;

/** Starts a bridge transaction, to which someone sends the tokens some minutes later. */
const bridge: Act = (life) => {
  const { call, chance } = life;
  const minor = chance.is(FAILURES.bridgeFails) ? BRIDGE_FAILS_BASE : tokens(life, 2_000, 300_000);
  const fromNetwork = chance.pick(NETWORKS);
  const fromAddress = outsideAddress(life);
  const { receivableAddress } = bridgeOperations['bridge.initiate'](call, {
    token: 'CNGN',
    fromNetwork,
    toNetwork: 'base',
    amount: cngnText(minor),
    fromAddress,
    toAddress: smartWallet(call.store, call.fintech.id).address,
  });
  const network = networkOf(fromNetwork);
  if (!network || chance.is(FAILURES.bridgeUnpaid)) return amountOf('CNGN', minor);
  const from = chance.is(FAILURES.wrongSender) ? outsideAddress(life) : fromAddress;
  life.later((2 + chance.below(30)) * MINUTE_MS, 'bridge-deposit', (then) => {
    receiveTokens(then.call, { address: receivableAddress, network, asset: 'CNGN', amountBase: minor, from });
    return amountOf('CNGN', minor);
  });
  return amountOf('CNGN', minor);
};

const transfer: Act = (life) => {
  const { call, chance } = life;
  const wallets = call.store.all<{ address: string }>(
    `SELECT address FROM external_wallet WHERE fintech = ? AND status = 'active' AND label IN ('treasury', 'exchange') ORDER BY id`,
    call.fintech.id,
  );
  const held = heldWhole(life);
  if (wallets.length === 0 || held < 20_000) return undefined;
  const destinationAddress = chance.is(FAILURES.unregistered) ? outsideAddress(life) : chance.pick(wallets).address;
  const minor = chance.is(FAILURES.chainFails) ? CHAIN_FAILS_BASE : tokens(life, 1_000, Math.floor(held / 40));
  const amount = toWireNumber(amountOf('CNGN', minor), 'base');
  transfersOperations['transactions.fintech-transfer'](call, { destinationAddress, amount, ticker: 'CNGN' });
  return amountOf('CNGN', minor);
};

/** Sets new fees: 0.3 to 0.8 percent, at most 300 to 1,000 Naira. */
const changeFees: Act = ({ call, chance }) => {
  const fee = () => ({
    percentageFee: (3 + chance.below(6)) / 10,
    capFee: toWireNumber(amountOf('NGN', BigInt(300 + 100 * chance.below(8)) * 100n), 'kobo'),
    enabled: true,
  });
  feesOperations['fees.manage'](call, chance.is(0.5) ? { onrampFee: fee() } : { offrampFee: fee() });
  return null;
};

const least = (a: bigint, b: bigint) => (a < b ? a : b);

const withdrawFees: Act = (life) => {
  const { call, chance } = life;
  const available = (['onramp', 'offramp'] as const)
    .map((direction) => balanceOf(call.store, fintechFees(call.fintech.id, direction)))
    .reduce((sum, kobo) => sum + kobo, 0n);
  const { minimum, maximum } = WITHDRAWAL_LIMITS_KOBO;
  const share = (available * BigInt(30 + chance.below(60))) / 100n;
  // Whole Naira.
  const kobo = least(maximum, share - (share % 100n));
  if (kobo < minimum) return undefined;
  const number = chance.is(FAILURES.feesFail) ? ACCOUNTS.rejected : PAYOUT_ACCOUNTS.payroll;
  feeWithdrawalsOperations['fees.withdraw'](call, {
    bankAccountNumber: number,
    bankCode: BANK_CODE,
    accountName: accountHolder(number, BANK_CODE) ?? '',
    amount: toWireNumber(amountOf('NGN', kobo), 'kobo'),
    narration: 'fees',
  });
  return amountOf('NGN', kobo);
};

export const accountActs = {
  'account-deposit': deposit,
  payout,
  trade,
  bridge,
  transfer,
  'fee-change': changeFees,
  'fee-withdrawal': withdrawFees,
} as const;
