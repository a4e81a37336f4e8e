import { advice } from '../base/advice.ts';
import { TOKENS } from '../money/amount.ts';
import { endpoint, refusal } from './endpoint.ts';
import * as f from './fields.ts';
import { FAULT_KINDS, SIMULATED_KINDS } from './sandbox.ts';

/**
 * The sandbox's own controls, under /_sandbox and outside /v1. They simulate the banks and chains around the service and
 * move its clock. They are not part of the service's specification.
 */
const control = {
  area: 'control',
  errors: [],
  rateLimit: { max: 1_000_000, windowSeconds: 60 },
  source: 'inferred',
} as const;

const paces = ['instant', 'quick', 'real'] as const;

export const sandboxStatus = endpoint({
  ...control,
  id: 'sandbox.status',
  method: 'GET',
  path: '/_sandbox/status',
  effect: 'read',
  summary: "Show the sandbox's clock, ledger and contents",
  done: 'Sandbox status retrieved',
  request: () => f.only({ values: f.optional(f.flag('inferred')) }),
  response: () =>
    f.payload({
      fintechId: f.anyText('inferred'),
      fintechName: f.anyText('inferred', { personal: 'name' }),
      now: f.timestamp('inferred'),
      clockOffsetSeconds: f.integer('inferred', { min: Number.MIN_SAFE_INTEGER }),
      pace: f.oneOf('inferred', paces),
      rateLimits: f.oneOf('inferred', ['on', 'off']),
      users: f.integer('inferred'),
      pending: f.integer('inferred'),
      stuck: f.integer('inferred'),
      events: f.integer('inferred'),
      openTrades: f.integer('inferred'),
      escrow: f.group('inferred', {
        CNGN: f.moneyText('inferred', 'token', 'CNGN'),
        USDC: f.moneyText('inferred', 'token', 'USDC'),
        USDT: f.moneyText('inferred', 'token', 'USDT'),
      }),
      ledger: f.group('inferred', {
        balanced: f.flag('inferred'),
        accounts: f.integer('inferred'),
        postingSets: f.integer('inferred'),
        sums: f.group('inferred', {
          NGN: f.anyText('inferred'),
          CNGN: f.anyText('inferred'),
          USDC: f.anyText('inferred'),
          USDT: f.anyText('inferred'),
        }),
      }),
      bvns: f.optional(
        f.list(
          'inferred',
          f.group('inferred', { bvn: f.anyText('inferred', { personal: 'account' }), means: f.anyText('inferred') }),
        ),
      ),
      accounts: f.optional(
        f.list(
          'inferred',
          f.group('inferred', {
            accountNumber: f.anyText('inferred', { personal: 'account' }),
            means: f.anyText('inferred'),
          }),
        ),
      ),
      trades: f.optional(
        f.list('inferred', f.group('inferred', { cngnAmount: f.anyText('inferred'), means: f.anyText('inferred') })),
      ),
      values: f.optional(
        f.list(
          'inferred',
          f.group('inferred', {
            use: f.anyText('inferred'),
            value: f.anyText('inferred'),
            means: f.anyText('inferred'),
          }),
        ),
      ),
      refusals: f.optional(
        f.list(
          'inferred',
          f.group('inferred', {
            operation: f.anyText('inferred'),
            names: f.list('inferred', f.anyText('inferred')),
          }),
        ),
      ),
      // Shows API keys on purpose: trying out two fintechs takes the second one's key.
      fintechs: f.optional(
        f.list(
          'inferred',
          f.group('inferred', {
            fintechId: f.anyText('inferred'),
            name: f.anyText('inferred', { personal: 'name' }),
            sandboxKey: f.orNull(f.anyText('inferred', { personal: 'key' })),
            productionKey: f.orNull(f.anyText('inferred', { personal: 'key' })),
          }),
        ),
      ),
    }),
});

export const sandboxReset = endpoint({
  ...control,
  id: 'sandbox.reset',
  method: 'POST',
  path: '/_sandbox/reset',
  effect: 'destructive',
  summary: 'Discard the sandbox state and seed it again',
  done: 'Sandbox reset',
  request: () => f.only({ pace: f.optional(f.oneOf('inferred', paces)), rateLimits: f.optional(f.flag('inferred')) }),
  response: () => f.payload({ fintechId: f.anyText('inferred'), now: f.timestamp('inferred') }),
});

