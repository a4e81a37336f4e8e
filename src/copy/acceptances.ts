import { jsonIn } from '../base/errors.ts';
import type { Account } from '../engine/account.ts';
import { existingJournal } from '../engine/connection/journal-location.ts';
import { changed } from '../journal/entries.ts';
import type { SharedName } from '../journal/interface.ts';
import type { Queries } from '../journal/store.ts';
import { type Asset, isAsset } from '../money/amount.ts';
import { readSetting } from './list-state.ts';
import { noCopy } from './open.ts';

/**
 * What a person accepted of a balance: that it changed by `minor`, in the smallest unit, after the look at `from` and until the look at `to`,
 * although no list shows why. Times are ISO 8601 in UTC.
 */
export interface Acceptance {
  readonly asset: Asset;
  readonly from: string;
  readonly to: string;
  readonly minor: bigint;
  readonly reason: string;
  /** Who accepted it: `ada on web-1`. */
  readonly who: string;
  readonly at: string;
}

/** Returns the name under which the journal keeps what was accepted of the difference that a look saw. */
export const acceptedName = (owner: string, { asset, to }: Pick<Acceptance, 'asset' | 'to'>): SharedName =>
  `accepted ${owner} ${asset} ${to}`;

/** An acceptance as the journal keeps it: a later one of the same difference, which had grown meanwhile, stands beside the earlier one. */
interface SavedText extends Pick<Acceptance, 'from' | 'reason' | 'who' | 'at'> {
  readonly minor: string;
}

const TEXTS = ['from', 'minor', 'reason', 'who', 'at'] as const;

const isSaved = (value: unknown): value is SavedText =>
  typeof value === 'object' &&
  value !== null &&
  TEXTS.every((name) => typeof Reflect.get(value, name) === 'string') &&
  /^-?[1-9]\d{0,39}$/.test(String(Reflect.get(value, 'minor')));

export const textOf = (accepted: readonly Acceptance[]): string =>
  JSON.stringify(accepted.map(({ from, minor, reason, who, at }) => ({ from, minor: String(minor), reason, who, at })));

/** What the journal has of the acceptances of one account. */
export interface SavedAcceptances {
  readonly owner: string;
  readonly all: readonly Acceptance[];
  /** The text that the journal keeps under a name; undefined if it keeps none. */
  textUnder(name: SharedName): string | undefined;
}

/** Whose account a local copy is of. Rejects with CliError usage if no sync has found that out. */
export async function ownerOf(queries: Queries): Promise<string> {
  const owner = await readSetting(queries, 'owner');
  if (owner === undefined) throw noCopy();
  return owner;
}

/** Reads what was accepted of the account of a local copy. Rejects with CliError usage for an entry that is not what it was. */
export async function acceptancesOf(
  account: Pick<Account, 'world' | 'profile' | 'journal'>,
  queries: Queries,
): Promise<SavedAcceptances> {
  const owner = await ownerOf(queries);
  const journal = await existingJournal(account);
  const texts = (await journal?.sharedUnder(`accepted ${owner} `)) ?? new Map<string, string>();
  const all = [...texts].flatMap(([name, text]) => read(name, text));
  return { owner, all, textUnder: (name) => texts.get(name.slice(`accepted ${owner} `.length)) };
}

function read(name: string, text: string): readonly Acceptance[] {
  const [asset = '', to = ''] = name.split(' ');
  const saved = jsonIn(text);
  if (!isAsset(asset) || !Array.isArray(saved) || !saved.every(isSaved)) throw changed(`what was accepted of ${name}`);
  return saved.map(({ from, minor, reason, who, at }) => ({ asset, to, from, minor: BigInt(minor), reason, who, at }));
}
