import type { Journal } from '../journal/interface.ts';
import { knownFintech } from '../journal/known-fintech.ts';
import type { Account } from './account.ts';
import { journalLocationOf } from './journal-location.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the fintech id in a response; undefined if it has none, or one that may not be unique. */
function fintechIdIn(data: unknown): string | undefined {
  const { fintechId } = (data ?? {}) as { readonly fintechId?: unknown };
  return typeof fintechId === 'string' && UUID.test(fintechId) ? fintechId : undefined;
}

type Learning = Pick<Account, 'world' | 'profile' | 'accountNames'> & {
  journal(): Promise<Pick<Journal, 'learnFintech'>>;
};

/** Tells the journal which fintech a key belongs to, if a response says so and the journal does not know it yet. */
export async function learnFintech(learning: Learning, data: unknown): Promise<void> {
  const { world, profile, accountNames, journal } = learning;
  const id = fintechIdIn(data);
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