export const sandboxSeed = endpoint({
  ...control,
  id: 'sandbox.seed',
  method: 'POST',
  path: '/_sandbox/seed',
  effect: 'write',
  summary: 'Add users or history to the sandbox, or change its pace and rate limits',
  done: 'Sandbox seeded',
  request: () =>
    f.only({
      users: f.optional(f.integer('inferred', { max: 1000, rule: '0 to 1000' })),
      /** Transactions to add now. `historyTotal` transactions are spread over the past year; the first `historyDone` exist already. */
      history: f.optional(f.integer('inferred', { max: 50_000, rule: '0 to 50000' })),
      historyDone: f.optional(f.integer('inferred')),
      historyTotal: f.optional(f.integer('inferred')),
      pace: f.optional(f.oneOf('inferred', paces)),
      rateLimits: f.optional(f.flag('inferred')),
    }),
  response: () =>
    f.payload({
      users: f.integer('inferred'),
      transactions: f.integer('inferred'),
      pace: f.oneOf('inferred', paces),
      rateLimits: f.oneOf('inferred', ['on', 'off']),
    }),
});

export const sandboxSimulate = endpoint({
  ...control,
  id: 'sandbox.simulate',
  method: 'POST',
  path: '/_sandbox/simulate',
  effect: 'write',
  summary: "Simulate a day of an account's life",
  done: 'Day simulated',
  request: () =>
    f.only({
      seed: f.integer('inferred', { max: 2 ** 32 - 1, rule: '0 to 4294967295' }),
      users: f.integer('inferred', { min: 1, max: 10_000, rule: '1 to 10000; how many users there are in the end' }),
      days: f.integer('inferred', { min: 1, max: 3650, rule: '1 to 3650; how many days are left, this one included' }),
      until: f.optional(f.moment('inferred', { rule: 'when the last day ends' })),
      from: f.optional(f.moment('inferred', { rule: 'when the day before ended; left out for the first one' })),
    }),
  response: () =>
    f.payload({
      from: f.timestamp('inferred'),
      now: f.timestamp('inferred'),
      until: f.timestamp('inferred'),
      wasSetBack: f.flag('inferred'),
      /** Absent before the last day. */
      balanced: f.optional(f.flag('inferred')),
      operations: f.integer('inferred'),
      events: f.integer('inferred'),
      lostAttempts: f.integer('inferred'),
      kinds: f.list(
        'inferred',
        f.group('inferred', {
          kind: f.oneOf('inferred', SIMULATED_KINDS),
          /** Rejected requests among them. An asset that the others did not move is null. */
          requests: f.integer('inferred'),
          rejected: f.integer('inferred'),
          NGN: f.orNull(f.moneyText('inferred', 'naira', 'NGN')),
          CNGN: f.orNull(f.moneyText('inferred', 'token', 'CNGN')),
          USDC: f.orNull(f.moneyText('inferred', 'token', 'USDC')),
          USDT: f.orNull(f.moneyText('inferred', 'token', 'USDT')),
        }),
      ),
      failures: f.list(
        'inferred',
        f.group('inferred', {
          kind: f.oneOf('inferred', SIMULATED_KINDS),
          code: f.anyText('inferred'),
          count: f.integer('inferred'),
        }),
      ),
    }),
});

export const sandboxPay = endpoint({
  ...control,
  id: 'sandbox.pay',
  method: 'POST',
  path: '/_sandbox/pay',
  effect: 'write',
  summary: 'Simulate a bank transfer into a virtual account',
  done: 'Bank transfer simulated',
  request: () =>
    f.only({
      accountNumber: f.accountNumber('inferred'),
      amount: f.pay('inferred', 'naira', 'NGN'),
      senderName: f.text('inferred', { personal: 'name', rule: "the sender's name on the bank's records" }),
    }),
  response: () =>
    f.payload({
      depositId: f.anyText('inferred'),
      accountNumber: f.anyText('inferred', { personal: 'account' }),
      amount: f.money('inferred', 'naira', 'NGN'),
      outcome: f.oneOf('inferred', ['accepted', 'refunded']),
      reason: f.orNull(f.anyText('inferred', { personal: 'text' })),
    }),
  errors: [
    refusal(
      'NOT_FOUND',
      'inferred',
      'no virtual account has this number',
      advice`get the number of an account with: [fiatrail onramp account <request id>]`,
    ),
  ],
});

