import { defineConfig } from 'vitest/config';

/** The tests that need programs of the system, such as lintian. They fail where one is missing, so `npm test` does not have them. */
export default defineConfig({
  test: {
    include: ['test/tools/**/*.test.ts'],
    globalSetup: 'test/support/code-cache.ts',
    setupFiles: ['test/support/after-each-file.ts'],
    testTimeout: 600_000,
    hookTimeout: 1_200_000,
    pool: 'forks',
    maxWorkers: 1,
  },
});
