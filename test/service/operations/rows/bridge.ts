import { sandboxDeposit } from '../../../../src/contract/control.ts';
import {
  bridgeNetworks,
  bridgeStatus,
  listBridges,
  quoteBridge,
  startBridge,
} from '../../../../src/contract/endpoints/bridge.ts';
import { getFintechWallet } from '../../../../src/contract/endpoints/wallets.ts';
import type { Reply, TestSandbox } from '../../../support/sandbox.ts';
import { pass, settle } from '../../steps.ts';
import type { Ask, Declared, GroupRows, Precedence } from './group.ts';

const SENDER = `0x${'5e'.repeat(20)}`;
const OTHER = `0x${'07'.repeat(20)}`;
const route = { token: 'CNGN', fromNetwork: 'base', toNetwork: 'eth', amount: '250' } as const;
const transfer = { ...route, fromAddress: SENDER, toAddress: OTHER };

const quote = (box: TestSandbox, request: object): Promise<Reply> =>
  box.call('POST', '/bridge/quote', { ...route, ...request });
const initiate = (box: TestSandbox, request: object): Promise<Reply> =>
  box.call('POST', '/bridge/initiate', { ...transfer, ...request });
const history = (box: TestSandbox, query: string): Promise<Reply> => box.call('GET', `/bridge/history?${query}`);

const declared: readonly Declared[] = [
  [
    'bridge.quote',
    'the token or a network is unknown, both networks are the same, or the amount is not greater than 0',
    'VALIDATION_ERROR',
    (box) => quote(box, { toNetwork: 'moon' }),
  ],
  [
    'bridge.initiate',
    'a field is missing, a network is unknown, an address is invalid, or callbackUrl is not a public HTTPS URL',
    'VALIDATION_ERROR',
    (box) => initiate(box, { toAddress: 'nowhere' }),
  ],
  ['bridge.status', 'the request id is unknown', 'NOT_FOUND', (box) => box.call('GET', '/bridge/status/nothing')],
  [
    'bridge.history',
    'a filter value is unknown or a date is malformed',
    'VALIDATION_ERROR',
    (box) => history(box, 'startDate=yesterday'),
  ],
];

const precedence: readonly Precedence[] = [
  ['an amount of 0', (box) => quote(box, { amount: '0' }), 'VALIDATION_ERROR', /^amount: expected/],
  ['a token other than cNGN', (box) => quote(box, { token: 'USDC' }), 'VALIDATION_ERROR', /^token: expected CNGN/],
  [
    'a network of the service that does not carry cNGN',
    (box) => quote(box, { fromNetwork: 'trx', toNetwork: 'trx' }),
    'VALIDATION_ERROR',
    /^fromNetwork: expected one of base, bsc/,
  ],
  [
    'the source before the destination',
    (box) => quote(box, { fromNetwork: 'moon', toNetwork: 'mars' }),
    'VALIDATION_ERROR',
    /^fromNetwork/,
  ],
  [
    'one network by two keys',
    (box) => quote(box, { fromNetwork: 'asc', toNetwork: 'ATC' }),
    'VALIDATION_ERROR',
    /^toNetwork: expected a network other/,
  ],
  [
    'an invalid address before identical networks',
    (box) => initiate(box, { toNetwork: 'base', fromAddress: 'nowhere' }),
    'VALIDATION_ERROR',
    /^fromAddress/,
  ],
  [
    'the sender before the destination',
    (box) => initiate(box, { fromAddress: 'nowhere', toAddress: 'nowhere' }),
    'VALIDATION_ERROR',
    /^fromAddress: expected a valid Base address/,
  ],
  [
    'an address of another network',
    (box) => initiate(box, { toNetwork: 'sol' }),
    'VALIDATION_ERROR',
    /^toAddress: expected a valid Solana address/,
  ],
  [
    'a callback without HTTPS before an address',
    (box) => initiate(box, { callbackUrl: 'http://example.com', toAddress: 'nowhere' }),
    'VALIDATION_ERROR',
    /^callbackUrl/,
  ],
  [
    'a callback that is not a URL',
    (box) => initiate(box, { callbackUrl: 'https://[' }),
    'VALIDATION_ERROR',
    /^callbackUrl: expected a public HTTPS URL/,
  ],
  [
    'a callback on a private network',
    (box) => initiate(box, { callbackUrl: 'https://10.0.0.1/hook' }),
    'VALIDATION_ERROR',
    /^callbackUrl: expected a public HTTPS URL, not one on a private network$/,
  ],
  [
    'a callback on this machine',
    (box) => initiate(box, { callbackUrl: 'https://localhost/hook' }),
    'VALIDATION_ERROR',
    /sandbox serve --webhooks-to-loopback permits this machine$/,
  ],
  ['an unknown status', (box) => history(box, 'status=lost'), 'VALIDATION_ERROR', /^status/],
  ['an unknown network in a filter', (box) => history(box, 'toNetwork=moon'), 'VALIDATION_ERROR', /^toNetwork/],
  ['an unknown token in a filter', (box) => history(box, 'token=DOGE'), 'VALIDATION_ERROR', /^token/],
  [
    'an end before the start',
    (box) => history(box, 'startDate=2026-01-02&endDate=2026-01-01'),
    'VALIDATION_ERROR',
    /^startDate/,
  ],
  [
    'a page beyond any list',
    (box) => history(box, `limit=100&page=${Number.MAX_SAFE_INTEGER}`),
    'VALIDATION_ERROR',
    /^page/,
  ],
];

async function walk(box: TestSandbox, ask: Ask) {
  await ask(bridgeNetworks, {});
  await ask(quoteBridge, route);
  const { requestId, receivableAddress } = await ask(startBridge, { ...transfer, callbackUrl: 'https://example.com' });
  const deposit = { address: receivableAddress, asset: 'CNGN', amount: '150', network: 'base', from: SENDER } as const;
  await ask(bridgeStatus, { requestId });
  await ask(listBridges, {});
  await ask(sandboxDeposit, { ...deposit, asset: 'USDC' });
  await ask(sandboxDeposit, deposit);
  await ask(sandboxDeposit, deposit);
  await pass(box, 200);
  await ask(bridgeStatus, { requestId });
  await ask(listBridges, { status: 'pending' });
  const second = await ask(startBridge, transfer);
  await ask(sandboxDeposit, { ...deposit, address: second.receivableAddress, from: OTHER });
  const { smartWallet } = await ask(getFintechWallet, {});
  await ask(sandboxDeposit, { ...deposit, address: smartWallet.address, asset: 'USDT' });
  await settle(box);
  for (const id of [requestId, second.requestId]) await ask(bridgeStatus, { requestId: id });
  const period = { startDate: '2026-01-01', endDate: '2026-12-31T23:59:59Z' };
  await ask(listBridges, { ...period, status: 'completed', token: 'CNGN', fromNetwork: 'base', toNetwork: 'eth' });
  await ask(listBridges, { status: 'failed', page: 1, limit: 1 });
}

export const rows: GroupRows = { declared, precedence, walk, unproduced: {}, unreached: {} };
