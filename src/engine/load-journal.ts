import type { JournalPlace } from '../account/journal-place.ts';
import type { Journal } from '../journal/journal.ts';
import type { Dialog } from '../terminal/show/dialog.ts';

/** Opens the journal, and records the outcomes that were kept beside it. Throws DatabaseError, and CliError usage. */
export async function loadJournal({ world, say }: Dialog, place: JournalPlace): Promise<Journal> {
  world.ensurePrivateDir(place.dir);
  const { openJournalAt } = await import('../journal/open.ts');
  const journal = await openJournalAt(place, world, (text) => say(`warning: ${text}`));
  for (const warning of (await journal.merge()).warnings) await say(`warning: ${warning}`);
  return journal;
}
