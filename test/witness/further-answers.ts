import { SERVICE } from './answer-commands.ts';
import type { DocumentedAnswer } from './answers.ts';

/**
 * Answers that no page shows, in the forms that some page shows for another endpoint. The values are invented. A service that
 * writes one endpoint in so many forms may write any endpoint in them.
 */
export interface FurtherAnswer extends DocumentedAnswer {
  /** The exit codes that are right, if the meaning does not decide. */
  readonly exits?: readonly number[];
}

type More = Partial<Pick<FurtherAnswer, 'request' | 'http' | 'headers' | 'exits'>>;
type Facts = FurtherAnswer['expect'];

const written = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));

const read = (id: string, endpoint: string, body: unknown, expect: Facts, more: More = {}): FurtherAnswer => ({
  id,
  endpoint,
  shown_as: 'public',
  http: 200,
  body: written(body),
  means: 'success',
  expect,
  ...more,
});

const failing =
  (means: FurtherAnswer['means']) =>
  (id: string, endpoint: string, http: number, body: unknown, expect: Facts = {}, more: More = {}): FurtherAnswer => ({
    id,
    endpoint,
    shown_as: 'public',
    http,
    body: written(body),
    means,
    expect,
    ...more,
  });

const refused = failing('refused');
const blocked = failing('not-allowlisted');
const limited = failing('rate-limited');
/** Of a refusal that is not definite, for a request that moves money. */
const UNKNOWN = { exits: [6] } as const;
/** Neither a success nor a refusal: the outcome of a change is unknown, and a read got nothing usable. */
const unclear = (id: string, endpoint: string, http: number, body: unknown, exit: 5 | 6) =>
  refused(id, endpoint, http, body, {}, { exits: [exit] });

const done = (data: unknown) => ({ status: 'Success', response_code: '00', message: 'Done', data });

const TX = '0x1111111111111111111111111111111111111111111111111111111111111111';

const deposit = { id: 'dep-1', amount: 1500.5, currency: 'NGN', status: 'completed', transactionReference: 'ref-1' };
const payout = { id: 'pay-1', amount: 2500, currency: 'NGN', status: 'completed', payoutReference: 'ref-2' };
const trade = {
  tradeId: 'trade-1',
  pair: 'CNGN-USDC',
  side: 'sell',
  cngnAmount: '57000.00',
  usdcAmount: '40.00',
  price: '1425.00',
  status: 'completed',
  createdAt: '2026-05-07T15:49:11Z',
  errorMessage: null,
  failedAt: null,
};
const bankAccount = { accountId: 'acc-1', accountName: 'ACME PAY', accountNumber: '0123456789', isDefault: true };
const bridge = {
  requestId: 'bridge_1',
  transactionId: 'bt-1',
  reference: 'BR-1',
  status: 'pending',
  token: 'CNGN',
  fromNetwork: 'base',
  toNetwork: 'bsc',
  amount: '500.000000',
  fromAddress: '0xa',
  toAddress: '0xb',
  receivableAddress: '0xc',
  createdAt: '2026-05-07T15:49:11Z',
};
const order = { orderId: 'order-1', pair: 'CNGN-USDC', side: 'sell', price: '1425.00', status: 'active' };
const swap = {
  requestId: 'swap-1',
  status: 'completed',
  sellToken: 'USDC',
  buyToken: 'CNGN',
  amountIn: '1.50',
  txHash: TX,
  createdAt: '2026-05-07T15:49:11Z',
};

