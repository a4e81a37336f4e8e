import { endpoint, invalid } from '../endpoint.ts';
import * as f from '../fields.ts';
import { dollars } from '../fx.ts';

const signing = { effect: 'write', source: 'public' } as const;

export const enableAutoSigning = endpoint({
  ...signing,
  id: 'fx.auto-signing-enable',
  method: 'POST',
  path: '/fx/auto-signing/enable',
  consents: { '*': { kind: 'access' } },
  summary: 'Enable auto-signing for trades up to the threshold',
  done: 'Auto-signing enabled',
  nests: 'autoSigning',
  repeats: { enabled: 'autoSigning.enabled' },
  request: () => f.fields({ enabled: f.optional(f.flag('public')) }),
  response: () =>
    f.payload({
      autoSigning: f.maybe(
        f.group('public', {
          enabled: f.maybe(f.flag('public')),
          usdThreshold: dollars(),
          vmHealthy: f.maybe(f.flag('public')),
          vmStatus: f.maybeText('public'),
        }),
      ),
    }),
});

export const disableAutoSigning = endpoint({
  ...signing,
  id: 'fx.auto-signing-disable',
  method: 'POST',
  path: '/fx/auto-signing/disable',
  summary: 'Disable auto-signing, so that every trade needs manual approval',
  done: 'Auto-signing disabled',
  nests: 'autoSigning',
  repeats: { enabled: 'autoSigning.enabled' },
  request: () => f.fields({ enabled: f.optional(f.flag('public')) }),
  response: () => f.payload({ autoSigning: f.maybe(f.group('public', { enabled: f.maybe(f.flag('public')) })) }),
});

export const setAutoSigningThreshold = endpoint({
  ...signing,
  id: 'fx.auto-signing-threshold',
  method: 'POST',
  path: '/fx/auto-signing/threshold',
  consents: {
    usdThreshold: {
      kind: 'access',
      unless: { words: '0, which signs no trade', holds: (value) => /^0+(\.0+)?$/.test(String(value)) },
    },
  },
  summary: 'Set the auto-signing threshold',
  done: 'Auto-signing threshold updated',
  synonyms: { thresholdUsd: 'usdThreshold' },
  nests: 'autoSigning',
  repeats: { usdThreshold: 'autoSigning.usdThreshold' },
  request: () =>
    f.fields({
      usdThreshold: f.patterned(
        'public',
        /^\d{1,12}(\.\d{1,2})?$/,
        'US dollars, 0 to 999999999999.99, at most 2 decimals',
        {
          unit: 'decimal-string',
          asset: 'USD',
        },
      ),
    }),
  response: () =>
    f.payload({
      autoSigning: f.maybe(f.group('public', { enabled: f.maybe(f.flag('public')), usdThreshold: dollars() })),
    }),
  errors: [invalid('inferred', 'the value is missing or not a number')],
});

export const autoSigningStatus = endpoint({
  id: 'fx.auto-signing-status',
  method: 'GET',
  path: '/fx/auto-signing/status',
  effect: 'read',
  summary: 'Show whether auto-signing is enabled and how many trades were auto-signed today',
  done: 'Auto-signing status retrieved',
  nests: 'autoSigning',
  source: 'public',
  request: () => f.fields({}),
  response: () =>
    f.payload({
      autoSigning: f.maybe(
        f.group('public', {
          configured: f.maybe(f.flag('public')),
          enabled: f.maybe(f.flag('public')),
          usdThreshold: dollars(),
          vmStatus: f.maybeText('public'),
          vmHealthy: f.maybe(f.flag('public')),
          todayStats: f.maybe(
            f.group('public', {
              totalAutoSigned: f.maybe(f.integer('public')),
              totalUsdAutoSigned: dollars(),
              fallbackCount: f.maybe(f.integer('public')),
              successRate: f.maybe(f.percent('public')),
              avgExecutionTimeMs: f.maybe(f.integer('public')),
            }),
          ),
        }),
      ),
    }),
});

export const autoSigningStats = endpoint({
  id: 'fx.auto-signing-stats',
  method: 'GET',
  path: '/fx/auto-signing/stats',
  effect: 'read',
  summary: 'Show auto-signed trades per day',
  done: 'Auto-signing statistics retrieved',
  nests: 'stats',
  source: 'public',
  request: () => f.fields({ days: f.optional(f.integer('public', { min: 1, max: 365, rule: '1 to 365; default 7' })) }),
  response: () =>
    f.payload({
      stats: f.maybe(
        f.group('public', {
          days: f.maybe(f.integer('public')),
          daily: f.maybe(
            f.list(
              'public',
              f.group('public', {
                date: f.maybeText('public'),
                totalAutoSigned: f.maybe(f.integer('public')),
                totalAmountAutoSigned: dollars(),
                fallbackCount: f.maybe(f.integer('public')),
                successRate: f.maybe(f.percent('public')),
                avgExecutionTimeMs: f.maybe(f.integer('public')),
              }),
            ),
          ),
          totals: f.maybe(
            f.group('public', {
              totalAutoSigned: f.maybe(f.integer('public')),
              totalAmountAutoSigned: dollars(),
              totalFallbacks: f.maybe(f.integer('public')),
              avgSuccessRate: f.maybe(f.percent('public')),
            }),
          ),
        }),
      ),
    }),
});
