import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange, HttpRequest } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { parseExactJson } from '../../src/money/decimal.ts';
import { json, success } from '../support/exchange.ts';
import { bodyOf, httpServer, testNetwork } from '../support/loopback.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';
import type { DocumentedAnswer } from './answers.ts';

/** The name that stands for the service's in documented answers. */
export const SERVICE = 'acme';

type Given = Readonly<Record<string, unknown>>;
type Line = (given: Given) => readonly string[];

const text = (value: unknown, otherwise: string) => (value === undefined ? otherwise : String(value));
const ADDRESS = '0xd356b83195cfe6dd2509f521c97de1eadd649196';
/** An address that the program sends: it refuses those that are invalid itself. */
const evm = (address: unknown) => (/^0x[\da-f]{40}$/i.test(text(address, '')) ? String(address) : ADDRESS);
const inTokens = (base: unknown) => `${text(base, '1000000')} base`;
const order = ({ quoteCurrency = 'USDC', pair = `CNGN-${quoteCurrency}`, side = 'sell', ...given }: Given) => {
  const { price, minAmount, maxAmount } = given;
  return [
    '--pair',
    String(pair),
    '--side',
    String(side),
    '--price',
    text(price, '1400'),
    '--min',
    text(minAmount, '1200'),
    // The program refuses an order whose minimum is above its maximum itself.
    '--max',
    Number(maxAmount) < Number(minAmount) ? text(minAmount, '1200') : text(maxAmount, '90000'),
  ];
};