/** Where the code stands, and what it looks like. */
const ENVELOPES: readonly FurtherAnswer[] = [
  read(
    'code-camel',
    'GET /getfees',
    { responseCode: '00', responseMessage: 'ok', data: { fintechId: 'f-1' } },
    {
      fintechId: 'f-1',
    },
  ),
  read(
    'code-number-200',
    'GET /getfees',
    { code: 200, message: 'ok', data: { fintechId: 'f-2' } },
    { fintechId: 'f-2' },
  ),
  read(
    'code-text-201',
    'POST /swap',
    { code: '201', data: { requestId: 'swap-2', status: 'requested' } },
    { id: 'swap-2' },
    {
      http: 201,
    },
  ),
  read('code-text-00', 'GET /fx/settings', { code: '00', data: { vaultId: 'v-1' } }, { vaultId: 'v-1' }),
  read(
    'code-number-0',
    'GET /listbankaccounts',
    { response_code: 0, data: { accounts: [bankAccount] } },
    { id: 'acc-1' },
  ),
  read('status-number-200', 'GET /autosigning/config', { status: 200, data: { enabled: true } }, { enabled: true }),
  read('status-text-00', 'GET /fx/trades', { status: '00', data: { trades: [trade], count: 1 } }, { id: 'trade-1' }),
  read('status-true', 'GET /bridge/history', { status: true, data: { transactions: [bridge] } }, { id: 'bridge_1' }),
  read('status-ok', 'GET /fx/limit-orders', { status: 'OK', data: { orders: [order] } }, { id: 'order-1' }),
  read('success-true', 'GET /swaphistory', { success: true, message: 'ok', data: { swaps: [swap] } }, { id: 'swap-1' }),
  read(
    'codes-agree',
    'POST /listuserwallets',
    { ...done({ userId: 'u-1' }), code: 200, statusCode: 200 },
    { id: 'u-1' },
  ),
  read(
    'code-lower-camel-word',
    'GET /getfees',
    { responsecode: '00', data: { fintechId: 'f-3' } },
    { fintechId: 'f-3' },
  ),
  read('data-alone-change', 'POST /bridge/initiate', { data: { ...bridge, status: 'initiated' } }, { id: 'bridge_1' }),
  read(
    'data-alone-read',
    'GET /getwithdrawalhistory',
    {
      data: { withdrawals: [{ withdrawalId: 'FTW_1', amount: 62_500, status: 'pending' }] },
    },
    { withdrawalId: 'FTW_1', amountKobo: '62500' },
  ),
  read(
    'flat-beside-code',
    'POST /swap',
    { status: 'success', response_code: '00', requestId: 'swap-3' },
    { id: 'swap-3' },
  ),
  read(
    'flat-with-own-status',
    'GET /swapstatus',
    { response_code: '00', requestId: 'swap-1', status: 'pending' },
    {
      status: 'pending',
    },
  ),
  read(
    'flat-alone-read',
    'POST /cngnofframpstatus',
    { requestId: 'r-1', status: 'completed', stage: 'completed' },
    {
      status: 'completed',
    },
  ),
  read(
    'flat-alone-change',
    'POST /swaptrigger',
    { requestId: 'swap-4', message: 'Queued' },
    { id: 'swap-4' },
    { http: 202 },
  ),
];

/** Envelopes that are spelled or nested otherwise. */
const ODD_ENVELOPES: readonly FurtherAnswer[] = [
  read(
    'pascal-envelope',
    'GET /getfees',
    { Status: 'Success', ResponseCode: '00', Data: { FintechId: 'f-4' } },
    {
      fintechId: 'f-4',
    },
  ),
  read('data-in-list-of-one', 'GET /swapstatus', done([swap]), { status: 'completed' }),
  read('no-data-as-list', 'DELETE /deletebankaccount', done([]), {}),
  unclear('200-flat-with-error', 'POST /swap', 200, { requestId: 'swap-5', error: 'Queue is full' }, 6),
  unclear('200-data-with-errors', 'POST /swap', 200, { data: { requestId: 'swap-6' }, errors: [{ message: 'No' }] }, 6),
  refused(
    'code-in-data',
    'POST /swaptrigger',
    400,
    { message: 'No', data: { response_code: '01', error: 'Wallet is empty' } },
    {
      code: '01',
      detailContains: 'Wallet is empty',
    },
  ),
];

