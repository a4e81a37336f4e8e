import * as z from 'zod/mini';
import { once } from '../base/calls.ts';
import { type Amount, type Asset, amount, isAsset } from '../money/amount.ts';
import type { AccountNames } from './accounts.ts';
import { changed, factAbout, jsonOf, subjects } from './entries.ts';
import type { OperationKind } from './states.ts';
import type { Queries } from './store.ts';

/** A sum that the operations of an account must stay within. Naira and cNGN are one sum, whichever of them the limit names. */
export interface SpendLimit {
  readonly asset: Asset;
  /** The day or the calendar month in Lagos. */
  readonly period: 'day' | 'month';
  /** `fiatrail fees withdraw`; undefined for all commands together. */
  readonly command?: string | undefined;
  /** In the asset's smallest unit. */
  readonly maxMinor: bigint;
}

/** What several operations under one idempotency key move together, as the user agreed to it. */
export interface Sweep {
  readonly total: Amount;
  /** How many operations they are. */
  readonly count: number;
}

const sweepSchema = () =>
  z.strictObject({
    asset: z.string().check(z.refine(isAsset)),
    minor: z.string().check(z.regex(/^\d{1,30}$/)),
    count: z.int().check(z.positive()),
  });

/** Returns what an operation is a part of; undefined if it stands alone. Throws CliError usage for a fact that says something else. */
export async function sweepOf(queries: Queries, operationId: string): Promise<Sweep | undefined> {
  const text = (await factAbout(queries, subjects.sweep(operationId))) ?? undefined;
  if (text === undefined) return undefined;
  const what = `what operation ${operationId} is a part of`;
  const { data } = sweepSchema().safeParse(jsonOf(text, what));
  if (!data || !isAsset(data.asset)) throw changed(what);
  return { total: amount(data.asset, BigInt(data.minor)), count: data.count };
}

const baselineSchema = once(() => {
  const timeMs = z.optional(z.int());
  return z.strictObject({
    // The service's time at its last response, and what has passed since by a clock that nobody sets, in milliseconds since the
    // epoch. What the request does cannot be older. Left out if the service did not say its time.
    serviceAtMs: timeMs,
    // How far this machine's clock was ahead of the service's, as little as the response allows; negative if it was behind.
    hostAheadMs: timeMs,
    // The same instant on the journal server's clock.
    journalAheadMs: timeMs,
    // The first page of the service's list before the request: the ids of the rows like it, the marks of all rows that a list which is read
    // as a whole later must still have, and from when on the page has every row (null: from the beginning). Left out if it was not read.
    before: z.optional(
      z.strictObject({
        ids: z.array(z.string()),
        marks: z.optional(z.array(z.string())),
        sinceMs: z.nullable(z.int()),
      }),
    ),
    // Terms that the request only refers to, in the request's own fields: what a quote said, the number of a saved bank account.
    terms: z.optional(z.record(z.string(), z.string())),
    // What an order may spend at the worst beside what it moves, in the smallest unit: the stablecoin that it offers, at its price.
    atWorst: z.optional(z.array(z.strictObject({ asset: z.string(), minor: z.string().check(z.regex(/^\d{1,30}$/)) }))),
  });
});

/**
 * What was known of the service before a request left. Evidence about its outcome is judged by this, and never by a clock of our own:
 * who, what and when, as the service says them.
 */
export type Baseline = z.infer<ReturnType<typeof baselineSchema>>;

/** Returns what an order may spend at the worst beside what it moves. */
export const atWorstIn = (baseline: Baseline | null | undefined): readonly Amount[] =>
  (baseline?.atWorst ?? []).flatMap(({ asset, minor }) => (isAsset(asset) ? amount(asset, BigInt(minor)) : []));

/** Reads a recorded baseline; undefined if it is none. */
export const parseBaseline = (json: string): Baseline | undefined => recorded(baselineSchema(), json);

function recorded<T>(schema: z.ZodMiniType<T>, json: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

const authoritySchema = () => {
  const text = z.string();
  const role = z.enum(['author', 'signer']);
  return z.strictObject({
    // The hash of the plan.
    plan: text,
    // As the plan says it; the approver is proven only if it is among the signers.
    author: z.strictObject({ user: text, host: text, approver: z.nullable(text), agent: z.optional(text) }),
    signers: z.array(z.strictObject({ name: text, role, keyFingerprint: text, signedAt: text })),
    // The agent that had it applied, by the name that it gave itself.
    agent: z.optional(text),
  });
};

/** Who decided that a plan is sent: its author, and the approvers whose signatures on it hold. */
export type Authority = z.infer<ReturnType<typeof authoritySchema>>;

/** Reads a recorded authority; undefined if it is none. */
export const parseAuthority = (json: string): Authority | undefined => recorded(authoritySchema(), json);

/** What a claim does with the plan that it applies, in its own transaction. */
export interface PlanClaim {
  readonly id: string;
  /** Whether the plan may still be applied, by what was recorded about it; by nothing, if the journal does not have it. */
  readonly isOpen: (entries: readonly string[]) => boolean;
  /** Returns what is recorded about it, once the operation is; undefined for a row of a file, as one entry says that all of them are. */
  readonly applied: ((operationId: string) => string) | undefined;
}

/** The request of an earlier operation, as it was recorded. */
export interface EarlierRequest {
  /** The redacted request as JSON. */
  readonly request: string;
  readonly baseline: Baseline | null;
}

/** An operation before it is sent. Contains no secret: `input` has a slow hash in place of each, if anything. */
export interface Intent {
  readonly kind: OperationKind;
  readonly account: AccountNames;
  readonly profile: string;
  readonly mode: string;
  readonly baseUrl: string;
  readonly endpoint: string;
  readonly effect: string;
  readonly command: string;
  readonly summary: string;
  /** The redacted request as JSON. */
  readonly request: string;
  /** What was typed, normalized, as JSON: equal for the same intent. Undefined if nothing may be kept that could recognize it. */
  readonly input: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly tag?: string | undefined;
  /** Whether an equal intent without a key must wait (`GUARD_MS`), unless `isAgain`. */
  readonly isGuarded?: boolean;
  readonly isAgain?: boolean;
  /** Whether an earlier operation of the endpoint may have moved the same: while its outcome is unknown, this one must not be sent. */
  readonly mayEqual?: ((earlier: EarlierRequest) => boolean) | undefined;
  /** Whether it only changes a setting here, so that nothing can be sent twice. */
  readonly isSetting?: boolean;
  /** What is known of the service before the request leaves. */
  readonly baseline?: Baseline | undefined;
  /** What it is a part of, if several operations under one idempotency key move a sum. */
  readonly sweep?: Sweep | undefined;
  /** What it moves or brings in, for the sums of limits. */
  readonly moves?: Amount | undefined;
  /** Who decided it, if a plan did. */
  readonly authority?: Authority | undefined;
  /** The plan that it applies: it must be open, and has one more entry in the same transaction. */
  readonly plan?: PlanClaim | undefined;
  /** Sums that it must stay within, compared in the transaction that records it. */
  readonly limits?: readonly SpendLimit[] | undefined;
}
