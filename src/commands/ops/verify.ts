import * as z from 'zod/mini';
import type { Approver } from '../../account/approvers.ts';
import { absolutePath } from '../../account/paths.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { readSharedFile } from '../../files/inspect.ts';
import type { AccountNames } from '../../journal/accounts.ts';
import { JOURNAL_CHANGED } from '../../journal/entries.ts';
import type { Journal } from '../../journal/interface.ts';
import type { VerifiedJournal } from '../../journal/verify.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { changing, id, option, switchOn } from '../../terminal/parse/parameters.ts';
import { stateError } from '../../terminal/show/failures.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { stepThrough } from './files.ts';

export const headCommand = command({
  words: ['ops', 'journal', 'head'],
  summary: 'Print the last entry of the journal, to store it elsewhere',
  details:
    'The hash of the last entry covers all earlier entries, from all hosts. Store it where people who can edit the journal cannot edit it, such as on another machine. ops journal verify --checkpoint FILE later detects any change. The output is signed if you are one of the account’s approvers.',
  examples: [
    'fiatrail ops journal head -o json > checkpoint.json',
    'fiatrail ops journal head -q -o json --query hash',
  ],
  endpoints: [],
  prints: () =>
    z.object({
      journal: z.string(),
      entry: z.int(),
      hash: z.string(),
      at: z.iso.datetime(),
      approver: z.nullable(z.string()),
      publicKey: z.nullable(z.string()),
      signature: z.nullable(z.string()),
    }),
  isLocal: true,
  parameters: {},
  run: async (account) => {
    const journal = await account.journal();
    const head = await journal.head();
    if (!head)
      throw new CliError('usage', 'the journal has no entries yet', {
        hint: 'run a command that sends something first',
      });
    const { ownApprover } = await import('../../account/approvers.ts');
    const { checkpointFile } = await import('../../engine/plans/checkpoint.ts');
    const own = await ownApprover(await approversIn(journal), account.profile, account.world);
    return { result: { data: await checkpointFile(journal.id(), head, own, account.world.clock.now()) } };
  },
});

/**
 * Returns whose signature on a checkpoint counts: the approvers of every live account of the journal, or of every account if none is live.
 * Anyone may add approvers of a sandbox. Throws CliError usage.
 */
async function approversIn(journal: Journal): Promise<readonly Approver[]> {
  const { allApproverLists } = await import('../../engine/plans/approver-list.ts');
  const all = await allApproverLists(journal);
  const live = all.filter(({ account }) => account.mode === 'live');
  return (live.length > 0 ? live : all).flatMap(({ approvers }) => approvers);
}

/** A checkpoint that was stored elsewhere, and who signed it. */
interface GivenCheckpoint {
  readonly hash: string | undefined;
  readonly signedBy: string | null;
}

/**
 * Reads a checkpoint that a user gives: the hash itself, or a file of `ops journal head`. Throws CliError usage, and declined for a signature that does not hold
 * or is of nobody that the account knows.
 */
async function givenCheckpoint(account: Account, text: string | undefined): Promise<GivenCheckpoint> {
  if (text === undefined || /^[\w-]{43}$/.test(text)) return { hash: text, signedBy: null };
  const { parseCheckpoint, signerOf } = await import('../../engine/plans/checkpoint.ts');
  const path = absolutePath(text);
  const head = parseCheckpoint(fileAt(path), path);
  const journal = await account.journal();
  if (head.journal !== journal.id())
    throw new CliError(
      'usage',
      `${path} is the checkpoint of journal ${head.journal}, and this one is ${journal.id()}`,
      {
        hint: 'choose the profile whose journal it is: --profile NAME',
      },
    );
  return { hash: head.hash, signedBy: await signerOf(head, await approversIn(journal)) };
}

function fileAt(path: string): string {
  try {
    return readSharedFile(path);
  } catch (error) {
    throw new CliError('usage', `${path} is neither the hash of an entry nor a readable file`, {
      code: 'UNUSABLE_FILE',
      hint: advice`give the hash, or a file with the output of: [fiatrail ops journal head -o json]`,
      cause: error,
    });
  }
}

