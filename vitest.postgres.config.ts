import { defineConfig } from 'vitest/config';

/** The tests of the journal in PostgreSQL. They start servers of their own, so `npm test` does not have them. */
export default defineConfig({
  test: {
    include: ['test/postgres/**/*.test.ts'],
    globalSetup: ['test/support/memory.ts', 'test/postgres/setup.ts', 'test/support/code-cache.ts'],
    setupFiles: ['test/support/after-each-file.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // As in vitest.config.ts.
    isolate: false,
    fsModuleCache: true,
    execArgv: ['--max-semi-space-size=64', '--min-semi-space-size=64', '--single-threaded-gc'],
    // Many tests wait for another program.
    maxWorkers: 4,
  },
});
