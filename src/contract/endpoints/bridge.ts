import { addressesFit } from '../addresses.ts';
import { endpoint } from '../endpoint.ts';
import {
  anyText,
  entry,
  fields,
  flag,
  group,
  integer,
  list,
  maybe,
  maybeText,
  moment,
  moneyText,
  number,
  oneOf,
  opaqueUuid,
  optional,
  patterned,
  payload,
  payText,
  percent,
  type Source,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';

const bridge = { rateLimit: { max: 30, windowSeconds: 60 }, source: 'interface' } as const;

const token = () => oneOf('interface', ['CNGN'], { rule: 'CNGN' });
const network = () => text('interface', { rule: 'a network key; list them with: fiatrail bridge networks' });
const amount = () => payText('interface', 'CNGN', { rule: 'greater than 0, in whole tokens' });
const cngn = (source: Source = 'interface') => moneyText(source, 'decimal-string', 'CNGN');
const states = ['initiated', 'pending', 'completed', 'failed'] as const;

export const quoteBridge = endpoint({
  ...bridge,
  id: 'bridge.quote',
  method: 'POST',
  path: '/bridge/quote',
  effect: 'read',
  summary: 'Get a quote for bridging cNGN to another network',
  done: 'Bridge quote created',
  request: () => fields({ token: token(), fromNetwork: network(), toNetwork: network(), amount: amount() }),
  response: () =>
    payload({
      quoteId: anyText('interface'),
      provider: anyText('interface'),
      token: anyText('interface'),
      fromNetwork: anyText('interface'),
      toNetwork: anyText('interface'),
      inputAmount: cngn(),
      outputAmount: cngn(),
      fee: group('interface', {
        total: cngn(),
        percentage: percent('interface'),
        breakdown: group('interface', {
          basePercentage: percent('interface'),
          networkModifier: percent('interface'),
          finalPercentage: percent('interface'),
        }),
      }),
      estimatedDurationSeconds: number('interface'),
      estimatedDurationMinutes: number('interface'),
      validUntil: timestamp('interface'),
    }),
  errors: [
    {
      when: 'the token or a network is unknown, both networks are the same, or the amount is not greater than 0',
      fault: 'VALIDATION_ERROR',
      source: 'inferred',
    },
  ],
});

export const startBridge = endpoint({
  ...bridge,
  id: 'bridge.initiate',
  method: 'POST',
  path: '/bridge/initiate',
  effect: 'money',
  moves: { command: 'bridge start', amount: 'amount', to: [{ address: 'toAddress' }] },
  starts: 'bridge',
  summary: 'Start bridging cNGN to another network; returns the deposit address',
  done: 'Bridge transaction created',
  request: () =>
    fields({
      token: token(),
      fromNetwork: network(),
      toNetwork: network(),
      amount: amount(),
      fromAddress: text('interface', { rule: 'the address the deposit is sent from' }),
      toAddress: text('interface', { rule: 'an address on the destination network' }),
      callbackUrl: optional(patterned('interface', /^https:\/\/[^\s]+$/, 'an HTTPS URL')),
    }).check(addressesFit(['fromAddress', 'fromNetwork'], ['toAddress', 'toNetwork'])),
  response: () =>
    payload({
      requestId: opaqueUuid('interface'),
      transactionId: anyText('interface'),
      receivableAddress: anyText('interface'),
      reference: anyText('interface'),
      status: stateOf('interface', ['initiated']),
      token: anyText('interface'),
      fromNetwork: anyText('interface'),
      toNetwork: anyText('interface'),
      amount: cngn(),
      estimatedDurationMinutes: number('interface'),
      message: anyText('interface'),
    }),
  errors: [
    {
      when: 'a field is missing, a network is unknown, an address is invalid, or callbackUrl is not HTTPS',
      fault: 'VALIDATION_ERROR',
      source: 'inferred',
    },
  ],
});

export const bridgeStatus = endpoint({
  ...bridge,
  id: 'bridge.status',
  method: 'GET',
  path: '/bridge/status/:requestId',
  effect: 'read',
  summary: 'Show the status of a bridge transaction',
  done: 'Bridge status retrieved',
  request: () => fields({ requestId: text('interface', { rule: 'as returned by /bridge/initiate' }) }),
  response: () =>
    payload({
      requestId: opaqueUuid('interface'),
      status: stateOf('interface', states),
      token: anyText('interface'),
      fromNetwork: anyText('interface'),
      toNetwork: anyText('interface'),
      amount: cngn(),
      // Set once completed.
      actualAmount: maybe(cngn()),
      fromAddress: anyText('interface'),
      toAddress: anyText('interface'),
      receivableAddress: anyText('interface'),
      transactionId: anyText('interface'),
      reference: maybeText('interface'),
      txHash: maybeText('interface'),
      explorerLink: maybeText('interface'),
      createdAt: timestamp('interface'),
      completedAt: maybe(timestamp('interface')),
    }),
  errors: [
    {
      when: 'the request id is unknown',
      fault: 'NOT_FOUND',
      source: 'inferred',
      remedy: 'list bridge transactions with: fiatrail bridge list',
    },
  ],
});

export const bridgeNetworks = endpoint({
  ...bridge,
  id: 'bridge.networks',
  method: 'GET',
  path: '/bridge/networks',
  effect: 'read',
  summary: 'List the networks that cNGN can be bridged between',
  done: 'Bridge networks listed',
  request: () => fields({}),
  response: () =>
    payload({
      tokens: list(
        'interface',
        group('interface', {
          token: anyText('interface'),
          networks: list('interface', entry()),
          preferredProvider: anyText('interface'),
        }),
      ),
      allSupportedNetworks: list('interface', entry()),
    }),
  errors: [],
});

export const listBridges = endpoint({
  ...bridge,
  id: 'bridge.history',
  method: 'GET',
  path: '/bridge/history',
  effect: 'read',
  summary: 'List bridge transactions, newest first',
  done: 'Bridge transactions listed',
  lists: 'transactions',
  request: () =>
    fields({
      status: optional(oneOf('interface', states)),
      token: optional(text('interface')),
      fromNetwork: optional(text('interface')),
      toNetwork: optional(text('interface')),
      startDate: optional(moment('interface')),
      endDate: optional(moment('interface')),
      limit: optional(integer('interface', { min: 1, max: 100, rule: '1 to 100; default 20' })),
      page: optional(integer('interface', { min: 1, rule: '1 or more' })),
    }),
  response: () =>
    payload({
      transactions: list(
        'interface',
        group('interface', {
          requestId: anyText('interface'),
          transactionId: anyText('interface'),
          reference: maybeText('interface'),
          status: stateOf('interface', states),
          token: anyText('interface'),
          fromNetwork: anyText('interface'),
          toNetwork: anyText('interface'),
          amount: cngn(),
          actualAmount: maybe(cngn()),
          fromAddress: anyText('interface'),
          toAddress: anyText('interface'),
          receivableAddress: anyText('interface'),
          txHash: maybeText('interface'),
          explorerLink: maybeText('interface'),
          createdAt: timestamp('interface'),
          completedAt: maybe(timestamp('interface')),
        }),
      ),
      pagination: group('interface', {
        total: integer('interface'),
        limit: integer('interface'),
        offset: integer('interface'),
        hasMore: flag('interface'),
      }),
      filters: maybe(
        group('interface', {
          status: maybeText('public'),
          token: maybeText('public'),
          fromNetwork: maybeText('public'),
          toNetwork: maybeText('public'),
          startDate: maybe(timestamp('interface')),
          endDate: maybe(timestamp('interface')),
        }),
      ),
      version: maybeText('interface'),
    }),
  errors: [{ when: 'a filter value is unknown or a date is malformed', fault: 'VALIDATION_ERROR', source: 'inferred' }],
});
