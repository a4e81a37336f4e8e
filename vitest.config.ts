import { defineConfig } from 'vitest/config';
import { StallReporter } from './test/support/stall-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need a PostgreSQL server, or programs of the system; see vitest.postgres.config.ts and vitest.tools.config.ts.
    exclude: ['test/postgres/**', 'test/tools/**'],
    globalSetup: ['test/support/memory.ts', 'test/support/code-cache.ts'],
    setupFiles: ['test/support/after-each-file.ts', 'test/support/quick-hash.ts'],
    // For a machine that does much else: a test may start a hundred programs, and none measures how long they take.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Commands in this process have its current folder, which threads would share.
    pool: 'forks',
    // No module has state (test/house.test.ts), so files can share a worker. A worker for each takes a minute longer.
    isolate: false,
    // Of the modules as they are; a later run finds those that did not change.
    fsModuleCache: true,
    // Most objects of a test live shortly: with more room for new ones, fewer are copied.
    execArgv: ['--max-semi-space-size=64', '--min-semi-space-size=64', '--single-threaded-gc'],
    // One more than this program's cores on a small machine, because many tests wait for another program.
    maxWorkers: 4,
    reporters: ['default', new StallReporter()],
  },
});
