import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/code-cache.ts',
    // For a machine that does much else: a test may start a hundred programs, and none measures how long they take.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // One more than this program's cores on a small machine, because many tests wait for another program.
    maxWorkers: 3,
    // No module has state (test/house.test.ts), so files can share a worker. A worker for each file takes 20 s longer.
    isolate: false,
  },
});
