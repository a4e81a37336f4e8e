import type { Exchange, HttpRequest } from '../../src/base/world.ts';
import { success } from '../support/exchange.ts';

type Row = Record<string, unknown>;
type Query = Readonly<Record<string, string>>;

/** A list of the service: its rows, newest first, and how it answers. */
interface ListKind {
  readonly path: string;
  readonly id: string;
  readonly status: string | undefined;
  readonly createdAt: string;
  /** The statuses of a new row, and those in which it ends. */
  readonly open: readonly string[];
  readonly ends: readonly string[];
  make(id: string, createdAt: string, status: string): Row;
  page(rows: readonly Row[], query: Query): Row;
}

const inPeriod = (rows: readonly Row[], { startDate, endDate }: Query) =>
  rows.filter(({ createdAt }) => {
    const atMs = Date.parse(String(createdAt));
    return !(atMs < Date.parse(startDate ?? '')) && !(atMs > Date.parse(endDate ?? ''));
  });

const slice = (rows: readonly Row[], query: Query, usual = '20') =>
  rows.slice(Number(query['offset'] ?? 0), Number(query['offset'] ?? 0) + Number(query['limit'] ?? usual));

const history = (path: string, rows: string, make: ListKind['make'], id = 'id'): ListKind => ({
  path,
  id,
  status: 'status',
  createdAt: 'createdAt',
  make,
  open: ['pending', 'processing'],
  ends: ['completed', 'failed'],
  page: (all, query) => {
    const found = inPeriod(all, query);
    return { [rows]: slice(found, query), total: found.length };
  },
});

const after = (rows: readonly Row[], id: string, { startAfter, limit = '50' }: Query) => {
  const start = startAfter === undefined ? 0 : rows.findIndex((row) => row[id] === startAfter) + 1;
  return rows.slice(start, start + Number(limit));
};

/** The lists by the table of the local copy that has them. */
export const LISTS: Readonly<Record<string, ListKind>> = {
  deposits: history('/deposits', 'deposits', (id, createdAt, status) => ({
    id,
    createdAt,
    status,
    type: 'user_onramp',
    amount: 5100,
    depositor: { name: `SENDER ${id}` },
  })),
  payouts: history('/payouts', 'payouts', (id, createdAt, status) => ({
    id,
    createdAt,
    status,
    type: 'user_offramp',
    amount: 700,
    bankAccount: { accountName: 'ADA OBI' },
  })),
  withdrawals: history(
    '/withdrawals',
    'withdrawals',
    (requestId, createdAt, status) => ({ requestId, createdAt, status, amount: '5.000000', ticker: 'USDC' }),
    'requestId',
  ),
  swaps: {
    ...history(
      '/swaphistory',
      'swaps',
      (requestId, createdAt, status) => ({
        requestId,
        createdAt,
        status,
        sellToken: 'CNGN',
        buyToken: 'USDC',
        amountIn: '1400',
        amountOut: '1',
      }),
      'requestId',
    ),
    page: (all, query) => {
      const found = inPeriod(all, query);
      return { swaps: slice(found, query), pagination: { total: found.length } };
    },
  },
  bridge_transfers: {
    ...history(
      '/bridge/history',
      'transactions',
      (requestId, createdAt, status) => ({
        requestId,
        createdAt,
        status,
        transactionId: `t-${requestId}`,
        token: 'CNGN',
        amount: '5',
        fromNetwork: 'base',
        toNetwork: 'bsc',
        fromAddress: '0x1',
        toAddress: '0x2',
        receivableAddress: '0x2',
      }),
      'requestId',
    ),
    page: (all, query) => {
      const found = inPeriod(all, query);
      const limit = Number(query['limit'] ?? 20);
      const start = (Number(query['page'] ?? 1) - 1) * limit;
      return { transactions: found.slice(start, start + limit), pagination: { total: found.length } };
    },
  },
  fx_trades: {
    path: '/fx/trades',
    id: 'tradeId',
    status: 'status',
    createdAt: 'createdAt',
    open: ['pending', 'settling'],
    ends: ['completed', 'failed', 'expired'],
    make: (tradeId, createdAt, status) => ({
      tradeId,
      createdAt,
      status,
      pair: 'CNGN-USDC',
      side: 'buy',
      cngnAmount: '5',
      price: '1400',
    }),
    page: (all, query) => ({ trades: after(all, 'tradeId', query), count: all.length }),
  },
  fx_orders: {
    path: '/fx/limit-orders',
    id: 'orderId',
    status: 'status',
    createdAt: 'createdAt',
    open: ['active'],
    ends: ['paused', 'deleted'],
    make: (orderId, createdAt, status) => ({ orderId, createdAt, status, pair: 'CNGN-USDC', side: 'buy' }),
    page: (all, query) => ({ orders: after(all, 'orderId', query) }),
  },
  fee_withdrawals: {
    path: '/getwithdrawalhistory',
    id: 'withdrawalId',
    status: 'status',
    createdAt: 'createdAt',
    open: ['pending', 'processing'],
    ends: ['completed', 'failed'],
    make: (withdrawalId, createdAt, status) => ({ withdrawalId, createdAt, status, amount: 100_000 }),
    page: (all, { limit = '20' }) => ({ withdrawals: all.slice(0, Number(limit)) }),
  },
  users: {
    path: '/listfintechusers',
    id: 'userId',
    status: undefined,
    createdAt: 'createdAt',
    open: [''],
    ends: [''],
    make: (userId, createdAt) => ({ userId, createdAt, firstName: 'UCHE', lastName: `OBI ${userId}`, isActive: true }),
    page: (all, query) => ({ users: slice(all, query), pagination: { total: all.length } }),
  },
  bank_accounts: {
    path: '/listbankaccounts',
    id: 'accountId',
    status: undefined,
    createdAt: 'createdAt',
    open: [''],
    ends: [''],
    make: (accountId, createdAt) => ({ accountId, createdAt, accountName: 'ADA OBI', accountNumber: '0123456789' }),
    page: (all) => ({ accounts: all, total: all.length }),
  },
  external_wallets: {
    path: '/getfintechwallet',
    id: 'address',
    status: 'status',
    createdAt: 'addedAt',
    open: ['active'],
    ends: ['disabled'],
    make: (address, addedAt, status) => ({ address, addedAt, status, label: 'vault' }),
    page: (all) => ({ fintechId: FINTECH, smartWallet: { address: '0x9' }, externalWallets: all }),
  },
};

