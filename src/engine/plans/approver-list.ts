import * as z from 'zod/mini';
import { approvalThresholdWords } from '../../account/approval-threshold.ts';
import type { Approver } from '../../account/approvers.ts';
import type { Profile } from '../../account/profile.ts';
import type { ApprovalThreshold } from '../../account/stored-profile.ts';
import { advice } from '../../base/advice.ts';
import { CliError, jsonIn } from '../../base/errors.ts';
import type { Journal } from '../../journal/interface.ts';
import { TOKENS } from '../../money/amount.ts';
import { existingJournal } from '../connection/journal-location.ts';
import type { Author, PlanAccount } from './plan.ts';

/** A person whose signatures count, and who put their key in the list. */
export interface ListedApprover extends Approver {
  readonly addedBy: Author;
  readonly addedAt: string;
}

/** What a change of a list is in place of an endpoint: nothing is sent to the service. */
export const LIST_CHANGES = 'profiles.approvers';

/** What a decision about the balances of reports is in place of an endpoint: nothing is sent either. */
export const ACCEPTANCES = 'report.accept';

/** What closing and reopening a month are in place of endpoints. */
export const CLOSES = 'report.close';
export const REOPENINGS = 'report.reopen';

/** What a file of many rows is in place of an endpoint: each of its rows has one. */
export const FILES = 'bulk.create';

/** Whether what is planned changes the journal alone, and moves nothing. */
export const isOfJournal = (endpoint: string): boolean =>
  [LIST_CHANGES, ACCEPTANCES, CLOSES, REOPENINGS].includes(endpoint);

/** One change of the list. A removal names the key, so that it cannot hit someone who got the name later. */
export type ApproverChange =
  | ({ readonly change: 'add' } & Approver)
  | ({ readonly change: 'remove' } & Approver)
  | { readonly change: 'approval-threshold'; readonly limits: readonly ApprovalThreshold[] };

/** A change that nobody else signed. It can be made once its waiting time is over, unless an approver cancels it. */
export interface PendingChange {
  readonly wanted: ApproverChange;
  readonly askedBy: Author;
  /** By the clock of the account's service, or of the shared journal's server. */
  readonly askedAt: string;
  readonly endsAt: string;
  /** By the clock of the machine that asked. It can lengthen the wait of a live account, and never shortens it. */
  readonly askedAtByHost: string;
}

/** The account that a list is of: its service, and the key with which the list was last changed. */
interface ListedAccount extends Pick<Profile, 'mode' | 'baseUrl'> {
  readonly keyFingerprint: string;
}

/** The approvers of one account, as the journal keeps them. */
export interface StoredList {
  readonly account: ListedAccount;
  readonly approvers: readonly ListedApprover[];
  /** Above these amounts, money moves only by a plan that another approver signed. At most one amount per asset. */
  readonly approvalThresholds: readonly ApprovalThreshold[];
  readonly pending: PendingChange | null;
}

/** The approvers that count for an account. */
export interface ApproverList extends Omit<StoredList, 'account'> {
  /** The accounts whose lists they are: its own, or others of the journal while a live account has none. Empty if there is no list. */
  readonly accounts: readonly ListedAccount[];
  /** Whether the account has a list of its own. */
  readonly isOwn: boolean;
  /** Whether a change needs the signature of another approver. */
  readonly needsAnother: boolean;
}

const EMPTY: ApproverList = {
  approvers: [],
  approvalThresholds: [],
  pending: null,
  accounts: [],
  isOwn: false,
  needsAnother: false,
};

