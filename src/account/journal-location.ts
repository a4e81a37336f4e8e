import type { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import type { Mode } from './mode.ts';
import { journalMemoryDirs, journalPath, passwordFilePath, stateDir } from './paths.ts';
import { secretOf } from './profile.ts';
import { OF_ENVIRONMENT, readProfile } from './stored-profile.ts';

/** Where the journal of a profile is: in a file of this machine, or on a server. */
export interface JournalLocation {
  /** The file of this machine's journal, whether it is used or not. */
  readonly path: string;
  readonly dir: string;
  readonly server: JournalServer | undefined;
  /** What is known of the journal outside of it; undefined for an embedded sandbox, whose state is in the same folder. */
  readonly memory: JournalMemory | undefined;
}

/** See journal/memory.ts. */
interface JournalMemory {
  readonly configFolder: string;
  readonly stateFolder: string;
  readonly requiredId: string | undefined;
  readonly isIndependent: boolean;
  readonly isLive: boolean;
  onPurpose(id: string): string;
}

/** The server that a profile's journal is on. */
interface JournalServer {
  readonly url: string;
  /** The variable or the setting that has the URL, for messages. */
  readonly from: string;
  /** The file in which psql would look for the password. */
  readonly passwordFile: string;
  /** The URL of the profile, whether it is used or not. */
  readonly profileUrl: string | undefined;
  /** Returns what the profile's secret store has as the password, if it has one. Throws CliError usage. */
  password(): Promise<Secret | undefined>;
}

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
  const memory = memoryOf(world, profile, stored?.independentJournal === true);
  if (!url) return { path, dir: stateDir(world), server: undefined, memory };
  const from = variable ? JOURNAL_VARIABLE : `the journal of profile ${profile.name}`;
  const password = async () => stored && secretOf(stored, 'journal-password', world);
  const server = { url, from, passwordFile: passwordFilePath(world), profileUrl: stored?.journalUrl, password };
  return { path, dir: stateDir(world), memory, server };
}

function memoryOf(world: World, { name, mode }: JournalOwner, isIndependent: boolean): JournalMemory | undefined {
  if (mode === undefined || mode === 'embedded') return undefined;
  const onPurpose = (id: string) =>
    name === OF_ENVIRONMENT
      ? `to use this journal and no other: export ${JOURNAL_ID_VARIABLE}=${id}`
      : `for a journal in each state folder on purpose: fiatrail profiles journal set ${name} --independent`;
  const requiredId = world.env[JOURNAL_ID_VARIABLE] || undefined;
  return { ...journalMemoryDirs(world), requiredId, isIndependent, isLive: mode === 'live', onPurpose };
}
