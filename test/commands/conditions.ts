import type { FaultName } from '../../src/contract/faults.ts';

/** What the command lines are about. */
export interface Things {
  /** A user with ₦1,000. */
  readonly user: string;
  /** A user without any balance. */
  readonly poorUser: string;
  readonly wallet: string;
  readonly bankAccount: string;
  /** A registered external wallet. */
  readonly address: string;
}

/** A condition under which a request is rejected, and the codes that commands give for it: a general one, or its own name where that is certain. */
export interface Condition {
  readonly is: string;
  readonly code: string;
  /** The names that the contract has for it. */
  readonly names?: readonly string[];
  /** The refusals of the contract that are this condition; the first condition that matches counts. */
  declares(fault: FaultName, when: string): boolean;
  /** Command lines that bring the condition about. */
  before?(things: Things): readonly (readonly string[])[];
  /** Command lines that meet the condition, found by fiatrail or by the service. */
  lines(things: Things): readonly (readonly string[])[];
}

const NOBODY = 'nobody';
const NOTHING = 'nothing';
const TO_BANK = ['--bank-code', '000013', '--account-number', '0123456789'];
export const TO_NAMED = [...TO_BANK, '--account-name', 'ADA OBI'];
const ELSEWHERE = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const buy = (amount: string) => ['--pair', 'CNGN-USDC', '--side', 'buy', '--amount', amount];
const order = (price: string, min: string, max: string) => [
  'fx',
  'orders',
  'create',
  '--pair',
  'CNGN-USDC',
  '--side',
  'buy',
  '--price',
  price,
  '--min',
  min,
  '--max',
  max,
];
const api = (method: string, path: string, ...fields: string[]) => [
  'api',
  method,
  path,
  ...fields.flatMap((field) => ['-f', field]),
];

