import { CliError } from '../base/errors.ts';
import { hashOfOne, NO_HASH } from './chain.ts';
import {
  type EntryRow,
  firstMissing,
  type Head,
  headFile,
  JOURNAL_CHANGED,
  JOURNAL_CUT,
  JOURNAL_DAMAGED,
  lastHead,
  linkOf,
  savedHeads,
  writeHead,
} from './entries.ts';
import type { Journal } from './interface.ts';
import type { Remembering } from './memory.ts';
import { ServerError } from './postgres/errors.ts';
import type { Queries, Store } from './store.ts';
import { changeOfTables } from './tables.ts';
import type { JournalWorld } from './transitions.ts';

type ChainPart = Pick<Journal, 'id' | 'verify' | 'wrong' | 'accept' | 'head' | 'requireLastLink'>;

/** Returns what checks a journal: that it is whole, and the one that it was. */
export function chainPart(store: Store, { host: { processId } }: JournalWorld, memory: Remembering): ChainPart {
  return {
    id: () => store.id,
    verify: async (hash, counted) => {
      const { verifyChain } = await import('./verify.ts');
      return store.read((queries) => verifyChain(queries, { hash, heads: savedHeads(memory.heads) }, counted));
    },
    wrong: async (account) => {
      if (store.server && (await store.isReplaced())) return new ServerError('replaced', store.server.name);
      try {
        if (account) await memory.require(account);
        return undefined;
      } catch (error) {
        if (error instanceof CliError) return error;
        throw error;
      }
    },
    accept: async (account) => {
      const { verifyChain } = await import('./verify.ts');
      const { verified, last } = await store.read(async (queries) => ({
        verified: await verifyChain(queries, {}),
        last: await lastHead(queries),
      }));
      if (verified.problem) return verified;
      for (const file of memory.heads)
        if (file === headFile(store.path) || savedHeads([file]).length > 0) writeHead(file, last, processId);
      if (account) memory.accept(account);
      await store.accept();
      return verified;
    },
    head: () => store.read(lastHead),
    requireLastLink: async () => {
      try {
        await store.read((queries) => requireLastLink(queries, savedHeads(memory.heads)));
      } catch (error) {
        // Other hosts that share the journal cannot see that it lacks this host's entries.
        if (error instanceof CliError && error.code === JOURNAL_CUT) await store.distrust().catch(() => {});
        throw error;
      }
    },
  };
}

/**
 * Throws CliError usage if the last entry does not continue the one before it, if the tables are not those that reject what the entries do
 * not say, or if the journal lacks a head that was saved. The cost does not grow with the journal.
 */
async function requireLastLink(queries: Queries, heads: readonly Head[]): Promise<void> {
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
  if (await firstMissing(queries, heads))
    throw new CliError(
      'usage',
      'the journal of money operations is missing entries that it had before: it was cut, deleted or restored from an older copy; nothing was sent',
      {
        code: JOURNAL_CUT,
        hint: 'put the newer file back; or compare with the service’s lists, then go on with this one: fiatrail ops verify --accept',
      },
    );
}