/** Where the data stands. */
const PLACES: readonly FurtherAnswer[] = [
  read('data-in-data', 'GET /payouts', done({ data: [payout], total: 1 }), { id: 'pay-1', amountKobo: '250000' }),
  read('data-in-data-object', 'POST /getuserdetails', done({ data: { userId: 'u-1', isActive: true } }), { id: 'u-1' }),
  read('data-items', 'GET /deposits', done({ items: [deposit], total: 1 }), { id: 'dep-1', amountKobo: '150050' }),
  read('data-results', 'GET /swaphistory', done({ results: [swap], count: 1 }), { id: 'swap-1' }),
  read('data-records', 'GET /withdrawals', done({ records: [{ requestId: 'w-1', status: 'completed' }] }), {
    id: 'w-1',
  }),
  read('data-rows', 'GET /transactions', done({ rows: [{ ...deposit, direction: 'in' }] }), { id: 'dep-1' }),
  read('data-list-alone', 'GET /fx/limit-orders', done([order]), { id: 'order-1', price: '1425.00' }),
  read('list-under-its-own-name', 'GET /payouts', done({ payoutHistory: [payout] }), { id: 'pay-1' }),
  read('list-without-envelope', 'GET /listbankaccounts', [bankAccount], { id: 'acc-1' }),
  read('single-object-list', 'GET /listbankaccounts', done({ accounts: bankAccount }), { id: 'acc-1' }),
  read(
    'single-object-as-data',
    'GET /getbankaccounts',
    done(bankAccount),
    { id: 'acc-1', name: 'ACME PAY' },
    {
      request: { query: { accountId: 'acc-1' } },
    },
  ),
  read('nested-under-another-name', 'GET /swapstatus', done({ swap }), { status: 'completed', txHash: TX }),
  read('nested-user', 'POST /getuserdetails', done({ user: { userId: 'u-1', isActive: false } }), { active: false }),
  read('nested-under-result', 'POST /fx/quote', done({ result: { quoteId: 'q-1', price: '1425.00' } }), { id: 'q-1' }),
  read(
    'flat-trade',
    'GET /fx/trades/status',
    done(trade),
    { status: 'completed', price: '1425.00' },
    {
      request: { query: { tradeId: 'trade-1' } },
    },
  ),
  read(
    'flat-default-wallet',
    'POST /getuserdefaultwallet',
    done({ userId: 'u-1', address: '0xd', blockchain: 'base' }),
    {
      address: '0xd',
    },
  ),
  read('flat-names', 'POST /getuserdetails', done({ userId: 'u-1', firstName: 'Ngozi', lastName: 'Eze' }), {
    first: 'Ngozi',
  }),
  read('flat-order-update', 'PUT /fx/limit-order/update', done({ orderId: 'order_1', price: '1400.00' }), {
    price: '1400.00',
  }),
];

/** How fields are spelled. */
const SPELLINGS: readonly FurtherAnswer[] = [
  read(
    'snake-onramp',
    'POST /cngnonramp',
    done({
      request_id: 'r-9',
      wallet_address: '0xe',
      status: 'requested',
      message: 'Pay',
      auto_swap_enabled: false,
      target_asset: 'USDC',
      fee_breakdown: { base_amount: 500, total_fee: 8.5, total_amount: 508.5 },
    }),
    { id: 'r-9', totalKobo: '50850' },
  ),
  read(
    'snake-user',
    'POST /getuserdetails',
    done({
      user_id: 'u-1',
      is_active: true,
      personal_details: { first_name: 'Ngozi' },
      virtual_accounts: [{ account_number: '9900112233', account_name: 'NGOZI EZE', bank_name: 'Harbour Bank' }],
    }),
    { first: 'Ngozi', number: '9900112233', active: true },
  ),
  read(
    'snake-trades',
    'GET /fx/trades',
    done({
      trades: [
        { trade_id: 'trade-3', cngn_amount: '57000.00', usdc_amount: '40.00', created_at: '2026-05-07T15:49:11Z' },
      ],
    }),
    { id: 'trade-3', amount: '57000.000000' },
  ),
  read(
    'snake-bridge',
    'GET /bridge/status/:requestId',
    done({
      request_id: 'bridge_1',
      from_network: 'base',
      to_network: 'bsc',
      receivable_address: '0xc',
      status: 'pending',
    }),
    { from: 'base', address: '0xc' },
  ),
  read('snake-account', 'GET /getfintechvirtualaccount', done({ account_number: '9900112244' }), {
    number: '9900112244',
  }),
  read('pascal-payout', 'GET /getofframpstatus', done({ RequestId: 'r-1', Status: 'processing', Amount: 170 }), {
    status: 'processing',
    amountKobo: '17000',
  }),
  read('lower-fees', 'GET /getaccumulatedfees', done({ summary: { availableforwithdrawal: 4500 } }), {
    availableKobo: '4500',
  }),
  read(
    'service-fee',
    'POST /cngnonramp',
    done({
      requestId: 'r-8',
      walletAddress: '0xe',
      status: 'requested',
      message: 'Pay',
      autoSwapEnabled: false,
      targetAsset: 'USDC',
      feeBreakdown: { baseAmount: 500, [`${SERVICE}Fee`]: 8.5, totalFee: 8.5, totalAmount: 508.5 },
    }),
    { feeKobo: '850' },
  ),
  read(
    'service-fee-snake',
    'POST /fx/market-order',
    done({
      trade: {
        ...trade,
        averagePrice: '1425.00',
        [`${SERVICE}_fee_percentage`]: 18,
        expiresAt: '2026-05-07T15:54:11Z',
      },
    }),
    { id: 'trade-1', percent: '18' },
  ),
];

