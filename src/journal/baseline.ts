import * as z from 'zod/mini';

/**
 * What was known of the service before a request left. Evidence about its outcome is judged by this, and never by a clock of our own:
 * who, what and when, as the service says them.
 */
export interface Baseline {
  /**
   * The service's time at its last response, and what has passed since by a clock that nobody sets, in milliseconds since the epoch. What the
   * request does cannot be older. Left out if the service did not say its time.
   */
  readonly serviceAtMs?: number | undefined;
  /** How far this machine's clock was ahead of the service's, as little as the response allows; negative if it was behind. */
  readonly hostAheadMs?: number | undefined;
  /** The same of the journal's clock, which a shared journal has of its own. */
  readonly journalAheadMs?: number | undefined;
  /** The rows like the request that the service's list had before. Left out if the list was not read. */
  readonly before?: { readonly ids: readonly string[]; readonly sinceMs: number | null } | undefined;
  /** Terms that the request only refers to, in the request's own fields: what a quote said, the number of a saved bank account. */
  readonly terms?: Readonly<Record<string, string>> | undefined;
}

const schema = () => {
  const timeMs = z.optional(z.int());
  return z.strictObject({
    ...{ serviceAtMs: timeMs, hostAheadMs: timeMs, journalAheadMs: timeMs },
    before: z.optional(z.strictObject({ ids: z.array(z.string()), sinceMs: z.nullable(z.int()) })),
    terms: z.optional(z.record(z.string(), z.string())),
  });
};

/** Reads a recorded baseline; undefined if it is none. */
export function parseBaseline(json: string): Baseline | undefined {
  try {
    return schema().safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
