import * as z from 'zod/mini';
import { type Operator, signAboveWords } from '../../account/operators.ts';
import type { Profile } from '../../account/profile.ts';
import type { SignAbove } from '../../account/stored-profile.ts';
import { CliError, jsonIn } from '../../base/errors.ts';
import type { Journal } from '../../journal/interface.ts';
import { TOKENS } from '../../money/amount.ts';
import { existingJournal } from '../connection/journal-location.ts';
import type { Author, PlanAccount } from './plan.ts';

/** A person whose signatures count, and who put their key in the list. */
export interface ListedOperator extends Operator {
  readonly addedBy: Author;
  readonly addedAt: string;
}

/** What a change of a list is in place of an endpoint: nothing is sent to the service. */
export const LIST_CHANGES = 'profiles.operators';

/** One change of the list. A removal names the key, so that it cannot hit somebody who got the name later. */
export type OperatorChange =
  | ({ readonly change: 'add' } & Operator)
  | ({ readonly change: 'remove' } & Operator)
  | { readonly change: 'sign-above'; readonly limits: readonly SignAbove[] };

/** A change that nobody else signed. It can be made once its waiting time is over, unless an operator cancels it. */
export interface PendingChange {
  readonly wanted: OperatorChange;
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

/** The operators of one account, as the journal keeps them. */
export interface StoredList {
  readonly account: ListedAccount;
  readonly operators: readonly ListedOperator[];
  /** Above these amounts, money moves only by a plan that another operator signed. At most one amount per asset. */
  readonly signAbove: readonly SignAbove[];
  readonly pending: PendingChange | null;
}

/** The operators that count for an account. */
export interface OperatorList extends Omit<StoredList, 'account'> {
  /** The accounts whose lists they are: its own, or others of the journal while a live account has none. Empty if there is no list. */
  readonly accounts: readonly ListedAccount[];
  /** Whether the account has a list of its own. */
  readonly isOwn: boolean;
  /** Whether a change needs the signature of another operator. */
  readonly needsAnother: boolean;
}

const EMPTY: OperatorList = {
  operators: [],
  signAbove: [],
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
  const operator = { name: text, publicKey: key };
  const author = z.strictObject({ user: text, host: text, operator: z.nullable(z.strictObject(operator)) });
  const minor = z.string().check(z.regex(/^(0|[1-9]\d{0,39})$/));
  const limits = z.array(z.strictObject({ asset: z.enum(['NGN', ...TOKENS]), minor }));
  const wanted = z.union([
    z.strictObject({ change: z.literal('add'), ...operator }),
    z.strictObject({ change: z.literal('remove'), ...operator }),
    z.strictObject({ change: z.literal('sign-above'), limits }),
  ]);
  const times = { askedAt: time, endsAt: time, askedAtByHost: time };
  return z.strictObject({
    account: z.strictObject({ mode: z.enum(['live', 'sandbox', 'embedded']), baseUrl: text, keyFingerprint: text }),
    operators: z.array(z.strictObject({ ...operator, addedBy: author, addedAt: text })),
    signAbove: limits,
    pending: z.nullable(z.strictObject({ wanted, askedBy: author, ...times })),
  });
};

/** Reads a list as the journal keeps it. Throws CliError usage if the text is not what this version writes. */
function parsed(text: string): StoredList {
  const { success, data, error } = shapes().safeParse(jsonIn(text));
  if (success) return data;
  const field = error?.issues[0]?.path.join('.') || 'its form';
  throw new CliError('usage', `the operators in the journal are invalid at ${field}; nothing was sent`, {
    code: 'CONFIG_BROKEN',
    hint: 'update fiatrail on this machine if another one has a newer version',
  });
}

const isProtected = ({ operators }: Pick<StoredList, 'operators'>): boolean => operators.length > 1;

/**
 * Returns what several lists say together. Lists in which one person could change everything give way to those in which nobody can; of
 * these, all must agree: their amounts all count, and an operator is one of each.
 */
function combined(lists: readonly StoredList[], isOwn: boolean): OperatorList {
  const strict = lists.filter(isProtected);
  const [first, ...others] = strict.length > 0 ? strict : lists.slice(0, 1);
  if (!first) return EMPTY;
  const all = [first, ...others];
  const isInAll = ({ publicKey }: ListedOperator) =>
    others.every(({ operators }) => operators.some((each) => each.publicKey === publicKey));
  return {
    operators: first.operators.filter(isInAll),
    signAbove: all.flatMap(({ signAbove }) => signAbove),
    pending: isOwn && others.length === 0 ? first.pending : null,
    accounts: all.map(({ account }) => account),
    isOwn,
    needsAnother: isProtected(first),
  };
}

/** The operators that count for an account, and what a change of them replaces. */
interface ReadOperators {
  readonly list: OperatorList;
  /** The id of the account under which the journal keeps its list, and the text; undefined if it has none. */
  readonly stored: { readonly id: string; readonly text: string } | undefined;
}

/**
 * Reads the operators of an account from the journal. A live account without a list of its own has those of the journal's other live
 * accounts: a key that the journal does not know yet is no way around the second person. Throws CliError usage.
 */
export async function readOperators(account: PlanAccount): Promise<ReadOperators> {
  const journal = await existingJournal(account);
  const lists = await journal?.operatorLists();
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

/** Returns the operators of an account, as the journal has them. Throws CliError usage. */
export async function operatorListOf(account: PlanAccount): Promise<OperatorList> {
  return (await readOperators(account)).list;
}

/** The account of a command that may have to warn of pending changes. */
export interface WarnedAccount extends PlanAccount {
  readonly notices: { say(text: string): Promise<void> };
  readonly activity: { hasWarnedOfOperators?: true };
}

/** Returns who signs for the account of a command. Warns as `warnOfChanges` does. Throws CliError usage. */
export async function operatorsOf(account: WarnedAccount): Promise<OperatorList> {
  await warnOfChanges(account);
  return operatorListOf(account);
}

/** Warns once of each pending change of operators in the journal, of whatever account. */
export async function warnOfChanges(account: WarnedAccount): Promise<void> {
  const { activity, notices } = account;
  if (activity.hasWarnedOfOperators) return;
  activity.hasWarnedOfOperators = true;
  for (const { pending } of await allOperatorLists(await existingJournal(account)))
    if (pending) await notices.say(`warning: ${pendingForPeople(pending)}`);
}

/** Returns the lists of all accounts of a journal. Throws CliError usage. */
export async function allOperatorLists(journal: Journal | undefined): Promise<readonly StoredList[]> {
  return [...((await journal?.operatorLists()) ?? new Map<string, string>()).values()].map(parsed);
}

/** Throws CliError usage if the list has an operator of this name or with this key. */
export function requireNew({ operators }: OperatorList, { name, publicKey }: Partial<Operator>): void {
  const taken = operators.find((each) => each.name.toLowerCase() === name?.toLowerCase());
  const other = operators.find((each) => each.publicKey === publicKey);
  if (!taken && !other) return;
  const message = taken
    ? `there already is an operator named ${taken.name}`
    : `operator ${other?.name} already has this public key`;
  throw new CliError('usage', message, {
    code: 'OPERATOR_EXISTS',
    hint: 'see the operators with: fiatrail profiles approvers list',
  });
}

/** Returns the operator of a name, with the given key if there is one. Throws CliError usage. */
export function requireListed({ operators }: OperatorList, { name, publicKey }: Partial<Operator>): ListedOperator {
  const found = operators.find(
    (each) => each.name === name && (publicKey === undefined || each.publicKey === publicKey),
  );
  if (found) return found;
  throw new CliError('usage', `no operator is named ${name}${publicKey === undefined ? '' : ' and has this key'}`, {
    code: 'NOT_FOUND',
    hint: 'see the operators with: fiatrail profiles approvers list',
  });
}

/** A verb phrase for a change. */
export function changeForPeople(wanted: OperatorChange): string {
  if (wanted.change === 'add') return `let operator ${wanted.name} sign plans`;
  if (wanted.change === 'remove') return `remove operator ${wanted.name}`;
  return 'change when another operator must sign';
}

/** The limits as people write them. */
export const limitsForPeople = (limits: readonly SignAbove[]): string => signAboveWords(limits)?.join(', ') ?? 'never';

/** `https://api.example.com/v1, key SHA256:…`. */
export const accountForPeople = ({ mode, baseUrl, keyFingerprint }: ListedAccount): string =>
  `${mode === 'embedded' ? 'the embedded sandbox' : baseUrl}, key ${keyFingerprint}`;

/** Says which change waits, who asked for it and how to stop it. */
export function pendingForPeople({ wanted, askedBy: { user, host, operator }, endsAt }: PendingChange): string {
  const limits = wanted.change === 'sign-above' ? ` to ${limitsForPeople(wanted.limits)}` : '';
  const who = `${operator ? `${operator.name}, ` : ''}${user} on ${host}`;
  return `a change of operators without a second signature is pending: ${changeForPeople(wanted)}${limits}, asked for by ${who}; it can be made from ${endsAt}; if it should not, run: fiatrail profiles approvers cancel`;
}
