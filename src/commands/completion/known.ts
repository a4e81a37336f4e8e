import { journalPath, sandboxPath } from '../../account/paths.ts';
import { allProfileNames, type Profile, resolveProfile } from '../../account/profile.ts';
import type { World } from '../../base/world.ts';
import { isPlainId, wordOfBank } from '../../contract/plain-ids.ts';
import { typedIds } from './typed-ids.ts';

// Separate from complete.ts, which rarely needs an account. The shell waits.

/** A completion at the cursor, with a short description. */
export interface Candidate {
  readonly text: string;
  readonly about?: string;
  /** What was typed begins its name, and not the text itself. */
  readonly isNamed?: true;
}

export const profileCandidates = (world: World): readonly Candidate[] =>
  allProfileNames(world).map((text) => ({ text }));

/** Where an id is typed. */
interface TypedWords {
  /** The first word. */
  readonly group: string;
  readonly profile: string | undefined;
  /** The typed part of the id. */
  readonly start: string;
}

const REQUEST_ID = 'request-id';
/** A plan of the journal; a plan may be a file too. */
export const PLAN = 'plan';

/** A command that runs for each row of a file. */
const ROW_COMMAND = 'command';

/** The commands that run for each row of a file, as one word each. Loading all commands to find them would take too long. */
export const ROW_COMMANDS: readonly string[] = [
  'bank-accounts-add',
  'offramp-create',
  'payout-create',
  'transfers-create',
  'users-default-wallet-set',
  'users-onboard',
  'withdrawals-create',
];

const thingsFor = (placeholder: string) => typedIds.filter(({ placeholders }) => placeholders.includes(placeholder));

/** Whether a placeholder in the help stands for the id of something, or for a bank. */
export const isKnown = (placeholder: string): boolean =>
  ['code', PLAN, ROW_COMMAND].includes(placeholder) || thingsFor(placeholder).length > 0;

/** Returns candidates for a placeholder: from this machine's journal, and from the embedded sandbox or the copy of the account. */
export async function knownFor(placeholder: string, line: TypedWords, world: World): Promise<readonly Candidate[]> {
  if (placeholder === ROW_COMMAND) return line.group === 'bulk' ? ROW_COMMANDS.map((text) => ({ text })) : [];
  const profile = resolveProfile(line.profile, world);
  if (placeholder === 'operation-id') return operations(line, profile, world);
  if (placeholder === REQUEST_ID) return requests(line, profile, world);
  if (placeholder === 'code') return banks(line, profile, world);
  if (placeholder === PLAN) return plans(line, profile, world);
  const [list] = thingsFor(placeholder).flatMap((each) => each.list ?? []);
  const found = list ? await listed(list, line.start, profile, world) : [];
  return placeholder === 'bank-account' ? [{ text: 'default', about: 'the default bank account' }, ...found] : found;
}

async function listed(list: string, start: string, profile: Profile, world: World): Promise<readonly Candidate[]> {
  const found =
    profile.mode === 'embedded'
      ? await (await import('../../service/recent.ts')).recentIds(sandboxPath(world), list, start)
      : await (await import('../../copy/recent.ts')).recentIds(world, profile, list, start);
  return found.map(({ id, about }) => ({ text: id, about, ...(id.startsWith(start) ? {} : { isNamed: true }) }));
}

/**
 * Offers a bank by its code and by its name as one word, in which the typed letters keep their case. If no name begins so,
 * what finds a bank in another way, such as its initials, completes to its code.
 */
async function banks({ start }: TypedWords, profile: Profile, world: World): Promise<readonly Candidate[]> {
  const known =
    profile.mode === 'embedded'
      ? (await import('../../service/recent.ts')).knownBanks()
      : await (await import('../../copy/recent.ts')).recentBanks(world, profile);
  const codes: readonly Candidate[] = known.map(({ id, about }) => ({ text: id, about }));
  if (start === '') return codes;
  const named = codes.flatMap(({ text, about = '' }) => {
    const name = wordOfBank(about);
    return isBankName(name) && name.startsWith(start.toLowerCase())
      ? [{ text: start + name.slice(start.length), about: `${about}, ${text}` }]
      : [];
  });
  if (named.length > 0 || /^\d/.test(start)) return [...codes, ...named];
  const { matchingBanks } = await import('../../engine/previews/banks.ts');
  const found = matchingBanks(
    codes.map(({ text, about = '' }) => ({ code: text, name: about })),
    start,
  );
  return found.map(({ code, name }) => ({ text: code, about: name, isNamed: true }));
}

/** Whether `--bank-code` accepts the word as a name. */
const isBankName = (word: string) => word.length >= 2 && word.length <= 60 && /[a-z]/.test(word);

async function operations({ start }: TypedWords, { name }: Profile, world: World): Promise<readonly Candidate[]> {
  const { recentOperations } = await import('../../journal/recent.ts');
  const found = await recentOperations(journalPath(world), name, 'id', start);
  return found.map(({ id, summary }) => ({ text: id, about: summary }));
}

async function plans({ start }: TypedWords, { baseUrl }: Profile, world: World): Promise<readonly Candidate[]> {
  const { recentPlans } = await import('../../journal/recent.ts');
  const found = await recentPlans(journalPath(world), baseUrl, start);
  return found.map(({ id, summary }) => ({ text: id, about: summary }));
}

/** Returns requests of the same command group, such as onramps for `onramp status`; of all groups for commands like `recover`, which starts none. */
async function requests({ group, start }: TypedWords, profile: Profile, world: World): Promise<readonly Candidate[]> {
  const started = thingsFor(REQUEST_ID).filter(({ isStarted }) => isStarted);
  const own = started.filter((each) => each.group === group);
  const all = own.length > 0 ? own : started;
  const groups = all.flatMap((each) => each.group ?? []);
  const lists = [...new Set(all.flatMap((each) => each.list ?? []))];
  const sources = [
    startedHere(start, groups, profile, world),
    ...lists.map((list) => listed(list, start, profile, world)),
  ];
  const found = (await Promise.all(sources.map((source) => source.catch(() => [])))).flat();
  return [...new Map(found.toReversed().map((each) => [each.text, each])).values()].toReversed();
}

/** The requests in the journal that commands of these groups started. */
async function startedHere(
  start: string,
  groups: readonly string[],
  { name }: Profile,
  world: World,
): Promise<readonly Candidate[]> {
  const { recentOperations } = await import('../../journal/recent.ts');
  const found = await recentOperations(journalPath(world), name, 'request_id', start);
  return found.flatMap(({ command, requestId, summary }) =>
    requestId !== null && isPlainId(requestId) && groups.includes(command.split(' ')[1] ?? '')
      ? [{ text: requestId, about: summary }]
      : [],
  );
}