/** What identifies the account in what is known of the journal outside of it; undefined if a check must do without its key. */
async function accountOf({ profile, accountNames }: Account, isAccepting: boolean): Promise<AccountNames | undefined> {
  if (profile.mode === 'embedded') return undefined;
  return accountNames().catch((error) => {
    // Without the key, nothing would be accepted for the account.
    if (error instanceof CliError && !isAccepting) return undefined;
    throw error;
  });
}

/** Checks the journal, or accepts it as it is after the user agreed. */
async function checked(
  account: Account,
  terminal: Terminal,
  head: string | undefined,
  isAccepting: boolean,
): Promise<VerifiedJournal> {
  const journal = await account.journal();
  const names = await accountOf(account, isAccepting);
  const found = await journal.verify(head, stepThrough(account, 'entries', 'interrupted; nothing was changed'));
  await account.notices.progress.end();
  const wrong = await journal.wrong(names);
  const why = wrong && (stateError(wrong) ?? wrong).message;
  if (!isAccepting && why !== undefined) await account.notices.say(`warning: money commands stop: ${why}`);
  if (!isAccepting || !(found.problem || why)) return found;
  await confirmChange(terminal.dialog, {
    summary: 'accept the journal as it is',
    lines: [
      ['found', found.problem?.what ?? why ?? ''],
      ['lost', 'every operation that this journal does not have, with its idempotency key: fiatrail may do it again'],
    ],
  });
  return journal.accept(names);
}

export const verifyCommand = command({
  words: ['ops', 'journal', 'verify'],
  summary: 'Check that the journal was not damaged or edited',
  details:
    'Each entry has the hash of the one before it, and everything else in the journal must match the entries. The last entry is also saved in a file beside the journal, so that missing entries are noticed. --checkpoint compares with a checkpoint that you stored elsewhere, and shows who signed it. After you restore a backup or use another journal, money commands stop. Compare the journal with the service’s lists, then run ops journal verify --accept. To reject any other journal, set FIATRAIL_JOURNAL_ID to the id that it prints.',
  examples: [
    'fiatrail ops journal verify',
    'fiatrail ops journal verify --checkpoint "$CHECKPOINT" -o json',
    'fiatrail ops journal verify --accept --yes',
  ],
  endpoints: [],
  prints: () =>
    z.object({
      id: z.string(),
      entries: z.int(),
      operations: z.int(),
      checkpoint: z.nullable(z.object({ entry: z.int(), hash: z.string() })),
      signedBy: z.nullable(z.string()),
      problem: z.nullable(
        z.object({ what: z.string(), sequence: z.optional(z.int()), operationId: z.optional(z.string()) }),
      ),
    }),
  isLocal: true,
  parameters: {
    checkpoint: option(
      '--checkpoint <checkpoint>',
      'a checkpoint that was stored elsewhere: its hash, or a file of ops journal head',
      id,
    ),
    accept: changing(
      switchOn('--accept', 'accept this journal although entries are missing, such as a restored backup or a new one'),
    ),
  },
  run: async (account, terminal, { checkpoint, accept }) => {
    const given = await givenCheckpoint(account, checkpoint);
    const { entries, operations, problem, ...found } = await checked(account, terminal, given.hash, accept);
    const last = found.head && { entry: Number(found.head.sequence), hash: found.head.hash };
    const id = (await account.journal()).id();
    const { signedBy } = given;
    const data = { id, entries, operations, checkpoint: last ?? null, signedBy, problem: problem ?? null };
    if (!problem) return { result: { data } };
    const error = new CliError('rejected', `the journal is damaged: ${problem.what}`, {
      code: JOURNAL_CHANGED,
      operationId: problem.operationId,
      hint: 'keep the file, and compare it with a backup',
    });
    return { result: { data }, error };
  },
});
