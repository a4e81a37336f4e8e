import { BASE } from '../../contract/networks.ts';
import { amount as amountOf, toWireNumber } from '../../money/amount.ts';
import { BANKS } from '../banks/banks.ts';
import { receivePayment } from '../deposits/deposits.ts';
import { offrampOperations } from '../offramp/operation.ts';
import { type OnrampRow, totalKobo } from '../onramp/machine.ts';
import { onrampOperations } from '../onramp/operation.ts';
import { swapsOperations } from '../swaps/operation.ts';
import { receiveTokens } from '../transfers/chain-deposits.ts';
import { withdrawalsOperations } from '../transfers/withdrawal-operations.ts';
import { usersOperations } from '../users/operation.ts';
import { userSettingsOperations } from '../users/settings.ts';
import {
  type Act,
  heldBy,
  type Life,
  MINUTE_MS,
  naira,
  outsideAddress,
  type Person,
  SECOND_MS,
  somebodyWith,
  tokens,
  wayOf,
  wholeTokens,
} from './life.ts';
import { FAILURES } from './rates.ts';

/** What the acts of users do. Each makes the requests that a client makes, and nothing else. */

const FAILING_BVN = '00000000000';

/** The sandbox's test accounts and amounts: what is wanted to go wrong, goes wrong by them. */
export const ACCOUNTS = {
  unknown: '0000000000',
  rejected: '0000000009',
  cancelled: '0000000012',
  transferFails: '0000000013',
  reversed: '0000000014',
  reviewed: '0000000015',
} as const;

const onboard: Act = ({ call, chance }) => {
  const bvn = chance.is(FAILURES.badBvn) ? FAILING_BVN : `22${String(chance.below(1e9)).padStart(9, '0')}`;
  usersOperations['users.onboard'](call, { bvn });
  return null;
};

const FOREIGN_SENDERS = ['ZENITH STORES LTD', 'OCEANIC TRADERS', 'A1 LOGISTICS NIG LTD'] as const;

/** A name that is not the user's. */
const wrongName = ({ chance, people }: Life, { name }: Person) => {
  const other = chance.pick(people).name;
  return chance.is(0.5) || other === name ? chance.pick(FOREIGN_SENDERS) : other;
};

const deposit: Act = (life) => {
  const { call, chance, people } = life;
  if (people.length === 0) return undefined;
  const person = chance.pick(people);
  const way = wayOf(life, { pending: FAILURES.depositPending, cancelled: FAILURES.depositCancelled });
  const kobo = way === 'pending' ? 150_100n : way === 'cancelled' ? 150_200n : naira(life, 5_000, 450_000);
  const senderName = chance.is(FAILURES.wrongName) ? wrongName(life, person) : person.name;
  const { reason } = receivePayment(call, { accountNumber: person.accountNumber, amountKobo: kobo, senderName });
  if (reason !== null) life.failed('user-deposit', reason);
  return amountOf('NGN', kobo);
};

/** How long after the beginning of an onramp its account has expired for certain. */
const EXPIRED_MS = 31 * MINUTE_MS;

/** The test amount whose mint fails. */
const MINT_FAILS_KOBO = 180_100n;

/** Starts an onramp, which is paid some minutes later. */
const onramp: Act = (life) => {
  const { call, chance, people } = life;
  if (people.length === 0) return undefined;
  const person = chance.pick(people);
  const kobo = chance.is(FAILURES.mintFails) ? MINT_FAILS_KOBO : naira(life, 2_000, 250_000);
  const amount = toWireNumber(amountOf('NGN', kobo), 'naira');
  const swap = chance.is(0.12) ? { autoSwap: true, assetSwap: chance.pick(['USDC', 'USDT'] as const) } : {};
  const { requestId } = onrampOperations['transactions.onramp'](call, { userId: person.userId, amount, ...swap });
  const row = call.store.get<OnrampRow & { number: string }>(
    'SELECT onramp.*, number FROM onramp JOIN virtual_account ON virtual_account.onramp = onramp.id WHERE request_id = ?',
    requestId,
  );
  const way = wayOf(life, {
    unpaid: FAILURES.onrampUnpaid,
    late: FAILURES.onrampLate,
    wrong: FAILURES.onrampWrongAmount,
  });
  if (!row || way === 'unpaid') return amountOf('NGN', kobo);
  const amountKobo = totalKobo(row) + (way === 'wrong' ? 5_000n : 0n);
  const payment = { accountNumber: row.number, amountKobo, senderName: person.name };
  const delayMs =
    way === 'late' ? EXPIRED_MS + chance.below(60) * MINUTE_MS : MINUTE_MS + chance.below(1200) * SECOND_MS;
  life.later(delayMs, 'onramp-payment', (then) => {
    const { reason } = receivePayment(then.call, payment);
    if (reason !== null) then.failed('onramp-payment', reason);
    return amountOf('NGN', amountKobo);
  });
  return amountOf('NGN', kobo);
};

