import { CliError } from '../base/errors.ts';

/** More calls than these do not wait for their turn. */
const MOST_WAITING = 64;

/** Runs one thing after another: two commands of one process must not work on one account at the same time. */
export interface Turns {
  /** Runs something when it is its turn, unless the signal aborted before. Rejects with CliError if too much waits. */
  take<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    take: (signal, run) => {
      if (waiting >= MOST_WAITING)
        return Promise.reject(
          new CliError('rate-limited', `${MOST_WAITING} calls are waiting already`, {
            code: 'TOO_MANY_CALLS',
            hint: 'wait for the answers, then call again',
          }),
        );
      waiting += 1;
      const turn = last.then(() => {
        if (signal.aborted) throw new CliError('interrupted', 'the call was cancelled; nothing was done');
        return run();
      });
      last = turn.then(
        () => {},
        () => {},
      );
      return turn.finally(() => {
        waiting -= 1;
      });
    },
    idle: async () => {
      for (let seen: unknown; seen !== last; ) {
        seen = last;
        await last;
      }
    },
  };
}
