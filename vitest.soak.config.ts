import { defineConfig } from 'vitest/config';

/** The long forms of the campaigns whose short forms are in the suite. */
export default defineConfig({
  test: {
    include: [
      'test/faults/**/*.test.ts',
      'test/postgres/hosts.test.ts',
      'test/postgres/money-campaign.test.ts',
      'test/postgres/money-kills.test.ts',
      'test/contributing/follow.soak.ts',
      'test/sandbox/processes.test.ts',
      'test/service/property.test.ts',
      'test/witness/answers.test.ts',
      'test/service/transfers/property.test.ts',
      'test/service/fx/order-book.test.ts',
      'test/transcripts/transcripts.test.ts',
      'test/lists/resume.test.ts',
      'test/docs/recordings.test.ts',
      'test/mirror/sync.test.ts',
      'test/mirror/kills.test.ts',
    ],
    globalSetup: 'test/support/code-cache.ts',
    setupFiles: ['test/support/after-each-file.ts'],
    env: {
      FIATRAIL_SOAK_AT_ONCE: '20',
      FIATRAIL_SOAK_KILLS: '400',
      FIATRAIL_SOAK_RUNS: '300',
      FIATRAIL_SOAK_STORMS: '1000',
      FIATRAIL_SOAK_CAMPAIGN: '2000',
      FIATRAIL_SOAK_MONEY_KILLS: '50',
      FIATRAIL_SOAK_HOST_ROUNDS: '100',
      FIATRAIL_SOAK_HOST_KILLS: '20',
      FIATRAIL_SOAK_PROGRAMS: '1',
      FIATRAIL_SOAK_RECORDINGS: '1',
      FIATRAIL_SOAK_MIRRORS: '500',
      FIATRAIL_SOAK_MIRROR_KILLS: '300',
    },
    testTimeout: 3_600_000,
    hookTimeout: 300_000,
    pool: 'forks',
    maxWorkers: 1,
  },
});
