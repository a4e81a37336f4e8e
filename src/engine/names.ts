import { journalLocationOf } from '../account/journal-location.ts';
import type { Profile } from '../account/profile.ts';
import type { AccountNames } from '../journal/accounts.ts';
import type { Journal } from '../journal/journal.ts';
import { knownFintech } from '../journal/known-fintech.ts';
import type { Account } from './account.ts';

/** Returns what identifies the account of a profile and its key in the journal. */
export function namesOf({ name, baseUrl }: Pick<Profile, 'name' | 'baseUrl'>, keyFingerprint: string): AccountNames {
  return { keyFingerprint, profile: name, baseUrl };
}

/** The endpoints whose response says which fintech the API key belongs to. FX names its customers in another way. Source: interface. */
const NAMES_FINTECH: readonly string[] = ['wallets.get-fintech', 'fees.get'];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the fintech id in a response; undefined if it has none, or one that may not be unique. */
function fintechIdIn(endpointId: string, data: unknown): string | undefined {
  if (!NAMES_FINTECH.includes(endpointId)) return undefined;
  const { fintechId } = (data ?? {}) as { readonly fintechId?: unknown };
  return typeof fintechId === 'string' && UUID.test(fintechId) ? fintechId : undefined;
}

type Learning = Pick<Account, 'world' | 'profile' | 'accountNames'> & {
  journal(): Promise<Pick<Journal, 'learnFintech'>>;
};

/** Tells the journal which fintech a key belongs to, if a response to it says so and the journal does not know it yet. */
export async function learnFintech(learning: Learning, endpointId: string, data: unknown): Promise<void> {
  const { world, profile, accountNames, journal } = learning;
  const id = fintechIdIn(endpointId, data);
  // An embedded sandbox has only one key.
  if (id === undefined || profile.mode === 'embedded') return;
  try {
    const names = await accountNames();
    const fintech = { id, isLive: profile.mode === 'live' };
    const known = knownFintech(journalLocationOf(world, profile), names, fintech);
    if (known.isKnown()) return;
    await (await journal()).learnFintech(names, fintech);
    known.save(world.ids.uuid());
  } catch {
    // A journal that cannot be written does not make a read fail: until the next one, the account is known by its key only.
  }
}