/** Every condition that the contract declares, and some that only fiatrail checks. */
export const CONDITIONS: readonly Condition[] = [
  {
    is: 'an unknown user',
    code: 'NOT_FOUND',
    names: ['USER_NOT_FOUND'],
    declares: (_fault, when) => /^the user is unknown/.test(when),
    lines: ({ wallet }) => [
      ['onramp', 'create', NOBODY, '--amount', '100'],
      ['offramp', 'create', NOBODY, '--amount', '100', ...TO_BANK],
      ['withdrawals', 'create', NOBODY, '--amount', '1', '--token', 'CNGN', '--from', wallet, '--to', ELSEWHERE],
      ['swaps', 'create', NOBODY, '--sell', 'CNGN', '--buy', 'USDC', '--amount', '1'],
      ['users', 'show', NOBODY],
      ['users', 'activate', NOBODY, '--yes'],
      ['users', 'deactivate', NOBODY, '--reason', 'gone', '--yes'],
      ['users', 'onramp-asset', 'set', NOBODY, '--asset', 'USDC', '--yes'],
      ['users', 'default-wallet', 'show', NOBODY],
      ['users', 'default-wallet', 'set', NOBODY, '--address', ELSEWHERE, '--network', 'base'],
      ['users', 'default-wallet', 'remove', NOBODY],
      ['wallets', 'list', NOBODY],
      ['balances', 'user', NOBODY],
      api('POST', '/cngnonramp', `userId=${NOBODY}`, 'amount=100'),
    ],
  },
  {
    is: 'an unknown id',
    code: 'NOT_FOUND',
    names: ['BANK_ACCOUNT_NOT_FOUND'],
    declares: (fault) => fault === 'NOT_FOUND' || fault === 'BANK_ACCOUNT_NOT_FOUND',
    lines: () => [
      ['payout', 'create', '--amount', '1', '--to', NOTHING],
      ['fees', 'withdraw', '--amount', '500', '--to', NOTHING],
      ['bank-accounts', 'show', NOTHING],
      ['bank-accounts', 'update', NOTHING, '--label', 'x'],
      ['bank-accounts', 'remove', NOTHING],
      ['wallets', 'external', 'remove', ELSEWHERE],
      ['wallets', 'external', 'enable', ELSEWHERE, '--yes'],
      ['users', 'onboarding', 'status', NOTHING],
      ['onramp', 'status', NOTHING],
      ['onramp', 'account', NOTHING],
      ['offramp', 'status', NOTHING],
      ['payout', 'status', NOTHING],
      ['swaps', 'status', NOTHING],
      ['bridge', 'status', NOTHING],
      ['fees', 'withdrawals', 'status', NOTHING],
      ['recover', NOTHING],
      ['fx', 'trade', '--order', NOTHING, '--amount', '1000'],
      ['fx', 'trades', 'status', NOTHING],
      ['fx', 'orders', 'update', NOTHING, '--price', '1400'],
      ['fx', 'orders', 'cancel', NOTHING],
    ],
  },
  {
    is: 'no wallet with a balance',
    code: 'NOT_FOUND',
    names: ['NO_FUNDED_WALLET'],
    declares: (fault) => fault === 'NO_FUNDED_WALLET',
    lines: ({ poorUser }) => [
      api(
        'POST',
        '/cngnofframp',
        `userId=${poorUser}`,
        'amount=100',
        'bankCode=000013',
        'accountNumber=0123456789',
        'ticker=CNGN',
      ),
    ],
  },
  {
    is: 'a balance that is too low',
    code: 'VALIDATION_ERROR',
    names: ['INSUFFICIENT_BALANCE', 'UNDERFUNDED_ORDER'],
    declares: (fault, when) =>
      fault === 'INSUFFICIENT_BALANCE' || fault === 'SHORT_BALANCE' || /balance|available fees/.test(when),
    lines: ({ user }) => [
      api(
        'POST',
        '/cngnofframp',
        `userId=${user}`,
        'amount=90000',
        'bankCode=000013',
        'accountNumber=0123456789',
        'ticker=CNGN',
      ),
    ],
  },
  {
    is: 'a balance that is too low, by code 05 without a name',
    code: 'OUTCOME_UNKNOWN',
    declares: () => false,
    lines: ({ bankAccount, address }) => [
      api('POST', '/initiateofframp', 'amount=900000000000000', `bankAccountId=${bankAccount}`),
      api('POST', '/fintechtransfer', 'amount=900000000000000', `destinationAddress=${address}`),
    ],
  },
  {
    is: 'a wallet that is not one of the user’s',
    code: 'NOT_THE_USERS_WALLET',
    declares: () => false,
    lines: ({ user, wallet }) => [
      ['withdrawals', 'create', user, '--amount', '10', '--token', 'CNGN', '--from', ELSEWHERE, '--to', wallet],
    ],
  },
  {
    is: 'a balance that was read first and is too low',
    code: 'BALANCE_TOO_LOW',
    declares: () => false,
    lines: ({ user, poorUser, wallet, bankAccount, address }) => [
      ['offramp', 'create', poorUser, '--amount', '100', ...TO_BANK],
      ['offramp', 'create', user, '--amount', '90000', ...TO_BANK],
      ['payout', 'create', '--amount', '900000000', '--to', bankAccount],
      ['withdrawals', 'create', user, '--amount', '90000', '--token', 'CNGN', '--from', wallet, '--to', ELSEWHERE],
      ['transfers', 'create', '--amount', '900000000', '--to', address],
      ['swaps', 'create', user, '--sell', 'CNGN', '--buy', 'USDC', '--amount', '90000'],
      ['fees', 'withdraw', '--amount', '90000', ...TO_NAMED],
      ['fx', 'trade', ...buy('5000001')],
      order('1390', '1000', '999999999'),
    ],
  },
  {
    is: 'an amount below the minimum',
    code: 'VALIDATION_ERROR',
    declares: (_fault, when) => /below/.test(when),
    lines: ({ user, wallet, bankAccount, address }) => [
      ['onramp', 'create', user, '--amount', '0'],
      ['offramp', 'create', user, '--amount', '0', ...TO_BANK],
      ['payout', 'create', '--amount', '0', '--to', bankAccount],
      ['withdrawals', 'create', user, '--amount', '0', '--token', 'CNGN', '--from', wallet, '--to', ELSEWHERE],
      ['transfers', 'create', '--amount', '0', '--to', address],
      ['swaps', 'create', user, '--sell', 'CNGN', '--buy', 'USDC', '--amount', '0'],
      ['bridge', 'quote', '--from-network', 'base', '--to-network', 'bsc', '--amount', '0'],
      ['fx', 'quote', ...buy('999')],
      ['fx', 'trade', ...buy('999')],
      ['fx', 'trade', '--market', ...buy('0')],
      order('0', '1000', '2000'),
      api('POST', '/cngnonramp', `userId=${user}`, 'amount=0'),
      api('POST', '/fx/quote', 'pair=CNGN-USDC', 'side=buy', 'cngnAmount=999'),
    ],
  },
  {
    is: 'an amount below the minimum that was read first',
    code: 'BELOW_MINIMUM',
    declares: () => false,
    lines: () => [['fees', 'withdraw', '--amount', '9.99', ...TO_NAMED]],
  },
  {
    is: 'a limit that is exceeded',
    code: 'VALIDATION_ERROR',
    declares: (_fault, when) => /above/.test(when),
    lines: () => [
      api(
        'POST',
        '/feewithdrawal',
        'amount=10000001',
        'bankCode=000013',
        'bankAccountNumber=0123456789',
        'accountName=ADA',
      ),
      ['history', 'deposits', '--limit', '0'],
      api('GET', '/deposits', 'limit=101'),
      api('GET', '/fx/trades', 'limit=101'),
      order('1390', '2000', '1000'),
    ],
  },
  {
    is: 'a token, pair or network that is not supported',
    code: 'VALIDATION_ERROR',
    declares: (_fault, when) => /^the pair|network/.test(when),
    lines: ({ user, wallet, address }) => [
      ['withdrawals', 'create', user, '--amount', '1', '--token', 'DAI', '--from', wallet, '--to', ELSEWHERE],
      ['transfers', 'create', '--amount', '1', '--token', 'DAI', '--to', address],
      ['swaps', 'create', user, '--sell', 'CNGN', '--buy', 'DAI', '--amount', '1'],
      ['swaps', 'create', user, '--sell', 'CNGN', '--buy', 'CNGN', '--amount', '1'],
      ['fx', 'book', 'CNGN-DAI'],
      ['fx', 'quote', '--pair', 'CNGN-DAI', '--side', 'buy', '--amount', '1000'],
      ['bridge', 'quote', '--from-network', 'base', '--to-network', 'moon', '--amount', '10'],
      ['bridge', 'quote', '--from-network', 'base', '--to-network', 'base', '--amount', '10'],
      api('GET', '/fx/orderbook', 'pair=CNGN-DAI'),
      api('POST', '/bridge/quote', 'token=CNGN', 'fromNetwork=base', 'toNetwork=moon', 'amount=10'),
    ],
  },
  {
    is: 'an order book that cannot fill an amount',
    code: 'NOT_FOUND',
    names: ['NO_LIQUIDITY'],
    declares: (fault) => fault === 'NO_LIQUIDITY',
    lines: () => [
      ['fx', 'quote', ...buy('9999999999')],
      api('POST', '/fx/trade', 'pair=CNGN-USDC', 'side=buy', 'cngnAmount=9999999999'),
      api('POST', '/fx/market-order', 'pair=CNGN-USDC', 'side=buy', 'cngnAmount=9999999999'),
    ],
  },
  {
    is: 'an order book that cannot fill a swap',
    code: 'VALIDATION_ERROR',
    names: ['INSUFFICIENT_LIQUIDITY'],
    declares: (fault) => fault === 'INSUFFICIENT_LIQUIDITY',
    lines: () => [],
  },
  {
    is: 'a trade against an own order',
    code: 'VALIDATION_ERROR',
    names: ['SELF_TRADE'],
    declares: (fault) => fault === 'SELF_TRADE',
    lines: () => [],
  },
  {
    is: 'an unknown or expired quote',
    code: 'VALIDATION_ERROR',
    names: ['INVALID_QUOTE'],
    declares: (fault) => fault === 'INVALID_QUOTE',
    lines: () => [['fx', 'trade', '--quote', NOTHING]],
  },
  {
    is: 'payouts that are pending',
    code: 'PENDING_TRANSACTIONS',
    declares: (fault) => fault === 'PENDING_TRANSACTIONS',
    before: ({ bankAccount }) => [['payout', 'create', '--amount', '1000', '--to', bankAccount]],
    lines: ({ bankAccount }) => [
      ['bank-accounts', 'remove', bankAccount],
      api('DELETE', '/deletebankaccount', `accountId=${bankAccount}`),
    ],
  },
  {
    is: 'an address that is not on the allowlist',
    code: 'IP_BLOCKED',
    declares: (fault) => fault === 'IP_BLOCKED',
    before: () => [['ip', 'add', '203.0.113.7', '--lock-me-out', '--yes']],
    lines: ({ user }) => [
      ['fees', 'show'],
      ['users', 'list'],
      ['onramp', 'create', user, '--amount', '100'],
      api('GET', '/getfees'),
    ],
  },
  {
    is: 'a rate limit',
    code: 'RATE_LIMIT_EXCEEDED',
    declares: (fault) => fault === 'RATE_LIMIT_EXCEEDED',
    before: () => [
      ['sandbox', 'fault', 'add', '--on', 'fees.get', '--fault', 'rate-limit', '--times', '100'],
      ['sandbox', 'fault', 'add', '--on', 'users.list', '--fault', 'rate-limit', '--times', '100'],
      ['sandbox', 'fault', 'add', '--on', 'transactions.onramp', '--fault', 'rate-limit', '--times', '100'],
    ],
    lines: ({ user }) => [
      ['fees', 'show', '--timeout', '1s'],
      ['users', 'list', '--timeout', '1s'],
      ['onramp', 'create', user, '--amount', '100', '--timeout', '1s'],
      [...api('GET', '/getfees'), '--timeout', '1s'],
    ],
  },
  {
    is: 'a BVN that cannot be verified',
    code: 'BVN_VALIDATION_FAILED',
    declares: () => false,
    lines: () => [['users', 'onboard', '00000000000', '--wait']],
  },
  {
    is: 'a wrong API key',
    code: 'AUTHENTICATION_FAILED',
    declares: (fault) => fault === 'AUTHENTICATION_FAILED',
    lines: () => [],
  },
  {
    is: 'an identity provider that cannot be reached, after the request was sent',
    code: 'OUTCOME_UNKNOWN',
    declares: (fault) => fault === 'INTERNAL_ERROR',
    lines: () => [['users', 'onboard', '00000000001']],
  },
  {
    is: 'an input that is missing or invalid',
    code: 'VALIDATION_ERROR',
    declares: (fault) => fault === 'VALIDATION_ERROR',
    lines: ({ user, bankAccount }) => [
      ['onramp', 'create', user],
      ['onramp', 'create', user, '--amount', 'much'],
      ['offramp', 'create', user, '--amount', '1', '--bank-code', '12', '--account-number', '0123456789'],
      ['payout', 'create', '--to', bankAccount],
      ['transfers', 'create', '--amount', '1', '--to', 'nowhere'],
      ['transfers', 'create', '--amount', '1', '--to', ELSEWHERE],
      ['users', 'onboard', '123'],
      ['bank-accounts', 'add', '--bank-code', '000013', '--account-number', '123'],
      ['bank-accounts', 'add', '--bank-code', '000013', '--account-number', '0000000000'],
      ['bank-accounts', 'update', bankAccount],
      ['wallets', 'external', 'add', 'nowhere', '--network', 'base'],
      ['fees', 'withdraw', '--amount', '500'],
      ['fees', 'set', '--onramp-percent', '200%'],
      ['fx', 'trade', '--side', 'buy'],
      ['fx', 'auto-signing', 'set', 'much'],
      ['ip', 'add', '256.0.0.1'],
      ['history', 'deposits', '--since', 'last week'],
      api('POST', '/cngnonramp', `userId=${user}`),
      api('POST', '/onboarduser', 'bvn=123'),
      api('POST', '/manageipallowlist', 'action=add', 'ipAddress=256.0.0.1'),
    ],
  },
];
