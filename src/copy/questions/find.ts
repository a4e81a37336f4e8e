import type { Secret } from '../../base/secret.ts';
import type { Account } from '../../engine/account.ts';
import { existingProfileInbox } from '../../engine/connection/inbox.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import { cursorOf, listDigest, pointOf } from '../../engine/lists/cursor.ts';
import { isEvmAddress, timesOf } from '../../things/fields.ts';
import { THINGS } from '../../things/index.ts';
import type { Thing } from '../../things/thing.ts';
import { copyLocationOf, existingCopy, noCopy } from '../open.ts';
import { type Reach, reachOf } from './in-copy.ts';
import { onrampOf } from './known.ts';
import { type FindMatch, type Local, lookLocally, operationMatches, withOperations } from './look.ts';
import { askService, type Replies, type ServiceRow } from './service.ts';
import { isUnsettled, type Story, storyOf } from './story.ts';
import { type Typed, textIn } from './typed.ts';

/** Where something was looked for, and how far that reaches. */
interface LookedIn {
  readonly place: 'copy' | 'journal' | 'inbox' | 'service';
  readonly says: string;
}

/** What was found. */
export interface Findings {
  readonly matches: readonly FindMatch[];
  /** How many come before these. */
  readonly offset: number;
  /** The cursor of the matches after these; null if there are none. */
  readonly after: string | null;
  /** Whether no name has what was typed, and these are one letter off. */
  readonly isAlike: boolean;
  /** Whether too many names have what was typed. */
  readonly isTooCommon: boolean;
  /** Of the only match, or of the one that was chosen. */
  readonly story: Story | undefined;
  /** Where it was looked for, if nothing was found. */
  readonly looked: readonly LookedIn[];
  /** Commands after which more may be found. */
  readonly widen: readonly string[];
}

export type Choose = (matches: readonly FindMatch[]) => Promise<FindMatch | undefined>;

/** Which of the matches are wanted. */
interface Page {
  /** Infinity for all of them. */
  readonly size: number;
  /** The cursor that an earlier page ended with. */
  readonly after: string | undefined;
}

/** Finds what was typed on this machine, else asks the service. `choose` picks one of several. Rejects with CliError and DatabaseError. */
export async function findAnything(account: Account, typed: Typed, choose: Choose, page: Page): Promise<Findings> {
  const list = listDigest('', 'find', [account.profile.name, typed.text, typed.isPhone]);
  const point = page.after === undefined ? undefined : pointOf(page.after, list);
  const local = await lookLocally(account, typed, (point?.next ?? 0) + page.size);
  const kinds = local.matches.length === 0 && !local.isTooCommon ? kindsThatLookUp(typed) : [];
  if (!local.hasCopy && local.matches.length === 0 && kinds.length === 0) throw noCopy();
  const asked = kinds.length > 0 ? await askService(account, typed.keys[0] ?? typed.text, kinds) : undefined;
  const all = local.matches.length > 0 ? local.matches : (asked?.answers ?? []).map((each) => answerMatch(each, typed));
  // A match that is new since the earlier page moves the others on.
  const isLast = ({ kind, id }: FindMatch) => nameOf(kind, id) === point?.last;
  const offset = point ? all.findIndex(isLast) + 1 || point.next : 0;
  const matches = all.slice(offset, offset + page.size);
  const last = matches.at(-1);
  const hasMore = local.isCut || all.length > offset + matches.length;
  const next = offset + matches.length;
  const after = hasMore && last ? cursorOf({ list, next, total: null, last: nameOf(last.kind, last.id) }) : null;
  const isOne = all.length === 1;
  const isFresh = isRecent(account, local.syncedAt);
  const story = isOne || !point ? await chosenStory(account, matches, choose, isFresh, asked?.answers) : undefined;
  const isNothing = all.length === 0 && !local.isTooCommon;
  const { looked, widen } = isNothing ? await reachOfSearch(account, local, asked) : { looked: [], widen: [] };
  const { isAlike, isTooCommon } = local;
  return { matches, story, looked, widen, offset, after, isAlike, isTooCommon };
}

const nameOf = ({ name }: Thing, id: string) => `${name} ${id}`;

/** Finds the onboardings of a BVN that this machine started; their digest recognizes it, and nothing else knows it. */
export async function findBvn(account: Account, bvn: Secret, choose: Choose): Promise<Findings> {
  const { onboard } = await import('../../contract/endpoints/users.ts');
  const { recognizableInput } = await import('../../engine/sending/send.ts');
  const journal = await existingJournal(account);
  const input = await recognizableInput(account, 'fiatrail users onboard', onboard, { bvn: bvn.reveal() });
  const operations =
    journal && input !== undefined
      ? await journal.list({
          account: await journal.accountIds(await account.accountNames()),
          inputDigest: journal.digest(input),
          limit: 20,
        })
      : [];
  const matches = operationMatches(operations);
  const story = await chosenStory(account, matches, choose, true);
  const looked: LookedIn[] =
    matches.length > 0 ? [] : [{ place: 'journal', says: 'no onboarding of this BVN was started on this machine' }];
  return { matches, story, looked, widen: [], offset: 0, after: null, isAlike: false, isTooCommon: false };
}

