import { limitOf, signAboveWords } from '../../account/operators.ts';
import type { Profile } from '../../account/profile.ts';
import type { SignAbove } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { type Moves, movesOf } from '../../contract/moves.ts';
import { type Amount, type Asset, amountForPeople, countedWith, millionthsOf } from '../../money/amount.ts';
import type { OperatorList } from './operator-list.ts';
import type { Signed } from './signatures.ts';

/** Returns the amounts above which another operator must sign: those in the journal, and those of the profile. */
export const signLimits = ({ stored }: Pick<Profile, 'stored'>, { signAbove }: OperatorList): readonly SignAbove[] => [
  ...signAbove,
  ...(stored?.signAbove ?? []),
];

/**
 * Returns why a request needs the signature of another operator; undefined if it needs none. A request that does not say how much it
 * moves of an asset with a limit needs one.
 */
export function signatureReason(limits: readonly SignAbove[], endpoint: Endpoint, input: unknown): string | undefined {
  if (limits.length === 0) return undefined;
  if (endpoint.moves?.isIncoming || isPause(endpoint, input)) return undefined;
  const moves = movesOf(endpoint, input);
  if (
    !moves ||
    (!moves.amount && moves.unknownAssets.length === 0) ||
    limits.some(({ asset }) => isUnknownAmount(moves, asset))
  )
    return 'a request that does not say how much it moves';
  const limit = limits.find((each) => [moves.amount, ...moves.atWorst].some((spent) => isAbove(spent, limitOf(each))));
  return limit && `more than ${amountForPeople(limitOf(limit))}`;
}

const isUnknownAmount = ({ unknownAssets }: Moves, asset: Asset): boolean =>
  countedWith(asset).some((each) => unknownAssets.includes(each));

const isAbove = (amount: Amount | undefined, limit: Amount): boolean =>
  amount !== undefined && countedWith(limit.asset).includes(amount.asset) && millionthsOf(amount) > millionthsOf(limit);

/** Whether a request only pauses an order, which then takes nothing any more. Anybody may do that. */
function isPause({ id }: Endpoint, input: unknown): boolean {
  if (id !== 'fx.update-limit-order' || typeof input !== 'object' || input === null) return false;
  const { orderId: _, status, ...others } = input as Readonly<Record<string, unknown>>;
  return status === 'paused' && Object.values(others).every((value) => value === undefined);
}

/** Returns what the amounts above which another operator must sign say about a request, as a sentence. */
export function signRulesMet(limits: readonly SignAbove[], endpoint: Endpoint, input: unknown): string[] {
  if (limits.length === 0) return [];
  const reason = signatureReason(limits, endpoint, input);
  if (reason !== undefined) return [`another operator must sign ${reason}`];
  return [`no signature is needed up to ${signAboveWords(limits)?.join(', ')}`];
}

/** A plan being applied: its signatures as `signaturesOf` returned them. */
interface Applied {
  readonly signed: readonly Signed[];
}

/**
 * Throws CliError declined unless something was agreed to by two operators: it is in a plan that its author and another operator
 * signed. The author’s own key is never the second pair of eyes. `needs` says who wants it and for what.
 */
export function requireSignatures(
  { operators }: OperatorList,
  needs: string,
  applied: Applied | undefined,
  not: 'sent' | 'changed' = 'sent',
): void {
  const refusal = (why: string, hint: string) =>
    new CliError('declined', `${needs}${why}; nothing was ${not}`, { code: 'SIGNATURE_REQUIRED', hint });
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
    operators.length > 1
      ? 'have another operator sign it with: fiatrail ops sign FILE'
      : 'add another operator with: fiatrail profiles operators add NAME --public-key KEY',
  );
}
