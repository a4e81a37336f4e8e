import { defineConfig } from 'vitest/config';
import { StallReporter } from './test/support/stall-reporter.ts';

/** Folders whose tests start programs. Nothing that one of them leaves running may hold up the tests of another file. */
const WITH_PROGRAMS = ['attacks', 'cli', 'docs', 'faults', 'package', 'sandbox', 'secrets', 'transcripts'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/** These need a PostgreSQL server; see vitest.postgres.config.ts. */
const WITH_SERVER = 'test/postgres/**/*.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/support/memory.ts', 'test/support/code-cache.ts'],
    setupFiles: ['test/support/after-each-file.ts', 'test/support/quick-hash.ts'],
    // For a machine that does much else: a test may start a hundred programs, and none measures how long they take.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // One more than this program's cores on a small machine, because many tests wait for another program.
    maxWorkers: 4,
    reporters: ['default', new StallReporter()],
    projects: [
      { extends: true, test: { name: 'programs', include: WITH_PROGRAMS, isolate: true } },
      // No module has state (test/house.test.ts), so these files can share a worker. A worker for each takes a minute longer.
      {
        extends: true,
        test: {
          name: 'modules',
          include: ['test/**/*.test.ts'],
          exclude: [...WITH_PROGRAMS, WITH_SERVER],
          isolate: false,
        },
      },
    ],
  },
});