/** How values are written. */
const VALUES: readonly FurtherAnswer[] = [
  read('naira-as-text', 'GET /deposits', done({ deposits: [{ ...deposit, amount: '1500.50' }] }), {
    amountKobo: '150050',
  }),
  read(
    'kobo-as-text',
    'GET /getaccumulatedfees',
    done({ summary: { availableForWithdrawal: '62500', transactionCount: '3' } }),
    {
      availableKobo: '62500',
      count: 3,
    },
  ),
  read(
    'base-as-number',
    'POST /cngnonrampstatus',
    done({ requestId: 'r-1', status: 'funded', amount: 8_000_000_000 }),
    {
      amountToken: '8000000000',
    },
  ),
  read('decimal-as-number', 'GET /bridge/status/:requestId', done({ ...bridge, amount: 500 }), {
    amount: '500.000000',
  }),
  read('price-as-number', 'POST /fx/quote', done({ quote: { quoteId: 'q-2', price: 1425.5, cngnAmount: 57_000 } }), {
    price: '1425.500000',
  }),
  read(
    'base-above-2-53',
    'POST /cngnonrampstatus',
    '{"response_code":"00","data":{"requestId":"r-1","status":"funded","amount":9007199254740993}}',
    {
      amountToken: '9007199254740993',
    },
  ),
  read(
    'kobo-above-2-53',
    'GET /getaccumulatedfees',
    '{"response_code":"00","data":{"summary":{"totalAccumulatedFees":9007199254740993}}}',
    {
      totalKobo: '9007199254740993',
    },
  ),
  read(
    'block-number-as-number',
    'POST /withdrawasset',
    '{"response_code":"00","data":{"requestId":"w-1","transactionHash":"0xf","blockNumber":90071992547409931}}',
    {
      block: '90071992547409931',
    },
  ),
  read(
    'count-above-2-53',
    'GET /getaccumulatedfees',
    '{"response_code":"00","data":{"summary":{"totalAccumulatedFees":1,"transactionCount":9007199254740993}}}',
    {
      transactions: '9007199254740993',
    },
  ),
  read('flag-as-text', 'POST /manageuserstatus', done({ userId: 'u-1', active: 'false' }), { active: false }),
  read('id-as-number', 'GET /deposits', done({ deposits: [{ ...deposit, id: 730_114 }] }), { id: '730114' }),
  read(
    'time-in-seconds',
    'POST /verifywithdrawal',
    done({ withdrawalId: 'FTW_1', status: 'completed', processedAt: 1_786_000_000 }),
    {
      processedAt: '2026-08-06T07:06:40.000Z',
    },
  ),
  read(
    'time-in-ms',
    'POST /verifywithdrawal',
    done({ withdrawalId: 'FTW_1', status: 'completed', processedAt: 1_786_000_000_123 }),
    {
      processedAt: '2026-08-06T07:06:40.123Z',
    },
  ),
  read('time-in-ms-as-text', 'GET /swapstatus', done({ ...swap, createdAt: '1786000000123' }), {
    createdAt: '2026-08-06T07:06:40.123Z',
  }),
  read(
    'time-as-object',
    'GET /getofframpstatus',
    done({ requestId: 'r-1', initiatedAt: { seconds: 1_786_000_000, nanoseconds: 0 } }),
    {
      initiatedAt: '2026-08-06T07:06:40.000Z',
    },
  ),
  read('state-in-capitals', 'POST /cngnofframpstatus', done({ requestId: 'r-1', status: 'COMPLETED' }), {
    status: 'completed',
  }),
  read('state-with-capital', 'GET /bridge/status/:requestId', done({ ...bridge, status: 'Pending' }), {
    status: 'pending',
  }),
  failing('failed')('state-failed-in-capitals', 'GET /swapstatus', 200, done({ ...swap, status: 'FAILED' })),
  read(
    'null-for-absent',
    'POST /getuserdetails',
    done({ userId: 'u-1', personalDetails: null, virtualAccounts: null }),
    { id: 'u-1' },
  ),
  read('null-list', 'GET /listbankaccounts', done({ accounts: null, total: 0 }), { total: '0' }),
  read(
    'unknown-fields',
    'POST /fintechtransfer',
    done({
      requestId: 'tr-1',
      transactionHash: TX,
      requestTrace: { span: 7 },
      labels: ['a', 'b'],
      isReplay: false,
    }),
    { id: 'tr-1', span: '7' },
  ),
];

