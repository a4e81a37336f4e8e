import * as z from 'zod/mini';
import { type Operator, signAboveWords } from '../../account/operators.ts';
import type { Profile } from '../../account/profile.ts';
import type { SignAbove } from '../../account/stored-profile.ts';
import { CliError, jsonIn } from '../../base/errors.ts';
import type { SharedName } from '../../journal/interface.ts';
import { TOKENS } from '../../money/amount.ts';
import type { Author, PlanAccount } from './plan.ts';

/** A person whose signatures count, and who put their key in the list. */
export interface ListedOperator extends Operator {
  readonly addedBy: Author;
  readonly addedAt: string;
}

/** One change of the list. A removal names the key, so that it cannot hit somebody who got the name later. */
export type OperatorChange =
  | ({ readonly change: 'add' } & Operator)
  | ({ readonly change: 'remove' } & Operator)
  | { readonly change: 'sign-above'; readonly limits: readonly SignAbove[] };

/** A change that nobody else signed. It can be made once its waiting time is over, unless an operator cancels it. */
export interface PendingChange {
  readonly wanted: OperatorChange;
  readonly askedBy: Author;
  readonly askedAt: string;
  readonly endsAt: string;
}

/** What all hosts of a journal know about operators. */
export interface OperatorList {
  readonly operators: readonly ListedOperator[];
  /** Above these amounts, money moves only by a plan that another operator signed. At most one amount per asset. */
  readonly signAbove: readonly SignAbove[];
  readonly pending: PendingChange | null;
}

/** The name under which the journal keeps the list: one for all accounts, and one for each embedded sandbox, which is nobody else's. */
export const listNameOf = ({ mode, name }: Pick<Profile, 'mode' | 'name'>): SharedName =>
  mode === 'embedded' ? `operators ${name}` : 'operators';

const EMPTY: OperatorList = { operators: [], signAbove: [], pending: null };

/** Built on first use: most journals have no list. */
const shapes = () => {
  const text = z.string();
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
  return z.strictObject({
    operators: z.array(z.strictObject({ ...operator, addedBy: author, addedAt: text })),
    signAbove: limits,
    pending: z.nullable(z.strictObject({ wanted, askedBy: author, askedAt: text, endsAt: text })),
  });
};

/** Reads a list as the journal keeps it. Throws CliError usage if the text is not what this version writes. */
export function parseOperatorList(text: string | undefined): OperatorList {
  if (text === undefined) return EMPTY;
  const { success, data, error } = shapes().safeParse(jsonIn(text));
  if (success && (data.pending === null || Number.isFinite(Date.parse(data.pending.endsAt)))) return data;
  const field = error?.issues[0]?.path.join('.') || 'pending';
  throw new CliError('usage', `the operators in the journal are invalid at ${field}; nothing was sent`, {
    code: 'CONFIG_BROKEN',
    hint: 'update fiatrail on this machine if another one has a newer version',
  });
}

/** Returns the operators of an account, as the journal has them. Throws CliError usage. */
export async function operatorListOf({
  profile,
  existingJournal,
}: Pick<PlanAccount, 'profile' | 'existingJournal'>): Promise<OperatorList> {
  return parseOperatorList(await (await existingJournal())?.shared(listNameOf(profile)));
}

/** Whether a change of a list needs the signature of another operator: alone, nobody else could give one. */
export const needsAnother = ({ operators }: OperatorList): boolean => operators.length > 1;

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
    hint: 'see the operators with: fiatrail profiles operators list',
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
    hint: 'see the operators with: fiatrail profiles operators list',
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

/** Says which change waits, who asked for it and how to stop it. */
export function pendingForPeople({ wanted, askedBy: { user, host, operator }, endsAt }: PendingChange): string {
  const limits = wanted.change === 'sign-above' ? ` to ${limitsForPeople(wanted.limits)}` : '';
  const who = `${operator ? `${operator.name}, ` : ''}${user} on ${host}`;
  return `a change of operators without a second signature is pending: ${changeForPeople(wanted)}${limits}, asked for by ${who}; it can be made from ${endsAt}; if it should not, run: fiatrail profiles operators cancel`;
}
