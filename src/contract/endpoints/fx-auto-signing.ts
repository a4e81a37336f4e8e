import { endpoint } from '../endpoint.ts';
import {
  fields,
  flag,
  group,
  integer,
  list,
  maybe,
  maybeText,
  optional,
  payload,
  percent,
  usdText,
} from '../fields.ts';
import { dollars, limits, signing } from '../fx.ts';

export const enableAutoSigning = endpoint({
  ...signing,
  id: 'fx.auto-signing-enable',
  method: 'POST',
  path: '/fx/auto-signing/enable',
  summary: 'Enable auto-signing for trades up to the threshold',
  done: 'Auto-signing enabled',
  nests: 'autoSigning',
  request: () => fields({ enabled: optional(flag('public')) }),
  response: () =>
    payload({
      autoSigning: maybe(
        group('public', {
          enabled: maybe(flag('public')),
          usdThreshold: dollars(),
          vmHealthy: maybe(flag('public')),
          vmStatus: maybeText('public'),
        }),
      ),
    }),
  errors: [],
});

export const disableAutoSigning = endpoint({
  ...signing,
  id: 'fx.auto-signing-disable',
  method: 'POST',
  path: '/fx/auto-signing/disable',
  summary: 'Disable auto-signing, so that every trade needs manual approval',
  done: 'Auto-signing disabled',
  nests: 'autoSigning',
  request: () => fields({ enabled: optional(flag('public')) }),
  response: () => payload({ autoSigning: maybe(group('public', { enabled: maybe(flag('public')) })) }),
  errors: [],
});

export const setAutoSigningThreshold = endpoint({
  ...signing,
  id: 'fx.auto-signing-threshold',
  method: 'POST',
  path: '/fx/auto-signing/threshold',
  summary: 'Set the auto-signing threshold',
  done: 'Auto-signing threshold updated',
  synonyms: { thresholdUsd: 'usdThreshold' },
  nests: 'autoSigning',
  request: () => fields({ usdThreshold: usdText('public', 'US dollars, 0 or more, at most 2 decimals') }),
  response: () =>
    payload({ autoSigning: maybe(group('public', { enabled: maybe(flag('public')), usdThreshold: dollars() })) }),
  errors: [{ when: 'the value is missing or not a number', fault: 'VALIDATION_ERROR', source: 'inferred' }],
});

export const autoSigningStatus = endpoint({
  ...limits,
  id: 'fx.auto-signing-status',
  method: 'GET',
  path: '/fx/auto-signing/status',
  effect: 'read',
  summary: 'Show whether auto-signing is enabled and how many trades were auto-signed today',
  done: 'Auto-signing status retrieved',
  nests: 'autoSigning',
  source: 'public',
  request: () => fields({}),
  response: () =>
    payload({
      autoSigning: maybe(
        group('public', {
          configured: maybe(flag('public')),
          enabled: maybe(flag('public')),
          usdThreshold: dollars(),
          vmStatus: maybeText('public'),
          vmHealthy: maybe(flag('public')),
          todayStats: maybe(
            group('public', {
              totalAutoSigned: maybe(integer('public')),
              totalUsdAutoSigned: dollars(),
              fallbackCount: maybe(integer('public')),
              successRate: maybe(percent('public')),
              avgExecutionTimeMs: maybe(integer('public')),
            }),
          ),
        }),
      ),
    }),
  errors: [],
});

export const autoSigningStats = endpoint({
  ...limits,
  id: 'fx.auto-signing-stats',
  method: 'GET',
  path: '/fx/auto-signing/stats',
  effect: 'read',
  summary: 'Show auto-signed trades per day',
  done: 'Auto-signing statistics retrieved',
  nests: 'stats',
  source: 'public',
  request: () => fields({ days: optional(integer('public', { min: 1, max: 365, rule: '1 to 365; default 7' })) }),
  response: () =>
    payload({
      stats: maybe(
        group('public', {
          days: maybe(integer('public')),
          daily: maybe(
            list(
              'public',
              group('public', {
                date: maybeText('public'),
                totalAutoSigned: maybe(integer('public')),
                totalAmountAutoSigned: dollars(),
                fallbackCount: maybe(integer('public')),
                successRate: maybe(percent('public')),
                avgExecutionTimeMs: maybe(integer('public')),
              }),
            ),
          ),
          totals: maybe(
            group('public', {
              totalAutoSigned: maybe(integer('public')),
              totalAmountAutoSigned: dollars(),
              totalFallbacks: maybe(integer('public')),
              avgSuccessRate: maybe(percent('public')),
            }),
          ),
        }),
      ),
    }),
  errors: [],
});
