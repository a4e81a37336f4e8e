import { limitOf, type OwnOperator, signAboveWords } from '../../account/operators.ts';
import type { Profile } from '../../account/profile.ts';
import type { SignAbove } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { type Moves, movesOf } from '../../contract/moves.ts';
import { isSignedBy, signText } from '../../crypto/signing.ts';
import { type Amount, type Asset, amountForPeople, countedWith, millionthsOf } from '../../money/amount.ts';
import { journalLocationOf } from '../connection/journal-location.ts';
import { type ListedOperator, type OperatorList, operatorListOf } from './operator-list.ts';
import { type Author, type Plan, type PlanAccount, quotedText, type Signature } from './plan.ts';

/**
 * Returns why a signature is not that of a second person; undefined if it may be. Whoever adds a key may have made it, and can then
 * sign with it. Who that was is read from the entries of both keys: a plan says of its author whatever the author wrote. In a list that
 * several hosts share, it is so in both directions, and for any two keys that one person added. A list of one machine was written there
 * alone: it says whom its owner trusts, so that the owner may sign what somebody in it wrote.
 */
export function dependence(
  { operators }: OperatorList,
  author: Author,
  signer: ListedOperator,
  isShared: boolean,
): string | undefined {
  const { name, publicKey } = signer;
  const listed = operators.find((each) => each.publicKey === author.operator?.publicKey);
  const isByAuthor = listed
    ? signer.addedBy.operator?.publicKey === listed.publicKey ||
      (isFromOutside(listed) && isSameUser(signer.addedBy, listed.addedBy))
    : isSameUser(signer.addedBy, author);
  if (isByAuthor) return `the author of the plan added the key of operator ${name}`;
  if (!isShared || !listed) return undefined;
  if (listed.addedBy.operator?.publicKey === publicKey) return `operator ${name} added the key of the plan’s author`;
  if (isSameUser(listed.addedBy, signer.addedBy))
    return `one person added the keys of the author and of operator ${name}`;
  return undefined;
}

const isSameUser = (one: Author, other: Author): boolean => one.user === other.user && one.host === other.host;

/** Whether a key was added when there was no operator who could have agreed: anybody who had the machine then may have made it. */
const isFromOutside = ({ addedBy }: ListedOperator): boolean => addedBy.operator === null;

/**
 * Throws CliError declined unless a plan says of its author what the list says of their key: the name, and whose user added it if no
 * operator did.
 */
function requireListedAuthor({ operators }: OperatorList, { user, operator }: Author): void {
  const listed = operators.find((each) => each.publicKey === operator?.publicKey);
  if (!listed || (listed.name === operator?.name && (!isFromOutside(listed) || listed.addedBy.user === user))) return;
  throw new CliError(
    'declined',
    `the plan says that ${quotedText(`${operator?.name}, ${user}`, 100)} wrote it, but its key is that of ${listed.name}, added by ${listed.addedBy.user}; nothing was sent`,
    {
      code: 'AUTHOR_CHANGED',
      hint: 'see whose key it is with: fiatrail profiles approvers list; have the plan written again with --plan FILE',
    },
  );
}

/** Keeps a signature on a plan from being a signature on anything else. */
const SIGNATURE_PREFIX = 'fiatrail plan signature 1';

/** What a signature signs: the plan, and everything the signature says about itself. */
function signedText(hash: string, { role, operator, publicKey, signedAt }: Omit<Signature, 'signature'>): string {
  return JSON.stringify([SIGNATURE_PREFIX, hash, role, operator, publicKey, signedAt]);
}

/** Returns a plan with one more signature. */
export async function withSignature(
  plan: Plan,
  { name, publicKey, privateKey }: OwnOperator,
  role: Signature['role'],
  nowMs: number,
): Promise<Plan> {
  const claim = { role, operator: name, publicKey, signedAt: new Date(nowMs).toISOString() };
  const signature = await signText(signedText(plan.hash, claim), { privateKey });
  return { ...plan, signatures: [...plan.signatures, { ...claim, signature }] };
}

/** A signature that holds, under the name by which this profile knows its key. */
export interface Signed {
  readonly role: Signature['role'];
  readonly operator: string;
  readonly publicKey: string;
  readonly signedAt: string;
}

/** The operators of an account, and whether other hosts have the same list. */
export interface Signers {
  readonly list: OperatorList;
  readonly isShared: boolean;
}

/** Returns whose signatures count for an account. */
export async function signersOf(account: PlanAccount): Promise<Signers> {
  const isShared = journalLocationOf(account.world, account.profile).server !== undefined;
  return { list: await operatorListOf(account), isShared };
}

/**
 * Returns the signatures of a plan. Throws CliError declined for one that does not hold, whose key is unknown, or that may be of the
 * same person as the plan.
 */
export async function signaturesOf(
  { hash, signatures, content }: Plan,
  { list, isShared }: Signers,
): Promise<readonly Signed[]> {
  requireListedAuthor(list, content.author);
  const signed: Signed[] = [];
  for (const each of signatures) {
    const { role, publicKey, signedAt, operator: claimed, signature } = each;
    const known = list.operators.find((operator) => operator.publicKey === publicKey);
    if (!known)
      throw new CliError(
        'declined',
        `the key ${publicKey} of operator ${quotedText(claimed, 60)}, who signed the plan, is unknown; nothing was sent`,
        {
          code: 'SIGNER_UNKNOWN',
          hint: `compare the key with theirs, then add it with: fiatrail profiles approvers add NAME --public-key KEY`,
        },
      );
    if (!(await isSignedBy(signedText(hash, each), signature, publicKey))) throw badSignature(known.name);
    const isAuthor = publicKey === content.author.operator?.publicKey;
    if ((role === 'author') !== isAuthor) throw badSignature(known.name);
    if (signed.some((other) => other.publicKey === publicKey)) throw badSignature(known.name);
    if (role === 'signer') requireIndependence(dependence(list, content.author, known, isShared), 'sent');
    signed.push({ role, operator: known.name, publicKey, signedAt });
  }
  return signed;
}

/** Throws CliError declined if there is a reason why a signature may not be that of a second person. */
export function requireIndependence(reason: string | undefined, not: 'sent' | 'signed'): void {
  if (reason === undefined) return;
  throw new CliError('declined', `${reason}, so the signature is not that of a second person; nothing was ${not}`, {
    code: 'SIGNER_ADDED_BY_AUTHOR',
    hint: 'have an operator sign whose key was added by somebody else; see who added it with: fiatrail profiles approvers list',
  });
}

function badSignature(name: string): CliError {
  return new CliError('declined', `the signature of operator ${name} on the plan does not hold; nothing was sent`, {
    code: 'BAD_SIGNATURE',
    hint: 'get the plan again from whoever signed it, and have it signed again',
  });
}

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
      'write a plan with --plan FILE, have another operator sign it with "fiatrail plans approve FILE", then: fiatrail plans apply FILE',
    );
  const has = (role: Signed['role']) => applied.signed.some((each) => each.role === role);
  if (!has('author'))
    throw refusal(
      ', and the author of the plan had no operator key',
      'make a key with "fiatrail profiles approvers add NAME --generate", then write a new plan',
    );
  if (has('signer')) return;
  throw refusal(
    '',
    operators.length > 1
      ? 'have another operator sign it with: fiatrail plans approve FILE'
      : 'add another operator with: fiatrail profiles approvers add NAME --public-key KEY',
  );
}
