import { approvalThresholdWords, limitOf } from '../../account/approval-threshold.ts';
import type { OwnApprover } from '../../account/approvers.ts';
import type { Profile } from '../../account/profile.ts';
import type { ApprovalThreshold } from '../../account/stored-profile.ts';
import { advice, type Hint } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { type Moves, movesOf } from '../../contract/moves.ts';
import { isSignedBy, signText } from '../../crypto/signing.ts';
import { type Amount, type Asset, amountForPeople, countedWith, millionthsOf } from '../../money/amount.ts';
import { journalLocationOf } from '../connection/journal-location.ts';
import { type ApproverList, approverListOf, type ListedApprover } from './approver-list.ts';
import { type Author, type Plan, type PlanAccount, quotedText, type Signature } from './plan.ts';

/**
 * Returns why a signature is not that of a second person; undefined if it may be. Whoever adds a key may have made it, and can then
 * sign with it. Who that was is read from the entries of both keys: a plan says of its author whatever the author wrote. In a list that
 * several hosts share, it is so in both directions, and for any two keys that one person added. A list of one machine was written there
 * alone: it says whom its owner trusts, so that the owner may sign what someone in it wrote.
 */
export function dependence(
  { approvers }: ApproverList,
  author: Author,
  signer: ListedApprover,
  isShared: boolean,
): string | undefined {
  const { name, publicKey } = signer;
  const listed = approvers.find((each) => each.publicKey === author.approver?.publicKey);
  const isByAuthor = listed
    ? signer.addedBy.approver?.publicKey === listed.publicKey ||
      (isFromOutside(listed) && isSameUser(signer.addedBy, listed.addedBy))
    : isSameUser(signer.addedBy, author);
  if (isByAuthor) return `the author of the plan added the key of approver ${name}`;
  if (!isShared || !listed) return undefined;
  if (listed.addedBy.approver?.publicKey === publicKey) return `approver ${name} added the key of the plan’s author`;
  if (isSameUser(listed.addedBy, signer.addedBy))
    return `one person added the keys of the author and of approver ${name}`;
  return undefined;
}

const isSameUser = (one: Author, other: Author): boolean => one.user === other.user && one.host === other.host;

/** Whether a key was added when there was no approver who could have agreed: anyone who had the machine then may have made it. */
const isFromOutside = ({ addedBy }: ListedApprover): boolean => addedBy.approver === null;

/**
 * Throws CliError declined unless a plan says of its author what the list says of their key: the name, and whose user added it if no
 * approver did.
 */
function requireListedAuthor({ approvers }: ApproverList, { user, approver }: Author): void {
  const listed = approvers.find((each) => each.publicKey === approver?.publicKey);
  if (!listed || (listed.name === approver?.name && (!isFromOutside(listed) || listed.addedBy.user === user))) return;
  throw new CliError(
    'declined',
    `the plan says that ${quotedText(`${approver?.name}, ${user}`, 100)} wrote it, but its key is that of ${listed.name}, added by ${listed.addedBy.user}; nothing was sent`,
    {
      code: 'AUTHOR_CHANGED',
      hint: advice`see whose key it is with: [fiatrail profiles approvers list]; have the plan written again with --plan`,
    },
  );
}

/** Keeps a signature on a plan from being a signature on anything else. */
const SIGNATURE_PREFIX = 'fiatrail plan signature 1';

/** What a signature signs: the plan, and everything the signature says about itself. */
function signedText(hash: string, signed: Omit<Signature, 'signature'>): string {
  const { role, approver, publicKey, signedAt, without } = signed;
  const rows = without ? [without] : [];
  return JSON.stringify([SIGNATURE_PREFIX, hash, role, approver, publicKey, signedAt, ...rows]);
}

/** Whether a signature on a plan is of the key that it names. */
export const isSignatureOf = (hash: string, signed: Signature): Promise<boolean> =>
  isSignedBy(signedText(hash, signed), signed.signature, signed.publicKey);

/** Returns a plan with one more signature. */
export async function withSignature(
  plan: Plan,
  { name, publicKey, privateKey }: OwnApprover,
  role: Signature['role'],
  nowMs: number,
  without: readonly string[] = [],
): Promise<Plan> {
  const rows = without.length === 0 ? {} : { without };
  const claim = { role, approver: name, publicKey, signedAt: new Date(nowMs).toISOString(), ...rows };
  const signature = await signText(signedText(plan.hash, claim), { privateKey });
  return { ...plan, signatures: [...plan.signatures, { ...claim, signature }] };
}

/** A signature that holds, under the name by which this profile knows its key. */
export interface Signed {
  readonly role: Signature['role'];
  readonly approver: string;
  readonly publicKey: string;
  readonly signedAt: string;
  readonly without?: readonly string[] | undefined;
}

/** The approvers of an account, and whether other hosts have the same list. */
export interface Signers {
  readonly list: ApproverList;
  readonly isShared: boolean;
}

