import * as z from 'zod/mini';
import { absolutePath } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import { readSharedFile } from '../../files/inspect.ts';
import { command } from '../../terminal/command.ts';
import type { Session } from '../../terminal/session.ts';

export const headCommand = command({
  words: ['ops', 'head'],
  summary: 'Print the last entry of the journal, to store it elsewhere',
  details:
    'The hash of the last entry covers every entry before it, of all hosts. Keep it where nobody who can change the journal can change it, such as another machine or a printed page. ops verify --head FILE later finds whatever was changed. It is signed if you are one of the account’s operators.',
  examples: ['fiatrail ops head -o json > head.json', 'fiatrail ops head -q -o json --query hash'],
  endpoints: [],
  prints: () =>
    z.object({
      journal: z.string(),
      entry: z.int(),
      hash: z.string(),
      at: z.iso.datetime(),
      operator: z.nullable(z.string()),
      publicKey: z.nullable(z.string()),
      signature: z.nullable(z.string()),
    }),
  isLocal: true,
  parameters: {},
  run: async (session) => {
    const journal = await session.journal();
    const head = await journal.head();
    if (!head)
      throw new CliError('usage', 'the journal has no entries yet', {
        hint: 'run a command that sends something first',
      });
    const { ownOperator } = await import('../../account/operators.ts');
    const { operatorListOf } = await import('../../engine/plans/operator-list.ts');
    const { headFile } = await import('../../engine/plans/signed-head.ts');
    const { operators } = await operatorListOf(session);
    const own = await ownOperator(operators, session.profile, session.world);
    return { result: { data: await headFile(journal.id(), head, own, session.world.clock.now()) } };
  },
});

/** A head that was stored elsewhere, and who signed it. */
interface GivenHead {
  readonly hash: string | undefined;
  readonly signedBy: string | null;
}

/**
 * Reads a head that a user gives: the hash itself, or a file of `ops head`. Throws CliError usage, and declined for a signature that does not hold
 * or is of nobody that the account knows.
 */
export async function givenHead(session: Session, text: string | undefined): Promise<GivenHead> {
  if (text === undefined || /^[\w-]{43}$/.test(text)) return { hash: text, signedBy: null };
  const { parseHeadFile, signerOf } = await import('../../engine/plans/signed-head.ts');
  const { operatorListOf } = await import('../../engine/plans/operator-list.ts');
  const path = absolutePath(text);
  const head = parseHeadFile(fileAt(path), path);
  const journal = (await session.journal()).id();
  if (head.journal !== journal)
    throw new CliError('usage', `${path} is the head of journal ${head.journal}, and this one is ${journal}`, {
      hint: 'choose the profile whose journal it is: --profile NAME',
    });
  return { hash: head.hash, signedBy: await signerOf(head, await operatorListOf(session)) };
}

function fileAt(path: string): string {
  try {
    return readSharedFile(path);
  } catch (error) {
    throw new CliError('usage', `${path} is no hash of an entry, and cannot be read as a file`, {
      code: 'UNUSABLE_FILE',
      hint: 'give the hash, or a file that this wrote: fiatrail ops head -o json',
      cause: error,
    });
  }
}
