import { journalMemoryDirs, journalPath, passwordFilePath, stateDir } from '../../account/paths.ts';
import { type Mode, secretOf } from '../../account/profile.ts';
import { OF_ENVIRONMENT, readProfile, type StoredProfile } from '../../account/stored-profile.ts';
import type { World } from '../../base/world.ts';
import { entryAt } from '../../files/inspect.ts';
import type { Journal } from '../../journal/interface.ts';
import type { Memory } from '../../journal/memory.ts';
import type { JournalLocation } from '../../journal/open.ts';

/** Names the server of every profile's journal. */
export const JOURNAL_VARIABLE = 'FIATRAIL_JOURNAL_URL';

/** The id that the journal of every account over the network must have. */
const JOURNAL_ID_VARIABLE = 'FIATRAIL_JOURNAL_ID';

/** A profile as far as it decides about the journal; without a mode if only the location matters. */
interface JournalOwner {
  readonly name: string;
  readonly mode?: Mode;
}

/** Returns where the journal of a profile is: on the server of FIATRAIL_JOURNAL_URL or of the profile, or in a file. */
export function journalLocationOf(world: World, profile: JournalOwner): JournalLocation {
  const path = journalPath(world);
  const stored = readProfile(world, profile.name);
  const variable = world.env[JOURNAL_VARIABLE];
  const url = variable || stored?.journalUrl;
  const memory = memoryOf(world, profile, stored);
  if (!url) return { path, dir: stateDir(world), server: undefined, memory };
  const from = variable ? JOURNAL_VARIABLE : `the journal of profile ${profile.name}`;
  const password = async () => stored && secretOf(stored, 'journal-password', world);
  const server = { url, from, passwordFile: passwordFilePath(world), profileUrl: stored?.journalUrl, password };
  return { path, dir: stateDir(world), memory, server };
}

function memoryOf(world: World, { name, mode }: JournalOwner, stored: StoredProfile | undefined): Memory | undefined {
  if (mode === undefined || mode === 'embedded') return undefined;
  const requiredId = world.env[JOURNAL_ID_VARIABLE] || undefined;
  const profile = name === OF_ENVIRONMENT ? undefined : name;
  const decided = { requiredId, isIndependent: stored?.independentJournal === true };
  return { ...journalMemoryDirs(world), ...decided, isLive: mode === 'live', profile, earlier: earlierOf(stored) };
}

/** Returns the journal that an imported profile had where it was exported. */
function earlierOf(stored: StoredProfile | undefined): Memory['earlier'] {
  if (!stored?.earlierJournal) return undefined;
  const { id = '', kind, location, head } = stored.earlierJournal;
  return { id, kind, location, heads: head ? [{ sequence: BigInt(head.entry), hash: head.hash }] : [] };
}

/** What the journal of an account is opened with. */
interface JournalHolder {
  readonly world: World;
  readonly profile: JournalOwner;
  journal(): Promise<Journal>;
}

/** Returns the journal of an account, unless this machine has none yet. */
export async function existingJournal({ world, profile, journal }: JournalHolder): Promise<Journal | undefined> {
  const { server, path } = journalLocationOf(world, profile);
  return server || entryAt(path) ? journal() : undefined;
}
