import { defineConfig } from 'vitest/config';
import { StallReporter } from './test/support/stall-reporter.ts';

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
    // A worker for each file, so that nothing that a test leaves running can hold up the tests of another file.
    isolate: true,
    reporters: ['default', new StallReporter()],
  },
});