/** The command that sends a request to each endpoint, with the fields that its answers were documented for. */
const COMMANDS: Readonly<Record<string, Line>> = {
  'POST /onboarduser': () => ['users', 'onboard', '22198765431'],
  'POST /onboardstatus': ({ requestId }) => ['users', 'onboarding', 'status', text(requestId, 'r-1')],
  'POST /getuserdetails': ({ userId }) => ['users', 'show', text(userId, 'u-1')],
  'POST /manageuserstatus': ({ userId, active }) =>
    active === true
      ? ['users', 'activate', text(userId, 'u-1')]
      : ['users', 'deactivate', text(userId, 'u-1'), '--reason', 'Lost phone'],
  'POST /listfintechusers': ({ limit }) => ['users', 'list', '--limit', text(limit, '20')],
  'POST /setuserdefaultwallet': ({ userId, address }) => [
    'users',
    'default-wallet',
    'set',
    '--yes',
    '--network',
    'base',
    text(userId, 'u-1'),
    '--address',
    evm(address),
  ],
  'POST /getuserdefaultwallet': ({ userId }) => ['users', 'default-wallet', 'show', text(userId, 'u-1')],
  'DELETE /removeuserdefaultwallet': ({ userId }) => ['users', 'default-wallet', 'remove', text(userId, 'u-1')],
  'POST /updateonrampasset': ({ userId }) => ['users', 'onramp-asset', 'set', text(userId, 'u-1'), '--asset', 'USDC'],
  'POST /migrateuserwallets': ({ userId }) => [
    'users',
    'migrate-wallets',
    ...(Array.isArray(userId) ? userId.map(String) : ['u-1']),
  ],
  'POST /cngnonramp': ({ userId, amount }) => [
    'onramp',
    'create',
    text(userId, 'u-1'),
    '--amount',
    Number(amount) > 0 ? String(amount) : '500',
  ],
  'POST /cngnonrampstatus': ({ requestId, walletAddress }) => [
    'onramp',
    'status',
    text(requestId ?? walletAddress, 'r-1'),
  ],
  'POST /getvirtualaccount': ({ requestId }) => ['onramp', 'account', text(requestId, 'r-1')],
  'POST /cngnofframp': ({ userId, amount, bankCode, accountNumber }) => [
    'offramp',
    'create',
    text(userId, 'u-1'),
    '--amount',
    text(amount, '500'),
    '--bank-code',
    /^\d{3,6}$/.test(text(bankCode, '')) ? String(bankCode) : '000911',
    '--account-number',
    text(accountNumber, '0123987654'),
  ],
  'POST /cngnofframpstatus': ({ requestId }) => ['offramp', 'status', text(requestId, 'r-1')],
  'POST /initiateofframp': ({ bankAccountId, amount }) => [
    'payout',
    'create',
    '--amount',
    inTokens(Number(amount) > 0 ? amount : undefined),
    '--to',
    text(bankAccountId, 'b-1'),
  ],
  'GET /getofframpstatus': ({ requestId }) => ['payout', 'status', text(requestId, 'r-1')],
  'POST /withdrawasset': ({ userId, internalWallet, amount, destinationWallet, network }) => [
    'withdrawals',
    'create',
    text(userId, 'u-1'),
    '--amount',
    Number(amount) > 0 ? String(amount) : '5',
    '--token',
    'CNGN',
    '--from',
    text(internalWallet, ADDRESS),
    '--to',
    text(destinationWallet, ADDRESS),
    ...(network === undefined ? [] : ['--network', String(network)]),
  ],
  'POST /fintechtransfer': ({ amount, destinationAddress }) => [
    'transfers',
    'create',
    '--amount',
    inTokens(amount),
    '--to',
    text(destinationAddress, ADDRESS),
  ],
  'GET /deposits': ({ limit }) => ['history', 'deposits', '--limit', text(limit, '20')],
  'GET /payouts': ({ limit }) => ['history', 'payouts', '--limit', text(limit, '20')],
  'GET /transactions': ({ limit }) => ['history', 'transactions', '--limit', text(limit, '20')],
  'GET /manualstatusrecovery': () => ['recover', 'r-1'],
  'GET /withdrawals': () => ['history', 'withdrawals'],
  'POST /swap': ({ userId, sellToken, buyToken }) => [
    'swaps',
    'create',
    text(userId, 'u-1'),
    '--sell',
    text(sellToken, 'USDC'),
    '--buy',
    text(buyToken, 'CNGN'),
    '--amount',
    '1',
  ],
  'POST /swaptrigger': ({ walletAddress, amount, buyToken }) => [
    'swaps',
    'create',
    '--wallet',
    text(walletAddress, ADDRESS),
    '--sell',
    'CNGN',
    ...(amount === undefined ? [] : ['--amount', Number(amount) > 0 ? String(amount) : '350']),
    ...(buyToken === undefined ? [] : ['--buy', String(buyToken)]),
  ],
  'GET /swapstatus': ({ requestId }) => ['swaps', 'status', text(requestId, 'swap-1')],
  'GET /swaphistory': () => ['swaps', 'list', '--limit', '1'],
  'GET /bridge/networks': () => ['bridge', 'networks'],
  'POST /bridge/quote': ({ amount, toNetwork }) => [
    'bridge',
    'quote',
    '--from-network',
    'base',
    '--to-network',
    text(toNetwork, 'bsc'),
    '--amount',
    text(amount, '500'),
  ],
  'POST /bridge/initiate': ({ amount, toNetwork }) => [
    'bridge',
    'create',
    '--from-network',
    'base',
    '--to-network',
    text(toNetwork, 'bsc'),
    '--amount',
    text(amount, '500'),
    '--from',
    ADDRESS,
    '--to',
    ADDRESS,
  ],
  'GET /bridge/status/:requestId': ({ requestId }) => ['bridge', 'status', text(requestId, 'bridge_1')],
  'GET /bridge/history': () => ['bridge', 'list'],
  'GET /getfintechwallet': () => ['wallets', 'show'],
  'POST /listuserwallets': ({ userId }) => ['wallets', 'list', text(userId, 'u-1')],
  'POST /addexternalwallet': ({ address, type }) => [
    'wallets',
    'external',
    'add',
    evm(address),
    '--network',
    'base',
    '--wallet-type',
    text(type, 'other'),
  ],
  'PUT /updateexternalwalletstatus': ({ address, status }) => [
    'wallets',
    'external',
    status === 'inactive' ? 'disable' : 'enable',
    evm(address),
  ],
  'DELETE /removeexternalwallet': ({ address }) => ['wallets', 'external', 'remove', evm(address)],
  'GET /balance/multi': ({ token }) => ['balances', 'account', '--token', text(token, 'CNGN')],
  'POST /balance/address': ({ address, token }) => [
    'balances',
    'address',
    text(address, ADDRESS),
    '--token',
    text(token, 'CNGN'),
  ],
  'GET /balance/user/:userId': ({ userId, token }) => [
    'balances',
    'user',
    text(userId, 'u-1'),
    '--token',
    text(token, 'CNGN'),
  ],
  'GET /getfintechvirtualaccount': () => ['wallets', 'deposit-account'],
  'POST /getbankscode': () => ['banks'],
  'POST /addbankaccount': ({ accountNumber, bankCode }) => [
    'bank-accounts',
    'add',
    '--account-number',
    /^\d{10}$/.test(text(accountNumber, '')) ? String(accountNumber) : '0123456789',
    '--bank-code',
    text(bankCode, '000911'),
    '--yes',
  ],
  'GET /listbankaccounts': () => ['bank-accounts', 'list'],
  'GET /getbankaccounts': ({ accountId }) => ['bank-accounts', 'show', text(accountId, 'b-1')],
  'PUT /updatebankaccount': ({ accountId }) => ['bank-accounts', 'update', text(accountId, 'b-1'), '--label', 'fees'],
  'DELETE /deletebankaccount': ({ accountId }) => ['bank-accounts', 'remove', text(accountId, 'b-1')],
  'GET /getfees': () => ['fees', 'show'],
  'GET /getaccumulatedfees': () => ['fees', 'earned'],
  [`POST /fees/${SERVICE}/preview`]: ({ amount, transactionType }) => [
    'fees',
    'preview',
    '--amount',
    `${text(amount, '180000')} kobo`,
    '--transaction-type',
    text(transactionType, 'offramp'),
  ],
  'POST /verifywithdrawal': ({ transactionReference, withdrawalId }) => [
    'fees',
    'withdrawals',
    'status',
    text(transactionReference ?? withdrawalId, 'FTW_1'),
  ],
  'GET /getwithdrawalhistory': () => ['fees', 'withdrawals', 'list'],
  'POST /fx/quote': ({ pair, side, cngnAmount, tokenAmount }) => [
    'fx',
    'quote',
    '--pair',
    text(pair, 'CNGN-USDC'),
    '--side',
    text(side, 'sell'),
    '--amount',
    tokenAmount === undefined
      ? Number(cngnAmount) >= 1000
        ? String(cngnAmount)
        : '57000'
      : `${tokenAmount} ${text(pair, 'CNGN-USDC').slice(-4)}`,
  ],
  'POST /fx/trade': ({ quoteId, orderId, pair, side, cngnAmount }) => {
    const amount = ['--amount', text(cngnAmount, '57000')];
    if (quoteId !== undefined) return ['fx', 'trade', '--quote', String(quoteId)];
    if (orderId !== undefined) return ['fx', 'trade', '--order', String(orderId), ...amount];
    return ['fx', 'trade', '--pair', text(pair, 'CNGN-USDC'), '--side', text(side, 'sell'), ...amount];
  },
  'POST /fx/market-order': ({ pair, side, cngnAmount }) => [
    'fx',
    'trade',
    '--market',
    '--pair',
    text(pair, 'CNGN-USDC'),
    '--side',
    text(side, 'sell'),
    '--amount',
    text(cngnAmount, '57000'),
  ],
  'POST /fx/limit-order': (given) => ['fx', 'orders', 'create', ...order(given)],
  'POST /fx/orders': (given) => ['fx', 'orders', 'create', ...order(given)],
  'PUT /fx/limit-order/update': ({ orderId, price, maxAmount, status }) => [
    'fx',
    'orders',
    'update',
    text(orderId, 'order_1'),
    ...(status === undefined ? [] : ['--status', String(status)]),
    ...(maxAmount === undefined ? [] : ['--max', String(maxAmount)]),
    ...(status === undefined && maxAmount === undefined ? ['--price', text(price, '1400')] : []),
  ],
  'DELETE /fx/limit-order/delete': ({ orderId }) => ['fx', 'orders', 'cancel', text(orderId, 'order_1')],
  'GET /fx/limit-orders': () => ['fx', 'orders', 'list'],
  'GET /fx/orderbook': ({ pair }) => ['fx', 'book', text(pair, 'CNGN-USDC')],
  'GET /fx/orderbook/stats': ({ pair }) => ['fx', 'stats', text(pair, 'CNGN-USDC')],
  'GET /fx/orderbook-token': () => ['fx', 'book-token'],
  'GET /fx/trades': () => ['fx', 'trades', 'list'],
  'GET /fx/trades/status': ({ tradeId }) => ['fx', 'trades', 'status', text(tradeId, 'trade_1')],
  'GET /fx/settings': () => ['fx', 'vault', 'show'],
  'GET /fx/auto-signing/status': () => ['fx', 'auto-signing', 'show'],
  'GET /fx/auto-signing/stats': () => ['fx', 'auto-signing', 'stats'],
  'GET /autosigning/config': () => ['wallets', 'auto-signing', 'show'],
  'GET /getplatformpublickey': () => ['keys', 'platform', 'show'],
};

