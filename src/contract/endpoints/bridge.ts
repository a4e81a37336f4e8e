import { advice } from '../../base/advice.ts';
import { addressesFit } from '../addresses.ts';
import { endpoint, invalid, refusal, WORK_FAILS } from '../endpoint.ts';
import * as f from '../fields.ts';

const token = () => f.oneOf('interface', ['CNGN'], { rule: 'CNGN' });
const network = () =>
  f.text('interface', { rule: 'a network key; list them with: fiatrail bridge networks', names: 'network' });
const amount = () => f.payText('interface', 'CNGN', { rule: 'greater than 0, in whole tokens' });
const cngn = (source: f.Source = 'interface') => f.moneyText(source, 'decimal-string', 'CNGN');
/** Documented figures of a quote have a decimal point, except the amount that was asked for. */
const pointed = () => f.moneyText('interface', 'decimal-string', 'CNGN', { mayBeBase: true });
const states = ['initiated', 'pending', 'completed', 'failed'] as const;

export const quoteBridge = endpoint({
  id: 'bridge.quote',
  method: 'POST',
  path: '/bridge/quote',
  effect: 'read',
  summary: 'Get a quote for bridging cNGN to another network',
  done: 'Bridge quote created',
  repeats: { token: 'token', fromNetwork: 'fromNetwork', toNetwork: 'toNetwork', amount: 'inputAmount' },
  request: () => f.fields({ token: token(), fromNetwork: network(), toNetwork: network(), amount: amount() }),
  response: () =>
    f.payload({
      quoteId: f.anyText('interface'),
      provider: f.anyText('interface'),
      token: f.anyText('interface'),
      fromNetwork: f.anyText('interface'),
      toNetwork: f.anyText('interface'),
      inputAmount: f.moneyText('interface', 'decimal-string', 'CNGN', { mayBeBase: 'with-others' }),
      outputAmount: pointed(),
      fee: f.group('interface', {
        total: pointed(),
        percentage: f.percent('interface'),
        breakdown: f.group('interface', {
          basePercentage: f.percent('interface'),
          networkModifier: f.percent('interface'),
          finalPercentage: f.percent('interface'),
        }),
      }),
      estimatedDurationSeconds: f.number('interface'),
      estimatedDurationMinutes: f.number('interface'),
      validUntil: f.timestamp('interface'),
    }),
  errors: [
    invalid(
      'inferred',
      'the token or a network is unknown, both networks are the same, or the amount is not greater than 0',
    ),
  ],
});

export const startBridge = endpoint({
  id: 'bridge.initiate',
  method: 'POST',
  path: '/bridge/initiate',
  effect: 'money',
  moves: { command: 'bridge create', amount: 'amount', to: [{ address: 'toAddress' }] },
  starts: 'bridge',
  summary: 'Start bridging cNGN to another network; returns the deposit address',
  done: 'Bridge transaction created',
  repeats: { token: 'token', fromNetwork: 'fromNetwork', toNetwork: 'toNetwork', amount: 'amount' },
  fails: WORK_FAILS,
  request: () =>
    f.checkedFields(addressesFit(['fromAddress', 'fromNetwork'], ['toAddress', 'toNetwork']), {
      token: token(),
      fromNetwork: network(),
      toNetwork: network(),
      amount: amount(),
      fromAddress: f.text('interface', { personal: 'address', rule: 'the address the deposit is sent from' }),
      toAddress: f.text('interface', { personal: 'address', rule: 'an address on the destination network' }),
      callbackUrl: f.optional(f.patterned('interface', /^https:\/\/[^\s]+$/, 'an HTTPS URL', { personal: 'url' })),
    }),
  response: () =>
    f.payload({
      requestId: f.opaqueUuid('interface'),
      transactionId: f.anyText('interface'),
      receivableAddress: f.anyText('interface', { personal: 'address' }),
      reference: f.anyText('interface', { personal: 'reference' }),
      status: f.stateOf('interface', ['initiated']),
      token: f.anyText('interface'),
      fromNetwork: f.anyText('interface'),
      toNetwork: f.anyText('interface'),
      amount: cngn(),
      estimatedDurationMinutes: f.number('interface'),
      message: f.anyText('interface', { personal: 'text' }),
    }),
  errors: [
    invalid(
      'inferred',
      'a field is missing, a network is unknown, an address is invalid, or callbackUrl is not a public HTTPS URL',
    ),
  ],
});