export const sandboxDeposit = endpoint({
  ...control,
  id: 'sandbox.deposit',
  method: 'POST',
  path: '/_sandbox/deposit',
  effect: 'write',
  summary: 'Simulate a token deposit to a sandbox address',
  done: 'Token deposit simulated',
  request: () =>
    f.only({
      address: f.text('inferred', {
        personal: 'address',
        rule: 'a sandbox wallet, or the receivable address of a bridge transaction',
      }),
      asset: f.oneOf('inferred', TOKENS),
      amount: f.payText('inferred', { field: 'asset' }),
      network: f.text('inferred', { rule: 'a network key, such as base' }),
      from: f.text('inferred', { personal: 'address', rule: 'the address the tokens come from' }),
    }),
  response: () =>
    f.payload({
      address: f.anyText('inferred', { personal: 'address' }),
      asset: f.oneOf('inferred', TOKENS),
      amount: f.moneyText('inferred', 'decimal-string', { field: 'asset' }),
      outcome: f.oneOf('inferred', ['credited', 'bridging', 'returned']),
      reason: f.orNull(f.oneOf('inferred', ['wrong_sender', 'wrong_token', 'already_received'])),
    }),
});

export const sandboxAdvance = endpoint({
  ...control,
  id: 'sandbox.advance',
  method: 'POST',
  path: '/_sandbox/advance',
  effect: 'write',
  summary: "Advance the sandbox's clock and run everything that falls due",
  done: 'Clock advanced',
  request: () =>
    f.only({ durationMs: f.integer('inferred', { min: 1, rule: 'a duration, such as 30s, 31m, 2h or 5d' }) }),
  response: () => f.payload({ now: f.timestamp('inferred'), events: f.integer('inferred') }),
});

export const sandboxClock = endpoint({
  ...control,
  id: 'sandbox.clock',
  method: 'GET',
  path: '/_sandbox/clock',
  effect: 'read',
  summary: "Show the sandbox's clock",
  done: 'Clock read',
  request: () => f.only({}),
  response: () =>
    f.payload({
      now: f.timestamp('inferred'),
      machineTime: f.timestamp('inferred'),
      clockOffsetSeconds: f.integer('inferred', { min: Number.MIN_SAFE_INTEGER }),
    }),
});

export const sandboxSettle = endpoint({
  ...control,
  id: 'sandbox.settle',
  method: 'POST',
  path: '/_sandbox/settle',
  effect: 'write',
  summary: 'Complete everything that is waiting for a bank, a chain or an approval',
  done: 'Pending work settled',
  request: () => f.only({}),
  response: () => f.payload({ now: f.timestamp('inferred'), events: f.integer('inferred') }),
});

/** A state file in gzip and base64url. It contains every key of the sandbox. */
const stateFile = () =>
  f.patterned('inferred', /^[\w-]+$/, 'a state file, compressed with gzip, in base64url', { secret: true });

export const sandboxSnapshot = endpoint({
  ...control,
  id: 'sandbox.snapshot',
  method: 'POST',
  path: '/_sandbox/snapshot',
  effect: 'read',
  summary: 'Return the sandbox state as a file',
  done: 'Snapshot created',
  request: () => f.only({}),
  response: () => f.payload({ bytes: f.integer('inferred'), content: stateFile() }),
});

export const sandboxRestore = endpoint({
  ...control,
  id: 'sandbox.restore',
  method: 'POST',
  path: '/_sandbox/restore',
  effect: 'destructive',
  summary: 'Replace the sandbox state with a snapshot',
  done: 'Snapshot restored',
  request: () => f.only({ content: stateFile() }),
  response: () => f.payload({ fintechId: f.anyText('inferred'), now: f.timestamp('inferred') }),
});

const faultRule = () => ({
  endpoint: f.anyText('inferred'),
  kind: f.oneOf('inferred', FAULT_KINDS),
  name: f.orNull(f.anyText('inferred')),
  times: f.integer('inferred'),
});

export const sandboxFaultAdd = endpoint({
  ...control,
  id: 'sandbox.fault-add',
  method: 'POST',
  path: '/_sandbox/faults',
  effect: 'write',
  summary: 'Make the next requests to an endpoint fail',
  done: 'Fault injection added',
  request: () =>
    f.only({
      endpoint: f.text('inferred', { rule: 'an endpoint id; list them with: fiatrail endpoints' }),
      kind: f.oneOf('inferred', FAULT_KINDS),
      name: f.optional(f.text('inferred', { rule: 'for reject: the condition to reject with' })),
      times: f.optional(f.integer('inferred', { min: 1, max: 1_000_000, rule: '1 to 1000000; default 1' })),
    }),
  response: () => f.payload(faultRule()),
});

export const sandboxFaultList = endpoint({
  ...control,
  id: 'sandbox.fault-list',
  method: 'GET',
  path: '/_sandbox/faults',
  effect: 'read',
  summary: 'List the injected faults and how often each still applies',
  done: 'Injected faults listed',
  lists: 'faults',
  request: () => f.only({}),
  response: () => f.payload({ faults: f.list('inferred', f.group('inferred', faultRule())) }),
});

