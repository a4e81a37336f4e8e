import type { Amount } from '../money/amount.ts';
import type { AccountNames } from './accounts.ts';
import type { Authority } from './authority.ts';
import type { Baseline } from './baseline.ts';
import type { SpendLimit } from './spending.ts';
import type { Kind } from './states.ts';
import type { Sweep } from './sweep.ts';

/** An operation before it is sent. Contains no secret: `input` has a slow hash in place of each, if anything. */
export interface Intent {
  readonly kind: Kind;
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
  /** What is known of the service before the request leaves. */
  readonly baseline?: Baseline | undefined;
  /** What it is a part of, if several operations under one idempotency key move a sum. */
  readonly sweep?: Sweep | undefined;
  /** What it moves or brings in, for the sums of limits. */
  readonly moves?: Amount | undefined;
  /** Who decided it, if a plan did. */
  readonly authority?: Authority | undefined;
  /** Sums that it must stay within, compared in the transaction that records it. */
  readonly limits?: readonly SpendLimit[] | undefined;
}
