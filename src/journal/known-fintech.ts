import { entryAt, identityOf, namesIn } from '../files/inspect.ts';
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../files/private-file.ts';
import type { AccountNames, Fintech } from './accounts.ts';

/** Where the journal of an account is, as far as the file needs it. */
interface FintechLocation {
  readonly path: string;
  readonly server: { readonly url: string } | undefined;
  readonly memory?: { readonly stateFolder: string; readonly requiredId: string | undefined } | undefined;
}

/** A file which says that a journal has the fintech of a key, so that a read need not open the journal to tell it again. */
interface KnownFintech {
  isKnown(): boolean;
  /** Call it once the journal has it. Throws CliError usage, or the system's error. */
  save(unique: string): void;
}

/** Returns what is known of the fintech of a key without its journal. */
export function knownFintech(
  { path, server, memory }: FintechLocation,
  { keyFingerprint, baseUrl }: AccountNames,
  { id, isLive }: Fintech,
): KnownFintech {
  if (!memory) return { isKnown: () => false, save: () => {} };
  const file = `${memory.stateFolder}/fintech-${keyFingerprint}`;
  const text = () => {
    // A file that takes the journal's place is another journal.
    const journal = server ? `server ${server.url}` : `file ${path} ${identityOf(path)}`;
    return [journal, memory.requiredId ?? '', isLive ? 'live' : 'sandbox', baseUrl, id, ''].join('\n');
  };
  return {
    isKnown: () => {
      try {
        return readPrivateFile(file) === text();
      } catch {
        return false;
      }
    },
    save: (unique) => writePrivateFile(file, text(), unique),
  };
}

/** Removes the files of all keys, because a journal may lack what they say. Throws CliError usage, or the system's error. */
export function forgetFintechs(stateFolder: string): void {
  if (!entryAt(stateFolder)) return;
  for (const name of namesIn(stateFolder)) if (name.startsWith('fintech-')) removePrivateFile(`${stateFolder}/${name}`);
}
