import * as z from 'zod/mini';
import { jsonIn } from '../base/errors.ts';
import type { Account } from '../engine/account.ts';
import { existingJournal } from '../engine/connection/journal-location.ts';
import { changed } from '../journal/entries.ts';
import type { SharedName } from '../journal/interface.ts';
import type { Queries } from '../journal/store.ts';
import { DECIMALS } from '../money/amount.ts';
import { readSetting } from './list-state.ts';

const assets = Object.keys(DECIMALS) as (keyof typeof DECIMALS)[];

const minor = () =>
  z.pipe(
    z.string().check(z.regex(/^-?\d{1,40}$/)),
    z.transform((text: string) => BigInt(text)),
  );
const digest = () => z.string().check(z.regex(/^[0-9a-f]{64}$/));
const posting = () => z.strictObject({ account: z.string(), asset: z.enum(assets), minor: minor() });
const amounts = () => z.array(z.strictObject({ asset: z.enum(assets), minor: minor() }));
const postings = () => z.array(posting());

const schema = () =>
  z.strictObject({
    month: z.string().check(z.regex(/^[12]\d{3}-\d\d$/)),
    zone: z.string(),
    since: z.iso.datetime(),
    until: z.iso.datetime(),
    opening: postings(),
    adjustments: postings(),
    moved: postings(),
    closing: postings(),
    stated: amounts(),
    accepted: z.array(
      z.strictObject({
        code: z.string(),
        sets: z.int().check(z.positive()),
        amounts: amounts(),
        accounts: z.array(z.string()),
      }),
    ),
    reason: z.nullable(z.string()),
    sets: z.int().check(z.nonnegative()),
    digest: digest(),
    balancesDigest: digest(),
    head: z.nullable(z.string()),
    who: z.string(),
    at: z.iso.datetime(),
  });

/**
 * A closed month: the books as they were, which later rows do not change. `moved` is what accounts had of the month's own rows, also those that
 * begin each period at zero; `adjustments` what came late for months before. All users are one account. `stated` are opening balances, and
 * `accepted` the codes for what is not known and no sync can find out, with how many sets lacked it and what
 * balances say of all of them, and the accounts that lack it: a person said so, for `reason`. `digest` is that of the entries as CSV, `balancesDigest` that of the
 * balances. Amounts are in the smallest unit, times ISO 8601 in UTC; `until` is the start of the next month.
 */
export type MonthClose = Readonly<z.output<ReturnType<typeof schema>>>;

/** The name under which the journal keeps that a month of an account is closed. */
export const closeName = (owner: string, month: string): SharedName => `closed ${owner} ${month}`;

/** A close as the journal keeps it: the same close gives the same text. */
export const textOfClose = (close: MonthClose): string =>
  JSON.stringify(close, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

function read(name: string, text: string): MonthClose {
  const found = z.safeParse(schema(), jsonIn(text));
  if (!found.success || !name.endsWith(` ${found.data.month}`)) throw changed(`what was closed of ${name}`);
  return found.data;
}

/** The closed months of an account, oldest first, and the text that the journal keeps of each. */
export interface SavedCloses {
  readonly all: readonly MonthClose[];
  textUnder(month: string): string | undefined;
}

/** Reads the closed months of one account. Rejects with CliError usage for an entry that is not what it was. */
export async function closesOf(
  account: Pick<Account, 'world' | 'profile' | 'journal'>,
  owner: string,
): Promise<SavedCloses> {
  const journal = await existingJournal(account);
  const texts = (await journal?.sharedUnder(`closed ${owner} `)) ?? new Map<string, string>();
  const all = [...texts].map(([month, text]) => read(` ${month}`, text));
  return { all: all.sort((one, other) => (one.since < other.since ? -1 : 1)), textUnder: (month) => texts.get(month) };
}

/** Reads the closed months of the account of a local copy, which no sync may have found out yet. Rejects as `closesOf`. */
export async function closesIn(
  account: Pick<Account, 'world' | 'profile' | 'journal'>,
  queries: Queries,
): Promise<readonly MonthClose[]> {
  const owner = await readSetting(queries, 'owner');
  return owner === undefined ? [] : (await closesOf(account, owner)).all;
}

/** Reads the closed months of every account of a journal. Rejects as `closesOf`. */
export async function allCloses(
  account: Pick<Account, 'world' | 'profile' | 'journal'>,
): Promise<readonly MonthClose[]> {
  const journal = await existingJournal(account);
  return [...((await journal?.sharedUnder('closed ')) ?? [])].map(([name, text]) => read(name, text));
}
