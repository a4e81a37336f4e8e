import { CliError } from '../base/errors.ts';
import { hashOfOne, NO_HASH } from './chain.ts';
import { JOURNAL_CHANGED, JOURNAL_CUT, JOURNAL_DAMAGED } from './codes.ts';
import { firstMissing, type Head } from './head.ts';
import type { Queries } from './store.ts';
import { changeOfTables } from './tables.ts';
import { type EntryRow, linkOf } from './unchanged.ts';

/**
 * Throws CliError usage if the last entry does not continue the one before it, if the tables are not those that reject what the entries do
 * not say, or if the journal lacks a head that was kept. The cost does not grow with the journal.
 */
export async function requireLastLink(queries: Queries, kept: readonly Head[]): Promise<void> {
  const [entries, tables] = await Promise.all([
    queries.all<EntryRow>('SELECT * FROM entry ORDER BY sequence DESC LIMIT 2'),
    changeOfTables(queries),
  ]);
  const [last, before] = entries;
  const row = last?.operation_id
    ? await queries.get('SELECT * FROM operation WHERE id = ?', last.operation_id)
    : undefined;
  const isWhole = last && hashOfOne(before?.hash ?? NO_HASH, linkOf(last, row, 'joined')) === last.hash;
  if (!isWhole || tables !== undefined)
    throw new CliError(
      'usage',
      `the journal of money operations was changed by something else${tables === undefined ? '' : `: ${tables}`}; nothing was sent`,
      {
        // What is in doubt is saved from a file alone.
        code: queries.engine === 'sqlite' ? JOURNAL_CHANGED : JOURNAL_DAMAGED,
        hint: 'see what is wrong with: fiatrail ops verify',
      },
    );
  if (await firstMissing(queries, kept))
    throw new CliError(
      'usage',
      'the journal of money operations is missing entries that it had before: it was cut, deleted or restored from an older copy; nothing was sent',
      {
        code: JOURNAL_CUT,
        hint: 'put the newer file back; or compare with the service’s lists, then go on with this one: fiatrail ops verify --accept',
      },
    );
}
