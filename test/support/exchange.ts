import { onTestFinished } from 'vitest';
import { ExchangeError } from '../../src/base/errors.ts';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/base/world.ts';

/** How a scripted exchange handles a request. `hang` waits until it is aborted; `deaf` ignores that too. */
export type Turn = HttpResponse | Error | 'hang' | 'deaf' | ((request: HttpRequest) => HttpResponse);

export interface Scripted {
  readonly exchange: Exchange;
  readonly requests: HttpRequest[];
}

/** The account to pay that every onramp reads after it started. */
export const ACCOUNT_TO_PAY = {
  virtualAccount: {
    accountNumber: '7099363912',
    bankName: 'PROVIDUS BANK',
    accountName: 'Harmattan Pay/ADA OBI',
    amount: 5,
    totalAmountWithFee: 5.1,
  },
  expiresAt: '2026-01-05T09:30:00.000Z',
};

const LISTS: Readonly<Record<string, string>> = {
  '/listuserwallets': 'wallets',
  '/payouts': 'payouts',
  '/withdrawals': 'withdrawals',
  '/getwithdrawalhistory': 'withdrawals',
  '/swaphistory': 'swaps',
  '/bridge/history': 'transactions',
  '/fx/trades': 'trades',
  '/fx/limit-orders': 'orders',
};

/** What pays for a change, and whether the book can fill it, is read from these. */
const BALANCES =
  /\/(balance\/(multi|address|user\/[^/]+)|getaccumulatedfees|fees\/[^/]+\/preview|fx\/(quote|settings))$/;

/** Answers the read of the list that will show a payment: it has nothing yet. Undefined for any other request. */
export function listBefore({ url }: Pick<HttpRequest, 'url'>): HttpResponse | undefined {
  const { pathname, searchParams } = new URL(url);
  const rows = LISTS[pathname.replace(/^\/v1/, '')];
  const isFirstPage = (searchParams.get('offset') ?? '0') === '0' && (searchParams.get('limit') ?? '100') === '100';
  return rows !== undefined && isFirstPage ? success({ [rows]: [] }) : undefined;
}

/** Answers what a payment reads before it is sent: the list that will show it, and what pays for it, which is not said. */
export const readBefore = (request: Pick<HttpRequest, 'url'>): HttpResponse | undefined =>
  BALANCES.test(new URL(request.url).pathname) ? success({}) : listBefore(request);

const SHOWN = [...Object.values(LISTS), 'details', 'availableForWithdrawal', 'totalBalance', 'quote', 'tokenWallets'];

/** Whether a turn is a list that shows payments, or what pays for them, which a test is about. */
const isList = (turn: Turn | undefined) =>
  typeof turn === 'object' && 'body' in turn && SHOWN.some((rows) => turn.body.includes(`"${rows}":`));

/** Whether a request reads what pays for a change, and a turn decides itself what it answers. */
const isOpen = ({ url }: HttpRequest, turn: Turn | undefined) =>
  typeof turn === 'function' && BALANCES.test(new URL(url).pathname);

/** The names in a confirmation are read from these. */
const NAMES = /\/(getuserdetails|getbankscode|getbankaccounts\?.*)$/;

const isNames = (turn: Turn | undefined) =>
  typeof turn === 'object' && 'body' in turn && /"(virtualAccounts|banks|accounts)":/.test(turn.body);

/**
 * An exchange that plays its turns in order. The test fails for a request without a turn, and for a turn without a request. The account
 * to pay, what was paid into it, and what a payment reads before it is sent need no turn: few tests of payments are about them.
 */
export function scripted(...turns: readonly Turn[]): Scripted {
  return played(turns, (request, turn) => {
    if (request.url.endsWith('/getvirtualaccount')) return success(ACCOUNT_TO_PAY);
    if (request.url.includes('/deposits?type=user_onramp&startDate=')) return success({ deposits: [], total: 0 });
    if (NAMES.test(request.url) && !isNames(turn)) return success({});
    return isList(turn) || isOpen(request, turn) ? undefined : readBefore(request);
  });
}

/** An exchange in which every request has a turn. */
export const scriptedExactly = (...turns: readonly Turn[]): Scripted => played(turns, () => undefined);

function played(
  turns: readonly Turn[],
  withoutTurn: (request: HttpRequest, next: Turn | undefined) => HttpResponse | undefined,
): Scripted {
  const requests: HttpRequest[] = [];
  let surplus = 0;
  onTestFinished(() => {
    if (surplus > 0) throw new Error(`${surplus} requests more than the ${turns.length} scripted ones`);
    if (requests.length < turns.length)
      throw new Error(`${turns.length - requests.length} scripted requests were never sent`);
  });
  const exchange: Exchange = async (request, signal) => {
    const turn = turns[requests.length];
    const answer = withoutTurn(request, turn);
    if (answer) return answer;
    if (turn === undefined) surplus += 1;
    else requests.push(request);
    if (turn === undefined) throw new Error('unexpected request');
    if (turn === 'hang') return untilAborted(signal);
    if (turn === 'deaf') return new Promise(() => {});
    if (turn instanceof Error) throw turn;
    return typeof turn === 'function' ? turn(request) : turn;
  };
  return { exchange, requests };
}

/** Never responds, and rejects when aborted, as the network does. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new ExchangeError('the request was aborted', true));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

export const refusedConnection = () => new ExchangeError('the connection was refused', false);
export const droppedLine = () => new ExchangeError('the connection was lost before the whole response arrived', true);

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** A response with a status and any JSON text. */
export function json(status: number, body: string, headers: Record<string, string> = {}): HttpResponse {
  return { status, headers: { ...JSON_TYPE, ...headers }, body };
}

export function success(data: unknown): HttpResponse {
  return json(200, JSON.stringify({ status: 'Success', response_code: '00', message: 'done', data }));
}

export function refusal(status: number, code: string, message: string, more: object = {}): HttpResponse {
  return json(status, JSON.stringify({ status: 'Error', response_code: code, message, ...more }));
}

export function html(status: number): HttpResponse {
  return { status, headers: { 'content-type': 'text/html' }, body: '<html><h1>Bad Gateway</h1></html>' };
}

export function tooMany(headers: Record<string, string> = {}, data?: object): HttpResponse {
  return json(429, JSON.stringify({ status: 'Error', response_code: '04', message: 'Too many', data }), headers);
}
