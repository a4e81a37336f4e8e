import type { Reporter, TestModule } from 'vitest/node';

/** Longer than any test or hook may take. */
const STALLED_MS = 15 * 60_000;

/**
 * Ends a run in which nothing has ended for a long time, and names the files that still run. A test's own time limit cannot end it if its
 * worker is blocked.
 */
export class StallReporter implements Reporter {
  private readonly running = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private readonly stalledMs: number;

  constructor(stalledMs = STALLED_MS) {
    this.stalledMs = stalledMs;
  }

  onTestRunStart(): void {
    this.goesOn();
  }

  onTestModuleQueued({ relativeModuleId }: TestModule): void {
    this.running.add(relativeModuleId);
    this.goesOn();
  }

  onTestCaseResult(): void {
    this.goesOn();
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.running.delete(relativeModuleId);
    this.goesOn();
  }

  onTestRunEnd(): void {
    clearTimeout(this.timer);
  }

  private goesOn(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const files = [...this.running].join(', ') || 'no file';
      process.stderr.write(`nothing has ended for ${this.stalledMs / 1000} seconds; still running: ${files}\n`);
      process.exit(1);
    }, this.stalledMs);
  }
}
