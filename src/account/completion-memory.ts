import type { World } from '../base/world.ts';
import type { CompletionEntries } from '../contract/completion-entries.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Profile } from './profile.ts';

/** Collects entries for the completion cache, and writes them in batches. */
interface CompletionMemory {
  /** Notes the response of a read. */
  note(endpoint: Endpoint, data: unknown): Promise<void>;
  /** Writes what was noted. Call it when everything has been printed. Never fails. */
  flush(): Promise<void>;
}

/** A long list is written in batches of this size. */
const MAX_NOTED = 5_000;

/** How to tell the user that the cache could not be updated. */
interface Reporter {
  readonly world: World;
  readonly globals: { readonly verbose: boolean };
  say(text: string): Promise<void>;
}

/** Opens the memory of a command. `account` is called only if there is something to write. */
export function createMemory(
  { world, globals, say }: Reporter,
  profile: Profile,
  account: () => Promise<{ readonly keyFingerprint: string }>,
): CompletionMemory {
  const startedUs = world.clock.now() * 1000;
  let noted: CompletionEntries[] = [];
  let [before, count] = [0, 0];
  const flush = async () => {
    if (noted.length === 0) return;
    const [all, firstUs] = [noted, startedUs - before];
    noted = [];
    before += count;
    count = 0;
    try {
      const { storeEntries } = await import('./completion-cache.ts');
      await storeEntries(world, { keyFingerprint: (await account()).keyFingerprint, profile }, all, firstUs);
    } catch (error) {
      if (globals.verbose) await say(`the completion cache could not be updated (${String(error)})`);
    }
  };
  return {
    note: async (endpoint, data) => {
      // Completion reads an embedded sandbox directly.
      if (profile.mode === 'embedded') return;
      const { completionEntriesIn } = await import('../contract/completion-entries.ts');
      const found = completionEntriesIn(endpoint, data);
      if (!found || (found.entries.length === 0 && found.whole.length === 0)) return;
      noted.push(found);
      count += found.entries.length;
      if (count >= MAX_NOTED) await flush();
    },
    flush,
  };
}