const PRIVATE_KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\naW52ZW50ZWQ=\n-----END OPENSSH PRIVATE KEY-----\n';
const ACCOUNT_OF_FEES = ['--account-number', '0210987654', '--bank-code', '911', '--account-name', 'ACME PAY LTD'];
const ALLOWLIST: Readonly<Record<string, Line>> = {
  list: () => ['ip', 'list'],
  check: () => ['ip', 'check'],
  add: ({ ipAddress }) => ['ip', 'add', String(ipAddress)],
  remove: ({ ipAddress }) => ['ip', 'remove', String(ipAddress)],
};

/** The commands that take several requests, files or standard input, and what `api` calls because no command does. */
const OTHERS: Readonly<Record<string, Line>> = {
  'GET /getaeskey': () => ['keys', 'aes', 'show', '--print-key'],
  'GET /getwebhook': () => ['api', 'GET', '/getwebhook'],
  'POST /setwebhook': (given) => ['api', 'POST', '/setwebhook', '-d', JSON.stringify(given)],
  'POST /togglewebhookstatus': (given) => ['api', 'POST', '/togglewebhookstatus', '-d', JSON.stringify(given)],
  'POST /storepublickey': (given) => ['api', 'POST', '/storepublickey', '-d', JSON.stringify(given)],
  'POST /createsandboxapikey': () => ['keys', 'sandbox', 'add', '--base-url', 'https://service.test/v1', '--print-key'],
  'POST /feewithdrawal': ({ amount }) => ['fees', 'withdraw', '--amount', `${amount} kobo`, ...ACCOUNT_OF_FEES],
  'PUT /managefees': ({ onrampFee }) => {
    const { percentageFee, capFee } = (onrampFee ?? { percentageFee: 1, capFee: 50_000 }) as Given;
    return ['fees', 'set', '--onramp-percent', `${percentageFee}%`, '--onramp-cap', `${capFee} kobo`, '--onramp', 'on'];
  },
  'POST /manageipallowlist': (given) => ALLOWLIST[String(given['action'])]?.(given) ?? [],
  'POST /fx/auto-signing/enable': () => ['fx', 'auto-signing', 'enable'],
  'POST /fx/auto-signing/disable': () => ['fx', 'auto-signing', 'disable'],
  'POST /fx/auto-signing/threshold': ({ usdThreshold }) => ['fx', 'auto-signing', 'set', String(usdThreshold)],
  'POST /fx/mpc/register': ({ vaultId, tokenWallets = {} }) => [
    'fx',
    'vault',
    'register',
    '--vault-id',
    String(vaultId),
    '--usdc',
    evm((tokenWallets as Given)['USDC']),
    '--usdt',
    evm((tokenWallets as Given)['USDT']),
    '--email',
    'ops@acme.example',
    '--public-key-file',
    'signer.pub',
    '--private-key-file',
    'client',
    '--api-key-stdin',
  ],
};