/** How pages are told. */
const PAGES: readonly FurtherAnswer[] = [
  read(
    'page-and-total-pages',
    'GET /swaphistory',
    done({ swaps: [swap], page: 2, limit: 1, total: 9, totalPages: 9 }),
    {
      total: '9',
      offset: '1',
      hasMore: true,
    },
  ),
  read(
    'pages-in-pagination',
    'GET /bridge/history',
    done({
      transactions: [bridge],
      pagination: { currentPage: 1, perPage: 20, totalItems: 41, totalPages: 3 },
    }),
    { total: '41', limit: '20', hasMore: true },
  ),
  read('pages-in-meta', 'GET /deposits', done({ deposits: [deposit], meta: { total: 3, page: 1, pageSize: 1 } }), {
    total: '3',
    offset: '0',
    hasMore: true,
  }),
  read(
    'pages-beside-data',
    'GET /transactions',
    {
      response_code: '00',
      data: [{ ...deposit, direction: 'in' }],
      pagination: { total: 7, limit: 1, offset: 0 },
    },
    { id: 'dep-1', total: '7' },
  ),
  read('next-cursor', 'GET /payouts', done({ payouts: [payout], total: 5, nextCursor: 'pay-1' }), { hasMore: true }),
  read('empty-cursor', 'GET /payouts', done({ payouts: [payout], total: 1, nextCursor: '' }), { hasMore: false }),
  read('last-cursor', 'GET /payouts', done({ payouts: [payout], total: 1, nextCursor: null, hasMore: false }), {
    hasMore: false,
  }),
  read(
    'snake-pages',
    'POST /listfintechusers',
    done({
      users: [{ user_id: 'u-1', is_active: true }],
      pagination: { total_count: 8, per_page: 1, has_next_page: true },
    }),
    { id: 'u-1', total: '8', hasMore: true },
  ),
];

