import type { BadCase, Case } from './case.ts';

const quote = { token: 'CNGN', fromNetwork: 'base', toNetwork: 'bsc', amount: '250' };
const address = `0x${'AB'.repeat(20)}`;
const transfer = { ...quote, fromAddress: address, toAddress: address };
const long = 'x'.repeat(501);

export const good: readonly Case[] = [
  ['bridge.quote', quote],
  ['bridge.quote', { ...quote, amount: '0.000001', unknown: 1 }],
  ['bridge.quote', { ...quote, amount: '10000000000' }],
  ['bridge.quote', { ...quote, amount: '007.50' }],
  ['bridge.initiate', transfer],
  ['bridge.initiate', { ...transfer, callbackUrl: 'https://hooks.example.com/a' }],
  ['bridge.status', { requestId: 'r' }],
  ['bridge.networks', {}],
  ['bridge.history', {}],
  [
    'bridge.history',
    { status: 'initiated', token: 'CNGN', fromNetwork: 'base', toNetwork: 'trx', limit: 100, page: 1 },
  ],
  ['bridge.history', { startDate: '2026-08-01', endDate: '2026-08-01T09:30:00Z', limit: 1 }],
];

/** An invalid value for each field that both requests have. */
const wrongRoutes = [
  { token: undefined },
  { token: 'USDC' },
  { token: 'cngn' },
  { fromNetwork: undefined },
  { fromNetwork: '' },
  { fromNetwork: long },
  { toNetwork: undefined },
  { toNetwork: 7 },
  { amount: undefined },
  { amount: 250 },
  { amount: '' },
  { amount: '0' },
  { amount: '-1' },
  { amount: '+1' },
  { amount: '1e3' },
  { amount: '.5' },
  { amount: '1,000' },
  { amount: '0.0000001' },
  { amount: '10000000000.000001' },
];

const nameOf = (wrong: object) => Object.keys(wrong)[0] ?? '';

export const bad: readonly BadCase[] = [
  ...wrongRoutes.flatMap((wrong): BadCase[] => [
    ['bridge.quote', { ...quote, ...wrong }, nameOf(wrong)],
    ['bridge.initiate', { ...transfer, ...wrong }, nameOf(wrong)],
  ]),
  ['bridge.initiate', { ...transfer, fromAddress: undefined }, 'fromAddress'],
  ['bridge.initiate', { ...transfer, fromAddress: '' }, 'fromAddress'],
  ['bridge.initiate', { ...transfer, toAddress: undefined }, 'toAddress'],
  ['bridge.initiate', { ...transfer, toAddress: 'a\nb' }, 'toAddress'],
  ['bridge.initiate', { ...transfer, callbackUrl: 'http://hooks.example.com' }, 'callbackUrl'],
  ['bridge.initiate', { ...transfer, callbackUrl: 'https://hooks.example.com/a b' }, 'callbackUrl'],
  ['bridge.initiate', { ...transfer, callbackUrl: '' }, 'callbackUrl'],
  ['bridge.status', {}, 'requestId'],
  ['bridge.status', { requestId: '' }, 'requestId'],
  ['bridge.history', { status: 'lost' }, 'status'],
  ['bridge.history', { token: '' }, 'token'],
  ['bridge.history', { fromNetwork: '' }, 'fromNetwork'],
  ['bridge.history', { toNetwork: 1 }, 'toNetwork'],
  ['bridge.history', { startDate: 'yesterday' }, 'startDate'],
  ['bridge.history', { startDate: '2026-13-01' }, 'startDate'],
  ['bridge.history', { endDate: '01/08/2026' }, 'endDate'],
  ['bridge.history', { endDate: '2026-08-01T09:30:00' }, 'endDate'],
  ['bridge.history', { limit: 0 }, 'limit'],
  ['bridge.history', { limit: 101 }, 'limit'],
  ['bridge.history', { limit: 1.5 }, 'limit'],
  ['bridge.history', { page: 0 }, 'page'],
  ['bridge.history', { page: '1' }, 'page'],
];
