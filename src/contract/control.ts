import { endpoint } from './endpoint.ts';
import {
  accountNumber,
  answer,
  anyText,
  flag,
  group,
  integer,
  list,
  money,
  oneOf,
  only,
  optional,
  orNull,
  pay,
  text,
  timestamp,
} from './fields.ts';

/**
 * The sandbox's own controls, below /_sandbox and outside /v1: what the world outside the service does, and the clock.
 * No part of the service's specification.
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
  summary: 'Show the sandbox: clock, ledger, what it holds',
  request: () => only({ values: optional(flag('inferred')) }),
  response: () =>
    answer({
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
    }),
});

export const sandboxReset = endpoint({
  ...control,
  id: 'sandbox.reset',
  method: 'POST',
  path: '/_sandbox/reset',
  effect: 'destructive',
  summary: 'Throw the sandbox away and seed it anew',
  request: () => only({ pace: optional(oneOf('inferred', paces)), rateLimits: optional(flag('inferred')) }),
  response: () => answer({ fintechId: anyText('inferred'), now: timestamp('inferred') }),
});

export const sandboxSeed = endpoint({
  ...control,
  id: 'sandbox.seed',
  method: 'POST',
  path: '/_sandbox/seed',
  effect: 'write',
  summary: 'Add users, or change the pace and rate limits, of the sandbox as it is',
  request: () =>
    only({
      users: optional(integer('inferred', { max: 1000, rule: '0 to 1000' })),
      pace: optional(oneOf('inferred', paces)),
      rateLimits: optional(flag('inferred')),
    }),
  response: () =>
    answer({
      users: integer('inferred'),
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
  summary: 'Let a bank transfer arrive in a virtual account',
  request: () =>
    only({
      accountNumber: accountNumber('inferred'),
      amount: pay('inferred', 'naira', 'NGN'),
      senderName: text('inferred', { rule: "the sender's name as the bank has it" }),
    }),
  response: () =>
    answer({
      depositId: anyText('inferred'),
      accountNumber: anyText('inferred'),
      amount: money('inferred', 'naira', 'NGN'),
      outcome: oneOf('inferred', ['accepted', 'refunded']),
      reason: orNull(anyText('inferred')),
    }),
});

export const sandboxAdvance = endpoint({
  ...control,
  id: 'sandbox.advance',
  method: 'POST',
  path: '/_sandbox/advance',
  effect: 'write',
  summary: "Move the sandbox's clock forward and do all that falls due",
  request: () => only({ durationMs: integer('inferred', { min: 1, rule: 'a duration such as 30s, 31m, 2h or 5d' }) }),
  response: () => answer({ now: timestamp('inferred'), events: integer('inferred') }),
});

export const sandboxClock = endpoint({
  ...control,
  id: 'sandbox.clock',
  method: 'GET',
  path: '/_sandbox/clock',
  effect: 'read',
  summary: "Show the sandbox's clock",
  request: () => only({}),
  response: () =>
    answer({
      now: timestamp('inferred'),
      machineTime: timestamp('inferred'),
      clockOffsetSeconds: integer('inferred', { min: Number.MIN_SAFE_INTEGER }),
    }),
});

export const controls = [sandboxStatus, sandboxReset, sandboxSeed, sandboxPay, sandboxAdvance, sandboxClock] as const;