/** How a refusal is told. */
const REFUSALS: readonly FurtherAnswer[] = [
  refused(
    '200-with-01',
    'POST /withdrawasset',
    200,
    { response_code: '01', message: 'Amount too small' },
    { code: '01' },
  ),
  refused(
    '200-with-02',
    'GET /swapstatus',
    200,
    { responseCode: '02', responseMessage: 'No such swap' },
    { code: '02' },
  ),
  refused(
    '200-with-05',
    'POST /initiateofframp',
    200,
    { code: '05', message: 'Balance too low' },
    { code: '05' },
    UNKNOWN,
  ),
  refused('200-with-number-1', 'POST /swap', 200, { response_code: 1, message: 'No such pair' }, { code: '01' }),
  failing('unauthenticated')('200-with-03', 'GET /getfees', 200, { status: '03', message: 'Bad key' }, { code: '03' }),
  limited(
    '200-with-04',
    'GET /deposits',
    200,
    { response_code: '04', message: 'Slow down', data: { retry_after: 30 } },
    {
      waitContains: '30 seconds',
    },
  ),
  unclear('400-with-00-change', 'POST /cngnofframp', 400, done({ requestId: 'r-1' }), 6),
  unclear('400-with-00-read', 'GET /getofframpstatus', 400, done({ requestId: 'r-1' }), 5),
  unclear('200-with-99', 'POST /fintechtransfer', 200, { response_code: '99', message: 'Odd' }, 6),
  unclear('200-with-99-read', 'GET /transactions', 200, { response_code: '99', message: 'Odd' }, 5),
  unclear('500-with-01-change', 'POST /swaptrigger', 500, { response_code: '01', message: 'Not valid' }, 6),
  unclear('503-json-change', 'POST /bridge/initiate', 503, { message: 'Service unavailable' }, 6),
  unclear('502-html-change', 'POST /fx/market-order', 502, '<html>Bad gateway</html>', 6),
  unclear('200-status-1', 'POST /swap', 200, { status: 1, data: { requestId: 'swap-7' } }, 6),
  refused('400-status-1', 'POST /swap', 400, { status: 1, message: 'Unknown token' }, {}, UNKNOWN),
  unclear('200-code-5', 'POST /swap', 200, { code: 5, data: { requestId: 'swap-8' } }, 6),
  unclear('200-with-00-and-error', 'POST /swap', 200, { status: 'Error', response_code: '00', message: 'Broken' }, 6),
  unclear('200-with-00-and-failed', 'POST /swap', 200, { ...done({ requestId: 'swap-9' }), status: 'Failed' }, 6),
  unclear('200-with-00-and-false', 'GET /getfees', 200, { ...done({ fintechId: 'f-4' }), success: false }, 5),
  unclear('200-success-false', 'POST /swap', 200, { success: false, message: 'Something happened' }, 6),
  unclear('200-failed-with-data', 'POST /cngnonramp', 200, { status: 'failed', data: { requestId: 'r-1' } }, 6),
  refused(
    'code-400-number',
    'POST /cngnofframp',
    400,
    { code: 400, message: 'Bad amount', error: 'Below the minimum' },
    {
      code: '01',
      detailContains: 'Below the minimum',
    },
    UNKNOWN,
  ),
  refused('code-404-text', 'GET /getbankaccounts', 404, { code: '404', message: 'No such account' }, { code: '02' }),
  refused(
    'code-409',
    'POST /addexternalwallet',
    409,
    { code: 409, message: 'Already registered', error: 'Conflict' },
    {
      messageContains: 'Already registered',
    },
  ),
  refused(
    'code-named',
    'POST /initiateofframp',
    400,
    { code: 'INSUFFICIENT_BALANCE', message: 'Too little cNGN' },
    {
      messageContains: 'Too little cNGN',
    },
    UNKNOWN,
  ),
  refused(
    'error-object-with-code',
    'POST /swap',
    400,
    { error: { code: 'VALIDATION_ERROR', message: 'Unknown token' } },
    {
      messageContains: 'Unknown token',
    },
    UNKNOWN,
  ),
  refused(
    'status-word-only',
    'POST /withdrawasset',
    400,
    { status: 'error', message: 'Wallet is locked' },
    {
      messageContains: 'Wallet is locked',
    },
    UNKNOWN,
  ),
  refused(
    'success-false',
    'POST /addbankaccount',
    422,
    { success: false, error: 'Account did not resolve' },
    {
      messageContains: 'did not resolve',
    },
  ),
  refused(
    'errors-list',
    'PUT /updatebankaccount',
    422,
    {
      response_code: '01',
      message: 'Not valid',
      errors: [{ field: 'label', message: 'Too long' }],
    },
    { fieldContains: 'label', detailContains: 'Too long' },
  ),
  refused(
    'errors-by-field',
    'POST /swap',
    422,
    { code: 422, message: 'Not valid', errors: { amount: ['Must be above 0'] } },
    {
      fieldContains: 'amount',
      detailContains: 'Must be above 0',
    },
    UNKNOWN,
  ),
  refused(
    'details-object',
    'POST /withdrawasset',
    400,
    {
      response_code: '01',
      message: 'Balance too low',
      details: { available: '4.50', required: '5.00' },
    },
    { detailContains: '4.50' },
  ),
  refused(
    'details-in-data',
    'POST /swaptrigger',
    400,
    {
      response_code: '01',
      message: 'Cannot swap',
      data: { details: { reason: 'Pool is empty' } },
    },
    { detailContains: 'Pool is empty' },
  ),
  refused(
    'message-and-error',
    'POST /swap',
    409,
    { message: 'Sent before', error: 'Conflict' },
    { messageContains: 'Sent before' },
    UNKNOWN,
  ),
  unclear('408-message-and-error', 'POST /swap', 408, { message: 'Too slow', error: 'Timeout' }, 6),
  failing('unauthenticated')('401-message-only', 'GET /listbankaccounts', 401, { message: 'Unauthorized' }),
  blocked('ip-in-message', 'POST /swap', 400, { response_code: '01', message: 'IP_NOT_ALLOWED: 198.51.100.24' }),
  blocked('ip-in-error-code', 'GET /transactions', 400, {
    error: { code: 'IP_NOT_ALLOWED', message: 'Not from here' },
  }),
  blocked('ip-in-top-code', 'POST /cngnofframp', 400, { code: 'IP_NOT_ALLOWED', message: 'Not from here' }),
  blocked('ip-in-data', 'GET /fx/trades', 400, {
    response_code: '01',
    message: 'No',
    data: { reason: 'IP_NOT_ALLOWED' },
  }),
  blocked('ip-in-data-code', 'GET /fx/settings', 403, { status: 'Error', data: { errorCode: 'IP_NOT_ALLOWED' } }),
  blocked('ip-in-errors', 'POST /bridge/quote', 400, { message: 'No', errors: [{ type: 'IP_NOT_ALLOWED' }] }),
  blocked('ip-in-status', 'GET /getwithdrawalhistory', 403, { status: 'IP_NOT_ALLOWED', message: 'Not from here' }),
];

