import type { World } from '../base/world.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { SeenTogether } from '../contract/seen.ts';
import type { Profile } from './profile.ts';

/** Collects what responses show, and writes it to the completion cache in batches. */
interface Memory {
  /** Notes the response of a read. */
  note(endpoint: Endpoint, data: unknown): Promise<void>;
  /** Writes what was noted. Call it when everything has been printed. Never fails. */
  keep(): Promise<void>;
}

/** A long list is written in batches of this size. */
const MOST_NOTED = 5_000;

/** How to tell the user that the cache could not be updated. */
interface Teller {
  readonly world: World;
  readonly globals: { readonly verbose: boolean };
  say(text: string): Promise<void>;
}

/** Opens the memory of a command. `account` is called only if there is something to write. */
export function createMemory(
  { world, globals, say }: Teller,
  profile: Profile,
  account: () => Promise<{ readonly keyFingerprint: string }>,
): Memory {
  const startedUs = world.clock.now() * 1000;
  let noted: SeenTogether[] = [];
  let [before, count] = [0, 0];
  const keep = async () => {
    if (noted.length === 0) return;
    const [all, firstUs] = [noted, startedUs - before];
    noted = [];
    before += count;
    count = 0;
    try {
      const { keepSeen } = await import('./completion-cache.ts');
      await keepSeen(world, { keyFingerprint: (await account()).keyFingerprint, profile }, all, firstUs);
    } catch (error) {
      if (globals.verbose) await say(`the completion cache could not be updated (${String(error)})`);
    }
  };
  return {
    note: async (endpoint, data) => {
      // Completion reads an embedded sandbox directly.
      if (profile.mode === 'embedded') return;
      const { seenIn } = await import('../contract/seen.ts');
      const seen = seenIn(endpoint, data);
      if (!seen || (seen.things.length === 0 && seen.whole.length === 0)) return;
      noted.push(seen);
      count += seen.things.length;
      if (count >= MOST_NOTED) await keep();
    },
    keep,
  };
}
