import { CliError } from '../base/errors.ts';
import { JOURNAL_CUT } from './codes.ts';
import { headFile, keptHeads, lastHead, writeHead } from './head.ts';
import type { Journal } from './interface.ts';
import { requireLastLink } from './last-link.ts';
import type { Remembering } from './memory.ts';
import { ServerError } from './postgres/errors.ts';
import type { Store } from './store.ts';
import type { JournalWorld } from './transitions.ts';

type ChainPart = Pick<Journal, 'id' | 'verify' | 'wrong' | 'accept' | 'head' | 'requireLastLink'>;

/** Returns what checks a journal: that it is whole, and the one that it was. */
export function chainPart(store: Store, { host: { processId } }: JournalWorld, memory: Remembering): ChainPart {
  return {
    id: () => store.id,
    verify: async (hash, counted) => {
      const { verifyChain } = await import('./verify.ts');
      return store.read((queries) => verifyChain(queries, { hash, kept: keptHeads(memory.heads) }, counted));
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
        if (file === headFile(store.path) || keptHeads([file]).length > 0) writeHead(file, last, processId);
      if (account) memory.accept(account);
      await store.accept();
      return verified;
    },
    head: () => store.read(lastHead),
    requireLastLink: async () => {
      try {
        await store.read((queries) => requireLastLink(queries, keptHeads(memory.heads)));
      } catch (error) {
        // Other hosts that share the journal cannot see that it lacks this host's entries.
        if (error instanceof CliError && error.code === JOURNAL_CUT) await store.distrust().catch(() => {});
        throw error;
      }
    },
  };
}