/** Returns the bank account of a user, always the same. */
function bankAccountOf({ id }: Person): { accountNumber: string; bankCode: string } {
  const number = 2_000_000_000n + ((id * 387_420_489n) % 999_999_937n);
  return { accountNumber: String(number), bankCode: BANKS[Number(id) % BANKS.length]?.code ?? '' };
}

/** A user who has less does not offramp. */
const LEAST_BASE = 2_000_000_000n;

const offramp: Act = (life) => {
  const person = somebodyWith(life, 'CNGN', LEAST_BASE);
  if (!person) return undefined;
  const held = wholeTokens(heldBy(life, person, 'CNGN'));
  // What is left pays the fees.
  const most = Math.floor(held * 0.9);
  const kobo = life.chance.is(FAILURES.tooMuch) ? BigInt(held) * 200n : naira(life, Math.min(1_000, most), most);
  const way = wayOf(life, {
    unknown: FAILURES.unknownAccount,
    rejected: FAILURES.bankFails,
    cancelled: FAILURES.cancelled,
    transferFails: FAILURES.transferFails,
  });
  const own = bankAccountOf(person);
  offrampOperations['transactions.offramp'](life.call, {
    userId: person.userId,
    amount: toWireNumber(amountOf('NGN', kobo), 'naira'),
    ...own,
    ...(way ? { accountNumber: ACCOUNTS[way] } : {}),
    ticker: 'CNGN',
  });
  return amountOf('NGN', kobo);
};

const swap: Act = (life) => {
  const isBack = life.chance.is(0.3);
  const sellToken = isBack ? life.chance.pick(['USDC', 'USDT'] as const) : 'CNGN';
  const person = somebodyWith(life, sellToken, isBack ? 5_000_000n : LEAST_BASE);
  if (!person) return undefined;
  const held = wholeTokens(heldBy(life, person, sellToken));
  const minor = tokens(life, isBack ? 1 : 1_000, isBack ? held : Math.floor(held * 0.5));
  const buyToken = isBack ? 'CNGN' : life.chance.pick(['USDC', 'USDT'] as const);
  swapsOperations['swaps.create'](life.call, {
    userId: person.userId,
    sellToken,
    buyToken,
    amount: toWireNumber(amountOf(sellToken, minor), 'token'),
  });
  return amountOf(sellToken, minor);
};

/** The test amount whose transfer fails. */
export const CHAIN_FAILS_BASE = 1_601_000_000n;

const withdraw: Act = (life) => {
  const { call, chance } = life;
  const ticker = chance.is(0.8) ? 'CNGN' : chance.pick(['USDC', 'USDT'] as const);
  const person = somebodyWith(life, ticker, ticker === 'CNGN' ? LEAST_BASE : 2_000_000n);
  if (!person) return undefined;
  const held = wholeTokens(heldBy(life, person, ticker));
  const fails = ticker === 'CNGN' && chance.is(FAILURES.chainFails);
  const isTooMuch = chance.is(FAILURES.tooMuch);
  const minor = fails ? CHAIN_FAILS_BASE : isTooMuch ? BigInt(held) * 2_000_000n : tokens(life, 1, held);
  withdrawalsOperations['transactions.withdraw-asset'](call, {
    userId: person.userId,
    internalWallet: person.address,
    destinationWallet: outsideAddress(life),
    amount: toWireNumber(amountOf(ticker, minor), 'token'),
    ticker,
    network: chance.is(0.8) ? 'base' : 'bsc',
  });
  return amountOf(ticker, minor);
};

const REASONS = ['asked for a pause', 'documents have expired', 'under review'] as const;

/** Deactivates a user, or activates one who was deactivated. */
const setStatus: Act = ({ call, chance, people }) => {
  const inactive = people.filter(({ isActive }) => !isActive);
  const person = inactive.length > 0 && chance.is(0.5) ? chance.pick(inactive) : people[chance.below(people.length)];
  if (!person) return undefined;
  const reason = person.isActive ? { reason: chance.pick(REASONS) } : {};
  const active = !person.isActive;
  userSettingsOperations['users.set-status'](call, { userId: person.userId, active, ...reason });
  person.isActive = active;
  return null;
};

/** Tokens arrive from outside: at a user's wallet, now and then at the account's. */
const tokensIn: Act = (life) => {
  const { call, chance, people } = life;
  if (people.length === 0) return undefined;
  const asset = chance.is(0.4) ? 'CNGN' : chance.pick(['USDC', 'USDT'] as const);
  const minor = asset === 'CNGN' ? tokens(life, 1_000, 100_000) : tokens(life, 5, 400);
  const { address } = chance.pick(people);
  receiveTokens(call, { address, asset, amountBase: minor, network: BASE, from: outsideAddress(life) });
  return amountOf(asset, minor);
};

export const userActs = {
  onboarding: onboard,
  'user-deposit': deposit,
  onramp,
  offramp,
  swap,
  'token-withdrawal': withdraw,
  'user-status': setStatus,
  'tokens-in': tokensIn,
} as const;