/** Tested with the rotation process of a key rotation, because the command reads with the new key. */
export const UNSHOWN: readonly string[] = ['GET /regenerateapikey'];

/** The command of an endpoint, if it has one. */
export const lineOf = (endpoint: string): Line | undefined => COMMANDS[endpoint] ?? OTHERS[endpoint];

/** Whether the command of an endpoint sends one request. */
export const isSingle = (endpoint: string): boolean => COMMANDS[endpoint] !== undefined;

/** What the allowlist says before and after a change that is documented. */
const ALLOWLIST_STATE: Readonly<Record<string, object>> = {
  list: {
    action: 'list',
    ipAddresses: [
      { index: 0, ip: '192.0.2.1' },
      { index: 1, ip: '203.0.113.9' },
    ],
    totalIps: 2,
  },
  check: { action: 'check', yourIp: '192.0.2.1', isAllowed: true, matchedRule: '192.0.2.1', totalConfiguredIps: 2 },
};

/** The answer to another action than the documented one; undefined for the documented one. */
function otherAction({ request }: DocumentedAnswer, body: string | undefined) {
  const { action } = JSON.parse(body ?? '{}') as { action?: string };
  return action === request?.['action'] ? undefined : success(ALLOWLIST_STATE[action ?? ''] ?? {});
}

