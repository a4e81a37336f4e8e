import type { World } from '../base/world.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { SeenTogether } from '../contract/seen.ts';
import type { Profile } from './profile.ts';

/** Collects what responses show, and writes it to the completion cache in few steps. */
interface Memory {
  /** Notes the response of a read. */
  note(endpoint: Endpoint, data: unknown): Promise<void>;
  /** Writes what was noted. Call it when everything has been printed. Never fails. */
  keep(): Promise<void>;
}

/** A list of any length must not be collected as a whole. */
const MOST_NOTED = 5_000;

/** What it tells the user, and when. */
interface Teller {
  readonly world: World;
  readonly globals: { readonly verbose: boolean };
  say(text: string): Promise<void>;
}

/** Opens the memory of a command. `account` is asked for the key's fingerprint only if there is something to remember. */
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
      if (globals.verbose) await say(`completion: what was read could not be remembered (${String(error)})`);
    }
  };
  return {
    note: async (endpoint, data) => {
      // Tab reads an embedded sandbox itself.
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