/** Built on first use: most journals have no list. */
const shapes = () => {
  const text = z.string();
  const time = z.string().check(z.refine((each) => Number.isFinite(Date.parse(each))));
  const key = z.string().check(z.regex(/^[0-9a-f]{64}$/));
  const approver = { name: text, publicKey: key };
  const author = z.strictObject({ user: text, host: text, approver: z.nullable(z.strictObject(approver)) });
  const minor = z.string().check(z.regex(/^(0|[1-9]\d{0,39})$/));
  const limits = z.array(z.strictObject({ asset: z.enum(['NGN', ...TOKENS]), minor }));
  const wanted = z.union([
    z.strictObject({ change: z.literal('add'), ...approver }),
    z.strictObject({ change: z.literal('remove'), ...approver }),
    z.strictObject({ change: z.literal('approval-threshold'), limits }),
  ]);
  const times = { askedAt: time, endsAt: time, askedAtByHost: time };
  return z.strictObject({
    account: z.strictObject({ mode: z.enum(['live', 'sandbox', 'embedded']), baseUrl: text, keyFingerprint: text }),
    approvers: z.array(z.strictObject({ ...approver, addedBy: author, addedAt: text })),
    approvalThresholds: limits,
    pending: z.nullable(z.strictObject({ wanted, askedBy: author, ...times })),
  });
};

/** Reads a list as the journal keeps it. Throws CliError usage if the text is not what this version writes. */
function parsed(text: string): StoredList {
  const { success, data, error } = shapes().safeParse(jsonIn(text));
  if (success) return data;
  const field = error?.issues[0]?.path.join('.') || 'its form';
  throw new CliError('usage', `the approvers in the journal are invalid at ${field}; nothing was sent`, {
    code: 'CONFIG_BROKEN',
    hint: 'update fiatrail on this machine if another one has a newer version',
  });
}

const isProtected = ({ approvers }: Pick<StoredList, 'approvers'>): boolean => approvers.length > 1;

/**
 * Returns what several lists say together. Lists in which one person could change everything give way to those in which nobody can; of
 * these, all must agree: their amounts all count, and an approver is one of each.
 */
function combined(lists: readonly StoredList[], isOwn: boolean): ApproverList {
  const strict = lists.filter(isProtected);
  const [first, ...others] = strict.length > 0 ? strict : lists.slice(0, 1);
  if (!first) return EMPTY;
  const all = [first, ...others];
  const isInAll = ({ publicKey }: ListedApprover) =>
    others.every(({ approvers }) => approvers.some((each) => each.publicKey === publicKey));
  return {
    approvers: first.approvers.filter(isInAll),
    approvalThresholds: all.flatMap(({ approvalThresholds }) => approvalThresholds),
    pending: isOwn && others.length === 0 ? first.pending : null,
    accounts: all.map(({ account }) => account),
    isOwn,
    needsAnother: isProtected(first),
  };
}

/** The approvers that count for an account, and what a change of them replaces. */
interface ReadApprovers {
  readonly list: ApproverList;
  /** The id of the account under which the journal keeps its list, and the text; undefined if it has none. */
  readonly stored: { readonly id: string; readonly text: string } | undefined;
}

/**
 * Reads the approvers of an account from the journal. A live account without a list of its own has those of the journal's other live
 * accounts: a key that the journal does not know yet is no way around the second person. Throws CliError usage.
 */
export async function readApprovers(account: PlanAccount): Promise<ReadApprovers> {
  const journal = await existingJournal(account);
  const lists = await journal?.approverLists();
  if (!journal || !lists || lists.size === 0) return { list: EMPTY, stored: undefined };
  const ids = await journal.accountIds(await account.accountNames());
  const own = ids.flatMap((id) => {
    const text = lists.get(id);
    return text === undefined ? [] : [{ id, text, list: parsed(text) }];
  });
  if (own.length > 0) {
    const stored = own.find(({ list }) => isProtected(list)) ?? own[0];
    return {
      stored,
      list: combined(
        own.map(({ list }) => list),
        true,
      ),
    };
  }
  const others = account.profile.mode === 'live' ? [...lists.values()].map(parsed) : [];
  const strict = others.filter((each) => each.account.mode === 'live' && isProtected(each));
  return { list: combined(strict, false), stored: undefined };
}

