import type { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { journalPath, passwordFilePath, stateDir } from './paths.ts';
import { type Profile, secretOf } from './profile.ts';
import { readProfile } from './stored-profile.ts';

/** Where the journal of a profile is: in a file of this machine, or on a server. */
export interface JournalPlace {
  /** The file of this machine's journal, whether it is used or not. */
  readonly path: string;
  readonly dir: string;
  readonly server: JournalServer | undefined;
}

/** The server that a profile's journal is on. */
interface JournalServer {
  readonly url: string;
  /** The variable or the setting that has the URL, for messages. */
  readonly from: string;
  /** The file in which psql would look for the password. */
  readonly passwordFile: string;
  /** Returns the password in the profile's secret store, if it has one. Throws CliError usage. */
  password(): Promise<Secret | undefined>;
}

/** Names the server of every profile's journal. */
export const JOURNAL_VARIABLE = 'FIATRAIL_JOURNAL_URL';

/** Returns where the journal of a profile is: on the server of FIATRAIL_JOURNAL_URL or of the profile, or in a file. */
export function journalPlaceOf(world: World, profile: Pick<Profile, 'name'>): JournalPlace {
  const path = journalPath(world);
  const stored = readProfile(world, profile.name);
  const variable = world.env[JOURNAL_VARIABLE];
  const url = variable || stored?.journalUrl;
  if (!url) return { path, dir: stateDir(world), server: undefined };
  const from = variable ? JOURNAL_VARIABLE : `the journal of profile ${profile.name}`;
  const password = async () => stored && secretOf(stored, 'journal-password', world);
  return { path, dir: stateDir(world), server: { url, from, passwordFile: passwordFilePath(world), password } };
}