async function chosenStory(
  account: Account,
  matches: readonly FindMatch[],
  choose: Choose,
  isFresh: boolean,
  answers?: readonly ServiceRow[],
): Promise<Story | undefined> {
  const chosen = matches.length > 1 ? await choose(matches) : matches[0];
  if (!chosen) return undefined;
  const match = await withOperations(account, chosen);
  const known = answers?.find(({ kind }) => kind === match.kind)?.row;
  const onramp = await onrampOf(account, match);
  if (known || !isUnsettled(match, isFresh)) return storyOf(account, match, known, onramp);
  const { answers: fresh, problems } = await askService(account, match.id, [match.kind]);
  for (const problem of problems) await account.notices.say(`warning: this may be out of date: ${problem}`);
  return storyOf(account, match, fresh[0]?.row, onramp);
}

const HASH = /^0x[\da-f]{64}$/i;

/** The kinds whose ids the service looks up, if what was typed may be such an id. Names and sums are sent nowhere. */
export function kindsThatLookUp({ text, words, sums, isPhone }: Typed): readonly Thing[] {
  if (isPhone || HASH.test(text) || sums.length > 0 || !/^[\x21-\x7e]{6,}$/.test(text)) return [];
  if (isEvmAddress(text)) return THINGS.filter(({ read }) => read?.wallet !== undefined);
  // A word of letters alone is a name.
  return words.length > 0 && !/\d/.test(text) ? [] : THINGS.filter(({ read }) => read !== undefined);
}

export const answerMatch = ({ kind, row }: ServiceRow, { text }: Typed): FindMatch => ({
  kind,
  id: textIn(row, [kind.read?.id ?? '']) ?? text,
  rank: 0,
  matchedBy: ['id'],
  operations: [],
  events: [],
  at: textIn(row, timesOf(kind)[0]?.fields ?? []) ?? null,
});

/** How old a copy may be before it is worth reading what is new. */
const FRESH_MS = 60_000;

const isRecent = ({ world }: Account, syncedAt: string | null): boolean =>
  world.clock.now() - Date.parse(syncedAt ?? '') < FRESH_MS;

/** Says where something was looked for, how far back, how fresh, and what would widen it. */
async function reachOfSearch(account: Account, local: Local, asked: Replies | undefined) {
  const { world, profile } = account;
  const looked: LookedIn[] = [];
  const widen: string[] = [];
  const copy = local.hasCopy ? await existingCopy(world, profile) : undefined;
  try {
    const reach = await copy?.read(reachOf);
    const partial = reach?.partial ?? [];
    looked.push({
      place: 'copy',
      says: reach
        ? reachText(reach, copyLocationOf(world, profile).personalDays)
        : 'the account has not been copied to this machine',
    });
    widen.push(
      isRecent(account, reach?.syncedAt ?? null) && partial.length === 0 ? 'fiatrail sync --full' : 'fiatrail sync',
    );
  } finally {
    await copy?.close();
  }
  const journal = await existingJournal(account);
  looked.push({ place: 'journal', says: `${(await journal?.count()) ?? 0} operations` });
  const inbox = await existingProfileInbox(world, profile);
  try {
    const extent = await inbox?.extent();
    const from = extent ? ` since ${new Date(extent.earliestMs).toISOString()}` : '';
    looked.push({ place: 'inbox', says: `${(await inbox?.counts())?.events ?? 0} events${from}` });
    if (!inbox) widen.push('fiatrail webhooks listen');
  } finally {
    await inbox?.close();
  }
  looked.push({ place: 'service', says: serviceSays(asked) });
  return { looked, widen };
}

function reachText({ from, syncedAt, partial }: Reach, personalDays: number): string {
  return [
    from === null ? 'its lists have no rows' : `its lists back to ${from}`,
    syncedAt === null ? 'never synced to the end' : `as of ${syncedAt}`,
    ...(partial.length > 0 ? [`may lack rows of ${partial.join(', ')}`] : []),
    `names and numbers of persons go after ${personalDays} days`,
  ].join('; ');
}

function serviceSays(asked: Replies | undefined): string {
  if (!asked) return 'not asked: it looks up ids only';
  const { unknown, problems } = asked;
  const known = `${unknown} kinds of ids are unknown to it`;
  return problems.length > 0 ? `${known}; others were not answered: ${problems.join('; ')}` : known;
}