/** Answers one endpoint as documented, and everything else with a plain success. */
function networkOf(answer: DocumentedAnswer) {
  const { endpoint, http, headers, body } = answer;
  const [method, path = ''] = endpoint.split(' ');
  // Orders are created under two paths; the client uses one of them.
  const sent = path === '/fx/limit-order' ? '/fx/orders' : path;
  const pattern = new RegExp(`^/v1${sent.replace(/:\w+/g, '[^/]+')}$`);
  let asked = 0;
  let last: HttpRequest | undefined;
  const network = async (request: HttpRequest) => {
    const isAsked =
      pattern.test(new URL(request.url).pathname) && (request.method === method || path === '/getbankscode');
    if (!isAsked) return success({ fintechId: SERVICE });
    const other = path === '/manageipallowlist' ? otherAction(answer, request.body) : undefined;
    if (other) return other;
    asked += 1;
    last = request;
    return json(http, body, headers);
  };
  return { network, asked: () => asked, sent: () => last };
}

function given({ request = {} }: DocumentedAnswer): Given {
  const { query, path, ...rest } = request as { query?: Given; path?: Given };
  return { ...rest, ...query, ...path };
}

interface Outcome {
  readonly code: number | undefined;
  /** How often the endpoint was asked. */
  readonly asked: number;
  /** The last request to the endpoint. */
  readonly sent: HttpRequest | undefined;
  readonly printed: unknown;
  readonly err: string;
}

/** Runs the command of an answer's endpoint against that answer. */
export async function run(answer: DocumentedAnswer, timeout = '2s'): Promise<Outcome> {
  const { network, asked, sent } = networkOf(answer);
  const ended = await runAgainst(answer, 'https://service.test/v1', network, timeout);
  return { ...ended, asked: asked(), sent: sent() };
}

/** Like `run`, with a server on this machine and the real network. */
export async function runOverHttp(answer: DocumentedAnswer): Promise<Outcome> {
  const { network, asked, sent } = networkOf(answer);
  const { baseUrl } = await httpServer(async (incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    const { status, headers, body } = await network({
      method,
      url: `http://127.0.0.1${url}`,
      headers: {},
      body: (await bodyOf(incoming)) || undefined,
    });
    outgoing.writeHead(status, { ...headers }).end(body);
  });
  return { ...(await runAgainst(answer, baseUrl, testNetwork(), '5s')), asked: asked(), sent: sent() };
}

async function runAgainst(
  answer: DocumentedAnswer,
  baseUrl: string,
  network: Exchange,
  timeout: string,
): Promise<Omit<Outcome, 'asked' | 'sent'>> {
  const line = lineOf(answer.endpoint);
  if (!line) throw new Error(`no command for ${answer.endpoint}`);
  const env = { ...ACCOUNT, FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: 'a-key', FIATRAIL_SERVICE_NAME: SERVICE };
  const world = fakeWorld({ env, network, stdin: 'a-vault-key' });
  writeFileSync(join(world.homeDir, 'signer.pub'), 'ssh-ed25519 AAAAinvented ops');
  writeFileSync(join(world.homeDir, 'client'), PRIVATE_KEY);
  const files = { ...world, readFile: async (path: string) => readFileSync(join(world.homeDir, path), 'utf8') };
  const code = await main([...line(given(answer)), '--yes', '--no-input', '-o', 'json', '--timeout', timeout], files);
  const out = world.stdout.text();
  return { code, printed: out === '' ? {} : parseExactJson(out), err: world.stderr.text() };
}
