import { duration, type Parameter } from './parameters.ts';

const MINUTE_MS = 60_000;
/** The limit of --wait without a value. */
export const DEFAULT_WAIT_MS = 10 * MINUTE_MS;

/**
 * `--wait [duration]`, in milliseconds; undefined when not given. `ifOmitted` is the limit, for the help text, of a command
 * that waits without it too.
 */
export function waitOption(until: string, ifOmitted?: string): Parameter<number | undefined> {
  return {
    kind: 'option',
    name: '--wait [duration]',
    help: `wait ${until}, at most this long (default 10m${ifOmitted ? `; ${ifOmitted} without --wait` : ''})`,
    required: false,
    parse: (text) => (text === undefined ? DEFAULT_WAIT_MS : duration(text)),
  };
}

/** The `--wait` flag for a time in milliseconds, in minutes if it is a whole number of them. */
export const waitWords = (waitMs: number): readonly string[] => [
  '--wait',
  ...(waitMs === DEFAULT_WAIT_MS ? [] : [waitMs % MINUTE_MS === 0 ? `${waitMs / MINUTE_MS}m` : `${waitMs}ms`]),
];