/** Returns whose signatures count for an account. */
export async function signersOf(account: PlanAccount): Promise<Signers> {
  const isShared = journalLocationOf(account.world, account.profile).server !== undefined;
  return { list: await approverListOf(account), isShared };
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
    const { role, publicKey, signedAt, approver: claimed, without } = each;
    const known = list.approvers.find((approver) => approver.publicKey === publicKey);
    if (!known)
      throw new CliError(
        'declined',
        `the key ${publicKey} of approver ${quotedText(claimed, 60)}, who approved the plan, is unknown; nothing was sent`,
        {
          code: 'APPROVER_UNKNOWN',
          hint: advice`compare the key with theirs, then add it with: [fiatrail profiles approvers add NAME --public-key KEY]`,
        },
      );
    if (!(await isSignatureOf(hash, each))) throw badSignature(known.name);
    const isAuthor = publicKey === content.author.approver?.publicKey;
    if ((role === 'author') !== isAuthor) throw badSignature(known.name);
    if (signed.some((other) => other.publicKey === publicKey)) throw badSignature(known.name);
    if (role === 'signer') requireIndependence(dependence(list, content.author, known, isShared), 'sent');
    signed.push({ role, approver: known.name, publicKey, signedAt, without });
  }
  return signed;
}

/** Throws CliError declined if there is a reason why a signature may not be that of a second person. */
export function requireIndependence(reason: string | undefined, not: 'sent' | 'approved'): void {
  if (reason === undefined) return;
  throw new CliError('declined', `${reason}, so it is not the approval of a second person; nothing was ${not}`, {
    code: 'APPROVER_ADDED_BY_AUTHOR',
    hint: advice`ask an approver whose key someone else added; see who added each key with: [fiatrail profiles approvers list]`,
  });
}

/** The error for a signature that does not hold, or is not that of the person whom it names. */
export function badSignature(name: string): CliError {
  return new CliError('declined', `the signature of approver ${name} on the plan is invalid; nothing was sent`, {
    code: 'BAD_SIGNATURE',
    hint: 'get the plan again from the person who approved it, and have it approved again',
  });
}

/** Returns the amounts above which another approver must sign: those in the journal, and those of the profile. */
export const approvalThresholdsOf = (
  { stored }: Pick<Profile, 'stored'>,
  { approvalThresholds }: ApproverList,
): readonly ApprovalThreshold[] => [...approvalThresholds, ...(stored?.approvalThresholds ?? [])];

/**
 * Returns why a request needs the signature of another approver; undefined if it needs none. A request that does not say how much it
 * moves of an asset with a limit needs one.
 */
export function signatureReason(
  limits: readonly ApprovalThreshold[],
  endpoint: Endpoint,
  input: unknown,
): string | undefined {
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

/** Returns why sums that are moved together need the signature of another approver; undefined if they need none. */
export function sumReason(limits: readonly ApprovalThreshold[], sums: readonly Amount[]): string | undefined {
  const limit = limits.find((each) => {
    const counted = sums.filter(({ asset }) => countedWith(each.asset).includes(asset));
    return counted.reduce((sum, one) => sum + millionthsOf(one), 0n) > millionthsOf(limitOf(each));
  });
  return limit && `rows that move more than ${amountForPeople(limitOf(limit))} together`;
}

const isUnknownAmount = ({ unknownAssets }: Moves, asset: Asset): boolean =>
  countedWith(asset).some((each) => unknownAssets.includes(each));

const isAbove = (amount: Amount | undefined, limit: Amount): boolean =>
  amount !== undefined && countedWith(limit.asset).includes(amount.asset) && millionthsOf(amount) > millionthsOf(limit);

/** Whether a request only pauses an order, which then takes nothing any more. Anyone may do that. */
function isPause({ id }: Endpoint, input: unknown): boolean {
  if (id !== 'fx.update-limit-order' || typeof input !== 'object' || input === null) return false;
  const { orderId: _, status, ...others } = input as Readonly<Record<string, unknown>>;
  return status === 'paused' && Object.values(others).every((value) => value === undefined);
}

/** Returns what the amounts above which another approver must sign say about a request, as a sentence. */
export function signRulesMet(limits: readonly ApprovalThreshold[], endpoint: Endpoint, input: unknown): string[] {
  if (limits.length === 0) return [];
  const reason = signatureReason(limits, endpoint, input);
  if (reason !== undefined) return [`a second person must approve ${reason}`];
  return [`no approval is needed up to ${approvalThresholdWords(limits)?.join(', ')}`];
}

/** A plan being applied: its signatures as `signaturesOf` returned them. */
interface Applied {
  readonly signed: readonly Signed[];
}

/**
 * Throws CliError declined unless something was agreed to by two approvers: it is in a plan that its author and another approver
 * signed. The author’s own key is never the second approval. `needs` says who wants it and for what.
 */
export function requireSignatures(
  { approvers }: ApproverList,
  needs: string,
  applied: Applied | undefined,
  not: 'sent' | 'changed' = 'sent',
): void {
  const refusal = (why: string, hint: Hint) =>
    new CliError('declined', `${needs}${why}; nothing was ${not}`, { code: 'APPROVAL_REQUIRED', hint });
  if (!applied)
    throw refusal(
      '',
      advice`write a plan with --plan, have a second person approve it with [fiatrail plans approve ID], then: [fiatrail plans apply ID]`,
    );
  const has = (role: Signed['role']) => applied.signed.some((each) => each.role === role);
  if (!has('author'))
    throw refusal(
      ', and the author of the plan had no approver key',
      advice`make a key with [fiatrail profiles approvers add NAME --generate], then write a new plan`,
    );
  if (has('signer')) return;
  throw refusal(
    '',
    approvers.length > 1
      ? advice`have a second person approve it with: [fiatrail plans approve]`
      : advice`add another approver with: [fiatrail profiles approvers add NAME --public-key KEY]`,
  );
}