const WAIT = { waitContains: '30 seconds' };
const slow = { response_code: '04', message: 'Too many requests' };

/** Where the time to wait stands. */
const WAITS: readonly FurtherAnswer[] = [
  limited('wait-in-header', 'POST /swap', 429, slow, WAIT, { headers: { 'retry-after': '30' } }),
  limited('wait-in-details', 'POST /cngnofframp', 429, { ...slow, data: { details: { retry_after: 30 } } }, WAIT),
  limited('wait-in-body', 'GET /payouts', 429, { ...slow, retryAfter: 30 }, WAIT),
  limited('wait-in-body-seconds', 'GET /fx/trades', 429, { ...slow, retry_after_seconds: 30 }, WAIT),
  limited(
    'wait-in-error',
    'GET /swaphistory',
    429,
    { message: 'Slow', error: { code: 'RATE_LIMIT', retryAfter: '30' } },
    WAIT,
  ),
  limited('wait-in-ms', 'GET /deposits', 429, { ...slow, data: { retryAfterMs: 30_000 } }, WAIT),
  limited('wait-unknown', 'POST /withdrawasset', 429, { code: '04', message: 'Too many requests' }),
  unclear('429-http-code', 'POST /withdrawasset', 429, { code: 429, message: 'Too many requests' }, 6),
];