export const bridgeStatus = endpoint({
  id: 'bridge.status',
  method: 'GET',
  path: '/bridge/status/:requestId',
  effect: 'read',
  summary: 'Show the status of a bridge transaction',
  done: 'Bridge status retrieved',
  repeats: { requestId: 'requestId' },
  fails: WORK_FAILS,
  request: () => f.fields({ requestId: f.text('interface', { rule: 'as returned by /bridge/initiate' }) }),
  response: () =>
    f.payload({
      requestId: f.opaqueUuid('interface'),
      status: f.stateOf('interface', states),
      token: f.anyText('interface'),
      fromNetwork: f.anyText('interface'),
      toNetwork: f.anyText('interface'),
      amount: cngn(),
      // Set once completed.
      actualAmount: f.maybe(cngn()),
      fromAddress: f.anyText('interface', { personal: 'address' }),
      toAddress: f.anyText('interface', { personal: 'address' }),
      receivableAddress: f.anyText('interface', { personal: 'address' }),
      transactionId: f.anyText('interface'),
      reference: f.maybeText('interface', { personal: 'reference' }),
      txHash: f.maybeText('interface', { personal: 'hash' }),
      explorerLink: f.maybeText('interface', { personal: 'url' }),
      createdAt: f.timestamp('interface'),
      completedAt: f.maybe(f.timestamp('interface')),
    }),
  errors: [
    refusal(
      'NOT_FOUND',
      'inferred',
      'the request id is unknown',
      advice`list bridge transactions with: [fiatrail bridge list]`,
    ),
  ],
});

export const bridgeNetworks = endpoint({
  id: 'bridge.networks',
  method: 'GET',
  path: '/bridge/networks',
  effect: 'read',
  summary: 'List the networks that cNGN can be bridged between',
  done: 'Bridge networks listed',
  request: () => f.fields({}),
  response: () =>
    f.payload({
      tokens: f.list(
        'interface',
        f.group('interface', {
          token: f.anyText('interface'),
          networks: f.list('interface', f.entry()),
          preferredProvider: f.anyText('interface'),
        }),
      ),
      allSupportedNetworks: f.list('interface', f.entry()),
    }),
});

export const listBridges = endpoint({
  id: 'bridge.history',
  method: 'GET',
  path: '/bridge/history',
  effect: 'read',
  summary: 'List bridge transactions, newest first',
  done: 'Bridge transactions listed',
  lists: 'transactions',
  repeats: {
    status: 'filters.status',
    token: 'filters.token',
    fromNetwork: 'filters.fromNetwork',
    toNetwork: 'filters.toNetwork',
  },
  request: () =>
    f.fields({
      status: f.optional(f.oneOf('interface', states)),
      token: f.optional(f.text('interface', { names: 'tokens' })),
      fromNetwork: f.optional(f.text('interface', { names: 'network' })),
      toNetwork: f.optional(f.text('interface', { names: 'network' })),
      ...f.range('interface'),
      limit: f.optional(f.integer('interface', { min: 1, max: 100, rule: '1 to 100; default 20' })),
      page: f.optional(f.integer('interface', { min: 1, rule: '1 or more' })),
    }),
  response: () =>
    f.payload({
      transactions: f.list(
        'interface',
        f.group('interface', {
          requestId: f.anyText('interface'),
          transactionId: f.anyText('interface'),
          reference: f.maybeText('interface', { personal: 'reference' }),
          status: f.stateOf('interface', states),
          token: f.anyText('interface'),
          fromNetwork: f.anyText('interface'),
          toNetwork: f.anyText('interface'),
          amount: cngn(),
          actualAmount: f.maybe(cngn()),
          fromAddress: f.anyText('interface', { personal: 'address' }),
          toAddress: f.anyText('interface', { personal: 'address' }),
          receivableAddress: f.anyText('interface', { personal: 'address' }),
          txHash: f.maybeText('interface', { personal: 'hash' }),
          explorerLink: f.maybeText('interface', { personal: 'url' }),
          createdAt: f.timestamp('interface'),
          completedAt: f.maybe(f.timestamp('interface')),
        }),
      ),
      pagination: f.pagination(),
      filters: f.maybe(
        f.group('interface', {
          status: f.maybeText('public'),
          token: f.maybeText('public'),
          fromNetwork: f.maybeText('public'),
          toNetwork: f.maybeText('public'),
          startDate: f.maybe(f.timestamp('interface')),
          endDate: f.maybe(f.timestamp('interface')),
        }),
      ),
      version: f.maybeText('interface'),
    }),
  errors: [invalid('inferred', 'a filter value is unknown or a date is malformed')],
});
