import { defineConfig } from 'vitest/config';

/** The tests that need programs beside Node, so `npm test` does not have them. Each names what is missing: test/tools/programs.ts. */
export default defineConfig({
  test: {
    include: ['test/tools/**/*.test.ts'],
    globalSetup: ['test/support/code-cache.ts'],
    setupFiles: ['test/support/after-each-file.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    maxWorkers: 1,
  },
});
