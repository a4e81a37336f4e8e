import { sha256Hex } from '../crypto/fingerprint.ts';

/** What protects a money command from running twice, as it was typed. */
export interface Guard {
  /** The key of `--once`, with its dates filled in. */
  readonly idempotencyKey: string | undefined;
  readonly isAgain: boolean;
  /** Whether a repetition without a key stops. */
  readonly isGuarded: boolean;
  /** What was typed, normalized, as JSON. It may contain secrets; the journal keeps only a digest. */
  readonly input: string;
}

/** Derives the service's idempotency key from ours: it does not reveal ours, and is the same on every host. */
export function serviceIdempotencyKeyOf(key: string): string {
  return `fr-${sha256Hex(`fiatrail once ${key}`).slice(0, 32)}`;
}
