import { journalPath } from '../../account/paths.ts';
import { CliError, withDetails } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { JOURNAL_CHANGED } from '../../journal/entries.ts';
import type { SavedOperations } from '../../journal/save-in-doubt.ts';
import { isDamage } from './failures.ts';

/**
 * If an error says that the journal is damaged or was changed, saves the unknown outcomes that it still has, and returns an
 * error that says where they are. Returns any other error unchanged.
 */
export async function withSavedOperations(error: unknown, world: World): Promise<unknown> {
  const path = journalPath(world);
  const isDamaged = isDamage(error, path);
  const isChanged = error instanceof CliError && error.category === 'usage' && error.code === JOURNAL_CHANGED;
  if (!isDamaged && !isChanged) return error;
  const saved = await savedText(path, world);
  if (isChanged) return withDetails(error, { message: `${error.message}; ${saved}` });
  return new CliError('usage', `the journal ${path} is damaged or not a journal; it was left unchanged; ${saved}`, {
    code: 'STATE_CORRUPT',
    hint: 'put a backup back; without one, idempotency keys are lost: compare with the service’s lists, rename the file, then accept a new journal with: fiatrail ops verify --accept',
    cause: error,
  });
}

async function savedText(path: string, world: World): Promise<string> {
  try {
    const { saveInDoubt } = await import('../../journal/save-in-doubt.ts');
    return textOf(await saveInDoubt(path, world));
  } catch {
    return 'its unknown outcomes could not be saved';
  }
}

function textOf(saved: SavedOperations | undefined): string {
  if (!saved) return 'no unknown outcome can be read from it';
  const what = saved.count === 1 ? 'its 1 unknown outcome is' : `its ${saved.count} unknown outcomes are`;
  return `${what} saved in ${saved.path}`;
}
