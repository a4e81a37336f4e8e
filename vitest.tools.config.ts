import { defineConfig } from 'vitest/config';

const INSPECTOR = ['test/tools/inspector/**/*.test.ts'];

/** The tests that need programs beside Node, so `npm test` does not have them. Each names what is missing: test/tools/programs.ts. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/code-cache.ts'],
    setupFiles: ['test/support/after-each-file.ts'],
    testTimeout: 600_000,
    hookTimeout: 1_200_000,
    pool: 'forks',
    maxWorkers: 1,
    projects: [
      { extends: true, test: { name: 'tools', include: ['test/tools/**/*.test.ts'], exclude: INSPECTOR } },
      { extends: true, test: { name: 'chromium', include: INSPECTOR, provide: { browser: 'chromium' } } },
      { extends: true, test: { name: 'firefox', include: INSPECTOR, provide: { browser: 'firefox' } } },
    ],
  },
});
