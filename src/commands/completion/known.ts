import { journalPath, sandboxPath } from '../../account/paths.ts';
import { allProfileNames, type Profile, resolveProfile } from '../../account/profile.ts';
import type { World } from '../../base/world.ts';

// Separate from complete.ts, which rarely needs an account.

/** A completion at the cursor, with a short description. */
export interface Candidate {
  readonly text: string;
  readonly about?: string;
}

export const profileCandidates = (world: World): readonly Candidate[] =>
  allProfileNames(world).map((text) => ({ text }));

interface Line {
  /** The first word. */
  readonly group: string;
  readonly profile: string | undefined;
}

/** Ids by their placeholder in the help: those in the journal and, for an embedded profile, those in the sandbox. */
export async function idsFor(placeholder: string, line: Line, world: World): Promise<readonly Candidate[]> {
  if (placeholder.startsWith('endpoint')) {
    const { endpoints } = await import('../../contract/endpoints/index.ts');
    return endpoints.map(({ id, summary }) => ({ text: id, about: summary }));
  }
  const profile = resolveProfile(line.profile, world);
  const sources = [
    fromJournal(placeholder, line, profile, world),
    profile.mode === 'embedded' ? fromSandbox(placeholder, world) : Promise.resolve([]),
  ];
  const found = (await Promise.all(sources.map((source) => source.catch(() => [])))).flat();
  return [...new Map(found.map((each) => [each.text, each])).values()];
}

async function fromSandbox(placeholder: string, world: World): Promise<readonly Candidate[]> {
  const { recentIds } = await import('../../service/recent.ts');
  return recentIds(sandboxPath(world), placeholder);
}

/** Ids of operations of the same command group, such as onramps for `onramp status`; of all groups for `recover`. */
async function fromJournal(
  placeholder: string,
  { group }: Line,
  { name }: Profile,
  world: World,
): Promise<readonly Candidate[]> {
  const { recentOperations } = await import('../../journal/recent.ts');
  const operations = await recentOperations(journalPath(world), name);
  if (placeholder === 'operation-id') return operations.map(({ id, summary }) => ({ text: id, about: summary }));
  const own = operations.filter(({ command }) => group === 'recover' || command.split(' ')[1] === group);
  return own.flatMap(({ requestId, summary }) => (requestId ? [{ text: requestId, about: summary }] : []));
}