export const FINTECH = '019a0000-0000-7000-8000-000000000001';

/** A service whose lists move. */
export interface MovingService {
  readonly rows: Readonly<Record<string, Row[]>>;
  readonly exchange: Exchange;
  /** The paths of all requests. */
  readonly requests: string[];
  /** What it takes from a deposit, as its preview says; without tiers unless a test gives them. */
  preview: (amountKobo: number) => Row;
  /** What the account's fees are, besides the account's id. */
  ownFees: Row;
  /** What the list of all transfers says of each offramp that the list of payouts does not. */
  said: Row;
  /** Called before each answer. */
  onRequest: (() => void) | undefined;
  /** Adds a row as of now, or of some time before. */
  add(list: string, agoMs?: number): Row;
  /** Moves a row on to another status. */
  move(list: string, at: number, status?: string): void;
  remove(list: string, at: number): void;
}

export function movingService(now: () => number): MovingService {
  const rows = Object.fromEntries(Object.keys(LISTS).map((name) => [name, [] as Row[]]));
  let count = 0;
  const requests: string[] = [];
  const service: MovingService = {
    rows,
    requests,
    preview: () => ({ finalFee: 7_500 }),
    ownFees: {},
    said: { userId: USER_ID, platformFee: 5 },
    onRequest: undefined,
    exchange: async (request) => {
      service.onRequest?.();
      const { pathname, searchParams } = new URL(request.url);
      const path = pathname.replace(/^\/v1/, '');
      requests.push(path);
      return success(answer(path, queryOf(request, searchParams)));
    },
    add: (list, agoMs = 0) => {
      count += 1;
      const kind = kindOf(list);
      const row = kind.make(`${list}-${count}`, new Date(now() - agoMs).toISOString(), kind.open[0] ?? '');
      const all = rows[list] as Row[];
      // Newest first; a row that appears late has its place by its time.
      const at = all.findIndex((each) => String(each[kind.createdAt]) <= String(row[kind.createdAt]));
      all.splice(at === -1 ? all.length : at, 0, row);
      return row;
    },
    move: (list, at, status) => {
      const { status: field, open, ends } = kindOf(list);
      const row = rows[list]?.[at];
      if (!row || field === undefined) return;
      const next = [...open, ends[at % ends.length]];
      const found = open.indexOf(String(row[field]));
      if (status !== undefined || found !== -1) row[field] = status ?? next[found + 1];
    },
    remove: (list, at) => {
      rows[list]?.splice(at, 1);
    },
  };
  const answer = (path: string, query: Query): Row => {
    if (path === '/getfees') return { fintechId: FINTECH, ...service.ownFees };
    if (path === '/balance/multi') return { networkBalances: [{ network: 'base', balance: '5.000000' }] };
    if (path === '/fx/settings') return { vaultId: 'vault', tokenWallets: { USDC: `0x${'7'.repeat(40)}` } };
    if (path === '/balance/address') return { networkBalances: [{ network: 'base', balance: '7.000000' }] };
    if (path === '/getaccumulatedfees') return { summary: { availableForWithdrawal: 500_000 } };
    if (path === '/fees/platform/preview') return { result: service.preview(Number(query['amount'])) };
    if (path === '/transactions') return transfers(rows['payouts'] ?? [], query, service.said);
    if (path === '/fx/trades/status')
      return { trade: { failedAt: null, ...rows['fx_trades']?.find(({ tradeId }) => tradeId === query['tradeId']) } };
    if (path === '/cngnofframpstatus')
      return { requestId: query['requestId'], status: 'completed', fintechUserId: OTHER_USER_ID };
    const [list, kind] = Object.entries(LISTS).find(([, each]) => each.path === path) ?? [];
    if (list === undefined || !kind) throw new Error(`no list has the path ${path}`);
    return kind.page(rows[list] ?? [], query);
  };
  return service;
}

/** The list of all transfers: the offramps, with what the list of payouts leaves out. */
const transfers = (payouts: readonly Row[], query: Query, said: Row): Row => {
  const found = inPeriod(payouts, query);
  return {
    transactions: slice(found, query).map((row) => ({ ...row, ...said })),
    total: found.length,
  };
};

/** The user of every offramp in the list of all transfers, and in the status of each. */
export const USER_ID = 'users-1';
export const OTHER_USER_ID = 'users-2';

const kindOf = (list: string): ListKind => {
  const kind = LISTS[list];
  if (!kind) throw new Error(`no list ${list}`);
  return kind;
};

const queryOf = ({ body }: HttpRequest, parameters: URLSearchParams): Query => ({
  ...Object.fromEntries(parameters),
  ...Object.fromEntries(
    Object.entries((body === undefined ? {} : JSON.parse(body)) as Row).map(([name, value]) => [name, String(value)]),
  ),
});