/** Returns the approvers of an account, as the journal has them. Throws CliError usage. */
export async function approverListOf(account: PlanAccount): Promise<ApproverList> {
  return (await readApprovers(account)).list;
}

/** The account of a command that may have to warn of pending changes. */
export interface WarnedAccount extends PlanAccount {
  readonly notices: { say(text: string): Promise<void> };
  readonly activity: { hasWarnedOfApprovers?: true };
}

/** Returns who signs for the account of a command. Warns as `warnOfChanges` does. Throws CliError usage. */
export async function approversOf(account: WarnedAccount): Promise<ApproverList> {
  await warnOfChanges(account);
  return approverListOf(account);
}

/** Warns once of each pending change of approvers in the journal, of whatever account. */
export async function warnOfChanges(account: WarnedAccount): Promise<void> {
  const { activity, notices } = account;
  if (activity.hasWarnedOfApprovers) return;
  activity.hasWarnedOfApprovers = true;
  for (const { pending } of await allApproverLists(await existingJournal(account)))
    if (pending) await notices.say(`warning: ${pendingForPeople(pending)}`);
}

/** Returns the lists of all accounts of a journal. Throws CliError usage. */
export async function allApproverLists(journal: Journal | undefined): Promise<readonly StoredList[]> {
  return [...((await journal?.approverLists()) ?? new Map<string, string>()).values()].map(parsed);
}

/** Throws CliError usage if the list has an approver of this name or with this key. */
export function requireNew({ approvers }: ApproverList, { name, publicKey }: Partial<Approver>): void {
  const taken = approvers.find((each) => each.name.toLowerCase() === name?.toLowerCase());
  const other = approvers.find((each) => each.publicKey === publicKey);
  if (!taken && !other) return;
  const message = taken
    ? `there already is an approver named ${taken.name}`
    : `approver ${other?.name} already has this public key`;
  throw new CliError('usage', message, {
    code: 'APPROVER_EXISTS',
    hint: advice`see the approvers with: [fiatrail profiles approvers list]`,
  });
}

/** Returns the approver of a name, with the given key if there is one. Throws CliError usage. */
export function requireListed({ approvers }: ApproverList, { name, publicKey }: Partial<Approver>): ListedApprover {
  const found = approvers.find(
    (each) => each.name === name && (publicKey === undefined || each.publicKey === publicKey),
  );
  if (found) return found;
  throw new CliError('usage', `no approver is named ${name}${publicKey === undefined ? '' : ' and has this key'}`, {
    code: 'NOT_FOUND',
    hint: advice`see the approvers with: [fiatrail profiles approvers list]`,
  });
}

/** A verb phrase for a change. */
export function changeForPeople(wanted: ApproverChange): string {
  if (wanted.change === 'add') return `let approver ${wanted.name} approve plans`;
  if (wanted.change === 'remove') return `remove approver ${wanted.name}`;
  return 'change when a second person must approve';
}

/** The limits as people write them. */
export const limitsForPeople = (limits: readonly ApprovalThreshold[]): string =>
  approvalThresholdWords(limits)?.join(', ') ?? 'never';

/** `https://api.example.com/v1, key SHA256:…`. */
export const accountForPeople = ({ mode, baseUrl, keyFingerprint }: ListedAccount): string =>
  `${mode === 'embedded' ? 'the embedded sandbox' : baseUrl}, key ${keyFingerprint}`;

/** Says which change waits, who asked for it and how to stop it. */
export function pendingForPeople({ wanted, askedBy: { user, host, approver }, endsAt }: PendingChange): string {
  const limits = wanted.change === 'approval-threshold' ? ` to ${limitsForPeople(wanted.limits)}` : '';
  const who = `${approver ? `${approver.name}, ` : ''}${user} on ${host}`;
  return `a change of approvers without a second approval is pending: ${changeForPeople(wanted)}${limits}, asked for by ${who}; it can be made from ${endsAt}; if it should not, run: fiatrail profiles approvers cancel`;
}