export const sandboxFaultClear = endpoint({
  ...control,
  id: 'sandbox.fault-clear',
  method: 'DELETE',
  path: '/_sandbox/faults',
  effect: 'write',
  summary: 'Remove all injected faults',
  done: 'Injected faults cleared',
  request: () => f.only({}),
  response: () => f.payload({ cleared: f.integer('inferred') }),
});

/** The delivery status of an event. `none`: no webhook is registered for it. */
const DELIVERY_STATES = ['none', 'waiting', 'delivered', 'given-up'] as const;

const sentEvent = () => ({
  eventId: f.anyText('inferred'),
  event: f.anyText('inferred'),
  requestId: f.anyText('inferred'),
  userId: f.orNull(f.anyText('inferred')),
  createdAt: f.timestamp('inferred'),
  state: f.oneOf('inferred', DELIVERY_STATES),
  url: f.orNull(f.anyText('inferred', { personal: 'url' })),
  webhookId: f.orNull(f.anyText('inferred')),
  attempts: f.integer('inferred'),
  dueAt: f.orNull(f.timestamp('inferred')),
});

export const sandboxEvents = endpoint({
  ...control,
  id: 'sandbox.events',
  method: 'GET',
  path: '/_sandbox/events',
  effect: 'read',
  summary: 'List the events of the sandbox, newest first, with their delivery status',
  done: 'Events listed',
  lists: 'events',
  request: () =>
    f.only({
      limit: f.optional(f.integer('inferred', { min: 1, max: 1000, rule: '1 to 1000; default 20' })),
      offset: f.optional(f.integer('inferred')),
      event: f.optional(f.text('inferred', { rule: 'an event name' })),
      requestId: f.optional(f.text('inferred', { rule: 'the request that caused the events' })),
      state: f.optional(f.oneOf('inferred', DELIVERY_STATES)),
    }),
  response: () =>
    f.payload({
      events: f.list('inferred', f.group('inferred', sentEvent())),
      total: f.integer('inferred'),
      limit: f.integer('inferred'),
      offset: f.integer('inferred'),
      hasMore: f.flag('inferred'),
    }),
});

const unknownEvent = refusal(
  'NOT_FOUND',
  'inferred',
  'no event has this id',
  advice`list events with: [fiatrail sandbox events list]`,
);

export const sandboxEvent = endpoint({
  ...control,
  id: 'sandbox.event',
  method: 'GET',
  path: '/_sandbox/events/:eventId',
  effect: 'read',
  summary: 'Show an event with every attempt to deliver it',
  done: 'Event retrieved',
  errors: [unknownEvent],
  request: () => f.only({ eventId: f.text('inferred', { rule: 'an event id' }) }),
  response: () =>
    f.payload({
      ...sentEvent(),
      /** The payload as JSON, with every digit. */
      data: f.anyText('inferred'),
      log: f.list(
        'inferred',
        f.group('inferred', {
          sentAt: f.timestamp('inferred'),
          status: f.orNull(f.integer('inferred')),
          problem: f.orNull(f.anyText('inferred')),
          durationMs: f.integer('inferred'),
          headers: f.list(
            'inferred',
            f.group('inferred', { name: f.anyText('inferred'), value: f.anyText('inferred', { personal: 'text' }) }),
          ),
          body: f.anyText('inferred'),
          answer: f.orNull(f.anyText('inferred', { personal: 'text' })),
        }),
      ),
    }),
});

export const sandboxEventResend = endpoint({
  ...control,
  id: 'sandbox.event-resend',
  method: 'POST',
  path: '/_sandbox/events/:eventId/resend',
  effect: 'write',
  summary: 'Deliver an event again, under the same id',
  done: 'Event scheduled',
  errors: [unknownEvent],
  request: () => f.only({ eventId: f.text('inferred', { rule: 'an event id' }) }),
  response: () => f.payload(sentEvent()),
});

export const controls = [
  sandboxStatus,
  sandboxReset,
  sandboxSeed,
  sandboxSimulate,
  sandboxPay,
  sandboxDeposit,
  sandboxAdvance,
  sandboxClock,
  sandboxSettle,
  sandboxSnapshot,
  sandboxRestore,
  sandboxFaultAdd,
  sandboxFaultList,
  sandboxFaultClear,
  sandboxEvents,
  sandboxEvent,
  sandboxEventResend,
] as const;
