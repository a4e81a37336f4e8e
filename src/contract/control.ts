import { TOKENS } from '../money/amount.ts';
import { control } from './control-base.ts';
import { sandboxEvent, sandboxEventResend, sandboxEvents } from './control-events.ts';
import { endpoint } from './endpoint.ts';
import { FAULT_KINDS } from './fault-kinds.ts';
import {
  accountNumber,
  anyText,
  flag,
  group,
  integer,
  list,
  money,
  moneyText,
  oneOf,
  only,
  optional,
  orNull,
  patterned,
  pay,
  payload,
  payText,
  text,
  timestamp,
} from './fields.ts';

const paces = ['instant', 'quick', 'real'] as const;

export const sandboxStatus = endpoint({
  ...control,
  id: 'sandbox.status',
  method: 'GET',
  path: '/_sandbox/status',
  effect: 'read',
  summary: "Show the sandbox's clock, ledger and contents",
  done: 'Sandbox status retrieved',
  request: () => only({ values: optional(flag('inferred')) }),
  response: () =>
    payload({
      fintechId: anyText('inferred'),
      fintechName: anyText('inferred'),
      now: timestamp('inferred'),
      clockOffsetSeconds: integer('inferred', { min: Number.MIN_SAFE_INTEGER }),
      pace: oneOf('inferred', paces),
      rateLimits: oneOf('inferred', ['on', 'off']),
      users: integer('inferred'),
      pending: integer('inferred'),
      stuck: integer('inferred'),
      events: integer('inferred'),
      openTrades: integer('inferred'),
      escrow: group('inferred', {
        CNGN: moneyText('inferred', 'token', 'CNGN'),
        USDC: moneyText('inferred', 'token', 'USDC'),
        USDT: moneyText('inferred', 'token', 'USDT'),
      }),
      ledger: group('inferred', {
        balanced: flag('inferred'),
        accounts: integer('inferred'),
        postingSets: integer('inferred'),
        sums: group('inferred', {
          NGN: anyText('inferred'),
          CNGN: anyText('inferred'),
          USDC: anyText('inferred'),
          USDT: anyText('inferred'),
        }),
      }),
      bvns: optional(list('inferred', group('inferred', { bvn: anyText('inferred'), means: anyText('inferred') }))),
      accounts: optional(
        list('inferred', group('inferred', { accountNumber: anyText('inferred'), means: anyText('inferred') })),
      ),
      trades: optional(
        list('inferred', group('inferred', { cngnAmount: anyText('inferred'), means: anyText('inferred') })),
      ),
      values: optional(
        list(
          'inferred',
          group('inferred', { use: anyText('inferred'), value: anyText('inferred'), means: anyText('inferred') }),
        ),
      ),
      // Shows API keys on purpose: trying out two fintechs takes the second one's key.
      fintechs: optional(
        list(
          'inferred',
          group('inferred', {
            fintechId: anyText('inferred'),
            name: anyText('inferred'),
            sandboxKey: orNull(anyText('inferred')),
            productionKey: orNull(anyText('inferred')),
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
  request: () => only({ pace: optional(oneOf('inferred', paces)), rateLimits: optional(flag('inferred')) }),
  response: () => payload({ fintechId: anyText('inferred'), now: timestamp('inferred') }),
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
    only({
      users: optional(integer('inferred', { max: 1000, rule: '0 to 1000' })),
      /** Transactions to add now. `historyTotal` transactions are spread over the past year; the first `historyDone` exist already. */
      history: optional(integer('inferred', { max: 50_000, rule: '0 to 50000' })),
      historyDone: optional(integer('inferred')),
      historyTotal: optional(integer('inferred')),
      pace: optional(oneOf('inferred', paces)),
      rateLimits: optional(flag('inferred')),
    }),
  response: () =>
    payload({
      users: integer('inferred'),
      transactions: integer('inferred'),
      pace: oneOf('inferred', paces),
      rateLimits: oneOf('inferred', ['on', 'off']),
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
    only({
      accountNumber: accountNumber('inferred'),
      amount: pay('inferred', 'naira', 'NGN'),
      senderName: text('inferred', { rule: "the sender's name on the bank's records" }),
    }),
  response: () =>
    payload({
      depositId: anyText('inferred'),
      accountNumber: anyText('inferred'),
      amount: money('inferred', 'naira', 'NGN'),
      outcome: oneOf('inferred', ['accepted', 'refunded']),
      reason: orNull(anyText('inferred')),
    }),
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
    only({
      address: text('inferred', { rule: 'a sandbox wallet, or the receivable address of a bridge transaction' }),
      asset: oneOf('inferred', TOKENS),
      amount: payText('inferred', { field: 'asset' }),
      network: text('inferred', { rule: 'a network key, such as base' }),
      from: text('inferred', { rule: 'the address the tokens come from' }),
    }),
  response: () =>
    payload({
      address: anyText('inferred'),
      asset: oneOf('inferred', TOKENS),
      amount: moneyText('inferred', 'decimal-string', { field: 'asset' }),
      outcome: oneOf('inferred', ['credited', 'bridging', 'returned']),
      reason: orNull(oneOf('inferred', ['wrong_sender', 'wrong_token', 'already_received'])),
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
  request: () => only({ durationMs: integer('inferred', { min: 1, rule: 'a duration, such as 30s, 31m, 2h or 5d' }) }),
  response: () => payload({ now: timestamp('inferred'), events: integer('inferred') }),
});

export const sandboxClock = endpoint({
  ...control,
  id: 'sandbox.clock',
  method: 'GET',
  path: '/_sandbox/clock',
  effect: 'read',
  summary: "Show the sandbox's clock",
  done: 'Clock read',
  request: () => only({}),
  response: () =>
    payload({
      now: timestamp('inferred'),
      machineTime: timestamp('inferred'),
      clockOffsetSeconds: integer('inferred', { min: Number.MIN_SAFE_INTEGER }),
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
  request: () => only({}),
  response: () => payload({ now: timestamp('inferred'), events: integer('inferred') }),
});

/** A state file in gzip and base64url. It contains every key of the sandbox. */
const stateFile = () =>
  patterned('inferred', /^[\w-]+$/, 'a state file, compressed with gzip, in base64url', { secret: true });

export const sandboxSnapshot = endpoint({
  ...control,
  id: 'sandbox.snapshot',
  method: 'POST',
  path: '/_sandbox/snapshot',
  effect: 'read',
  summary: 'Return the sandbox state as a file',
  done: 'Snapshot created',
  request: () => only({}),
  response: () => payload({ bytes: integer('inferred'), content: stateFile() }),
});

export const sandboxRestore = endpoint({
  ...control,
  id: 'sandbox.restore',
  method: 'POST',
  path: '/_sandbox/restore',
  effect: 'destructive',
  summary: 'Replace the sandbox state with a snapshot',
  done: 'Snapshot restored',
  request: () => only({ content: stateFile() }),
  response: () => payload({ fintechId: anyText('inferred'), now: timestamp('inferred') }),
});

const faultRule = () => ({
  endpoint: anyText('inferred'),
  kind: oneOf('inferred', FAULT_KINDS),
  times: integer('inferred'),
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
    only({
      endpoint: text('inferred', { rule: 'an endpoint id; list them with: fiatrail endpoints' }),
      kind: oneOf('inferred', FAULT_KINDS),
      times: optional(integer('inferred', { min: 1, max: 1_000_000, rule: '1 to 1000000; default 1' })),
    }),
  response: () => payload(faultRule()),
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
  request: () => only({}),
  response: () => payload({ faults: list('inferred', group('inferred', faultRule())) }),
});

export const sandboxFaultClear = endpoint({
  ...control,
  id: 'sandbox.fault-clear',
  method: 'DELETE',
  path: '/_sandbox/faults',
  effect: 'write',
  summary: 'Remove all injected faults',
  done: 'Injected faults cleared',
  request: () => only({}),
  response: () => payload({ cleared: integer('inferred') }),
});

export const controls = [
  sandboxStatus,
  sandboxReset,
  sandboxSeed,
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
