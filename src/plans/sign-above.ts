import { limitOf, signAboveWords } from '../account/operator-settings.ts';
import { operatorsOf } from '../account/operators.ts';
import type { Profile } from '../account/profile.ts';
import { CliError } from '../base/errors.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type Moves, movesOf } from '../contract/moves.ts';
import { type Amount, type Asset, amountForPeople } from '../money/amount.ts';
import { countedWith, millionthsOf } from '../money/sums.ts';
import type { Signed } from './signatures.ts';

/**
 * Returns why a request needs the signature of another operator; undefined if it needs none. A request that does not say how much it
 * moves of an asset with a limit needs one.
 */
export function signatureReason(profile: Profile, endpoint: Endpoint, input: unknown): string | undefined {
  const limits = profile.stored?.signAbove ?? [];
  if (limits.length === 0) return undefined;
  if (endpoint.moves?.isIncoming || isPause(endpoint, input)) return undefined;
  const moves = movesOf(endpoint, input);
  if (!moves || (!moves.amount && moves.unsaid.length === 0) || limits.some(({ asset }) => isUnsaid(moves, asset)))
    return 'a request that does not say how much it moves';
  const limit = limits.find((each) => isAbove(moves.amount, limitOf(each)));
  return limit && `more than ${amountForPeople(limitOf(limit))}`;
}

const isUnsaid = ({ unsaid }: Moves, asset: Asset): boolean => countedWith(asset).some((each) => unsaid.includes(each));

const isAbove = (amount: Amount | undefined, limit: Amount): boolean =>
  amount !== undefined && countedWith(limit.asset).includes(amount.asset) && millionthsOf(amount) > millionthsOf(limit);

/** Whether a request only pauses an order, which then takes nothing any more. Anybody may do that. */
function isPause({ id }: Endpoint, input: unknown): boolean {
  if (id !== 'fx.update-limit-order' || typeof input !== 'object' || input === null) return false;
  const { orderId: _, status, ...others } = input as Readonly<Record<string, unknown>>;
  return status === 'paused' && Object.values(others).every((value) => value === undefined);
}

/** Returns the rules of a profile that concern a request, one sentence each, for a plan to record. */
export function rulesMet(profile: Profile, endpoint: Endpoint, input: unknown): string[] {
  const limits = profile.stored?.signAbove ?? [];
  if (limits.length === 0) return [];
  const reason = signatureReason(profile, endpoint, input);
  if (reason !== undefined) return [`another operator must sign ${reason}`];
  return [`no signature is needed up to ${signAboveWords(limits)?.join(', ')}`];
}

/** A plan being applied: its signatures as `signaturesOf` returned them. */
interface Applied {
  readonly signed: readonly Signed[];
}

/**
 * Throws CliError declined unless a request may be sent: above the limits of its profile, only a plan that its author and another
 * operator signed. The author’s own key is never the second pair of eyes.
 */
export function requireSignatures(profile: Profile, reason: string | undefined, applied: Applied | undefined): void {
  if (reason === undefined) return;
  const needs = `profile ${profile.name} wants another operator’s signature for ${reason}`;
  const refusal = (why: string, hint: string) =>
    new CliError('declined', `${needs}${why}; nothing was sent`, { code: 'SIGNATURE_REQUIRED', hint });
  if (!applied)
    throw refusal(
      '',
      'write a plan with --plan FILE, have another operator sign it with "fiatrail ops sign FILE", then: fiatrail ops apply FILE',
    );
  const has = (role: Signed['role']) => applied.signed.some((each) => each.role === role);
  if (!has('author'))
    throw refusal(
      ', and the author of the plan had no operator key',
      'make a key with "fiatrail profiles operators add NAME --generate", then write a new plan',
    );
  if (has('signer')) return;
  throw refusal(
    '',
    operatorsOf(profile).length > 1
      ? 'have another operator sign it with: fiatrail ops sign FILE'
      : 'add another operator with: fiatrail profiles operators add NAME --public-key KEY',
  );
}

/** Throws CliError declined if a request needs the signature of another operator, and it cannot come from a plan. */
export function requireNoSignature(profile: Profile, endpoint: Endpoint, input: unknown): void {
  requireSignatures(profile, signatureReason(profile, endpoint, input), undefined);
}