/** Older forms that the notes of the specification mention without an example. */
const MENTIONED: readonly FurtherAnswer[] = [
  read('onboarding-verified', 'POST /onboardstatus', done({ status: 'verified', bvnVerified: true, userId: 'u-9' }), {
    status: 'verified',
    userId: 'u-9',
  }),
  read('onboarding-pending-verification', 'POST /onboardstatus', done({ status: 'pending_verification' }), {
    status: 'pending_verification',
  }),
  refused(
    'onboarding-failed-as-refusal',
    'POST /onboardstatus',
    400,
    {
      status: 'Failed',
      message: 'Registration failed',
      data: {
        details: {
          status: 'failed',
          error: {
            code: 'BVN_VALIDATION_FAILED',
            step: 'bvn_validation',
            message: 'No match',
            userMessage: 'Check the BVN',
          },
        },
        retryable: false,
      },
    },
    { codeContains: 'BVN_VALIDATION_FAILED', stepContains: 'bvn_validation', userContains: 'Check the BVN' },
  ),
  limited(
    '429-as-code',
    'POST /onboarduser',
    429,
    {
      status: 'Error',
      response_code: '429',
      message: 'Too many',
      data: { error: 'Wait', retry_after: 60 },
    },
    { waitContains: '60 seconds' },
  ),
  read(
    'wallets-as-texts',
    'GET /getfintechwallet',
    done({ fintechId: 'f-9', smartWallet: '0xaa', mpcVault: '0xbb', managedWallet: '0xcc' }),
    {
      smart: '0xaa',
      vault: '0xbb',
    },
  ),
  read(
    'user-wallets-older',
    'POST /listuserwallets',
    done({
      userId: 'u-1',
      wallets: [
        {
          walletAddress: '0xab',
          status: 'funded',
          owner: 'system_controlled',
          balances: { CNGN: { balance: '12.50' } },
          createdAt: { _seconds: 1_786_000_000, _nanoseconds: 0 },
        },
      ],
    }),
    { wallet: '0xab', amount: '12.500000', createdAt: '2026-08-06T07:06:40.000Z' },
  ),
  read(
    'banks-by-name-and-code',
    'POST /getbankscode',
    done({
      banks: [{ name: 'HARBOUR BANK', code: '000911' }],
      operationId: 'op-1',
      requestId: 'rq-1',
      totalCount: 1,
    }),
    { name: 'HARBOUR BANK', code: '000911' },
  ),
  read('banks-as-list', 'POST /getbankscode', done([{ bankCode: '911', bankName: 'HARBOUR BANK' }]), { code: '911' }),
  read(
    'fees-set-older',
    'PUT /managefees',
    done({
      fintechId: 'f-1',
      operation: 'updated',
      timestamp: '2025-08-01T10:00:00Z',
      version: '1.0.0',
      exampleCalculation: {
        description: 'Onramp of 10000',
        userRequestedAmount: 10_000,
        totalFeeAmount: 400,
        finalAmount: 10_400,
      },
    }),
    { final: '10400' },
  ),
  read(
    'withdrawals-with-general-pages',
    'GET /getwithdrawalhistory',
    done({
      withdrawals: [{ withdrawalId: 'FTW_3', amount: 5000, status: 'completed' }],
      pagination: { total: 3, limit: 1, offset: 0, currentPage: 1, totalPages: 3 },
    }),
    { id: 'FTW_3', hasMore: true },
  ),
  read(
    'market-order-without-expiry',
    'POST /fx/market-order',
    {
      responseCode: '00',
      responseMessage: 'Filled',
      data: {
        trade: {
          tradeId: 'trade-7',
          pair: 'CNGN-USDC',
          side: 'sell',
          cngnAmount: '1000',
          usdcAmount: '0.71',
          averagePrice: '1400.00',
          status: 'pending',
        },
      },
    },
    { id: 'trade-7', price: '1400.000000' },
    { request: { cngnAmount: '1000' } },
  ),
  read(
    'account-with-gateway-fee',
    'POST /getvirtualaccount',
    done({
      requestId: 'r-1',
      status: 'created',
      virtualAccount: {
        accountNumber: '9900112255',
        accountName: 'Acme/Ngozi Eze',
        bankName: 'Harbour Bank',
        amount: 10_000,
        totalAmountWithFee: 10_400,
        feePercentage: 4,
        feeBreakdown: { brandFeeAmount: 100, brandFeePercentage: 1, gatewayFeeAmount: 150, totalFeeAmount: 400 },
      },
    }),
    { number: '9900112255', totalKobo: '1040000', platformFeeKobo: '10000' },
  ),
  read(
    'onramp-account-created',
    'POST /cngnonrampstatus',
    done({ requestId: 'r-1', status: 'virtual_account_created' }),
    {
      status: 'virtual_account_created',
    },
  ),
  read(
    'payout-older-state',
    'GET /getofframpstatus',
    done({ requestId: 'r-1', status: 'initiating_payout', amount: 170 }),
    {
      status: 'initiating_payout',
    },
  ),
  read(
    'deposit-refunded',
    'GET /deposits',
    done({ deposits: [{ ...deposit, status: 'refund_processing' }], total: 1 }),
    {
      status: 'refund_processing',
    },
  ),
  read(
    'vault-at-once-active',
    'POST /fx/mpc/register',
    done({ vaultId: 'v-7', status: 'active', note: 'Wait' }),
    { id: 'v-7' },
    {
      request: { vaultId: 'v-7' },
    },
  ),
  read('signing-without-vm', 'GET /fx/auto-signing/status', done({ autoSigning: { enabled: true, vmStatus: null } }), {
    enabled: true,
  }),
  refused(
    'transfer-code-only',
    'POST /fintechtransfer',
    400,
    { code: '01', message: 'Not registered', error: 'Add the wallet first' },
    {
      detailContains: 'Add the wallet first',
    },
  ),
  refused(
    'account-in-use',
    'DELETE /deletebankaccount',
    400,
    {
      status: 'Error',
      response_code: '01',
      message: 'Not removed',
      error: 'PENDING_TRANSACTIONS',
    },
    { detailContains: 'PENDING_TRANSACTIONS' },
  ),
  read(
    'recovery-without-data',
    'GET /manualstatusrecovery',
    { status: 'Success', response_code: '00', message: 'Recovered' },
    {},
  ),
];

export const FURTHER_ANSWERS: readonly FurtherAnswer[] = [
  ...ENVELOPES,
  ...ODD_ENVELOPES,
  ...PLACES,
  ...SPELLINGS,
  ...VALUES,
  ...PAGES,
  ...REFUSALS,
  ...WAITS,
  ...MENTIONED,
];
