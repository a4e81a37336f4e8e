import { journalLocationOf } from '../../engine/journal-location.ts';
import { entryAt } from '../../files/inspect.ts';
import type { Journal } from '../../journal/interface.ts';
import { stateError } from '../../terminal/show/failures.ts';
import { type Check, type Finding, findingOf, ok, problem, type Subject, skipped, typed, warning } from './check.ts';

/** Errors that leave the journal intact. It records unknown outcomes and unfinished rotations, so it must not be moved away. */
const INTACT: ReadonlyMap<unknown, { readonly why: string; readonly fix: string }> = new Map([
  ['full', { why: 'cannot be opened: the disk is full', fix: 'free some disk space' }],
  ['busy', { why: 'is locked by another process', fix: 'wait for the other command to finish' }],
  ['unwritable', { why: 'cannot be opened for writing', fix: 'check the permissions of the folder' }],
  ['newer', { why: 'was created by a newer version of fiatrail', fix: 'use that version' }],
]);

/** Checks the journal for unfinished work. If the key is accepted, a rotation that got no response is harmless. */
export async function journalChecks(subject: Subject, isKeyAccepted: boolean): Promise<Check[]> {
  const { path, server } = journalLocationOf(subject.session.world, subject.profile ?? { name: '' });
  const fix = server
    ? typed(subject, 'ops verify')
    : 'put a backup back; without one, idempotency keys are lost: compare with the service’s lists before you send anything';
  const check = (find: (journal: Journal, account: Account) => Promise<Finding>) =>
    findingOf(async () => {
      if (!subject.profile) return skipped('no profile could be resolved');
      if (!server && !entryAt(path)) return ok('none yet');
      const { name, baseUrl } = subject.profile;
      try {
        return await find(await subject.session.journal(), { profile: name, baseUrl });
      } catch (error) {
        const onServer = server && stateError(error);
        if (onServer) throw onServer;
        const known = INTACT.get((error as { readonly problem?: unknown } | undefined)?.problem);
        if (!known) throw error;
        return problem('usage', `${path} ${known.why}`, known.fix);
      }
    }, fix);
  return [
    {
      check: 'key rotation',
      ...(await check((journal, account) => rotationFinding(journal, account, subject, isKeyAccepted))),
    },
    { check: 'operations', ...(await check((journal, account) => unknownFinding(journal, account, subject))) },
    ...(server ? [{ check: 'journal role', ...(await check(roleFinding)) }] : []),
  ];
}

type Account = Parameters<Journal['rotations']['openOf']>[0];

async function rotationFinding(
  { rotations }: Journal,
  account: Account,
  subject: Subject,
  isKeyAccepted: boolean,
): Promise<Finding> {
  const resume = typed(subject, 'keys rotate --resume');
  const open = await rotations.openOf(account);
  if (open) return problem('pending', `an API key rotation is unfinished (${open.stage})`, resume);
  const isLost = (await rotations.latestOf(account))?.stage === 'lost' && !isKeyAccepted;
  return isLost ? problem('auth', 'the last API key rotation got no response', resume) : ok('none unfinished');
}

async function roleFinding(journal: Journal): Promise<Finding> {
  if (!(await journal.isOwner())) return ok('owns nothing of the journal');
  return warning(
    'this host’s role owns the journal’s tables, or is a superuser, so it could take away what protects them',
    'connect with a role that is granted what a host needs: see "Several hosts" in docs/money.md',
  );
}

async function unknownFinding(journal: Journal, account: Account, subject: Subject): Promise<Finding> {
  const count = await journal.inDoubt(account.profile);
  return count === 0
    ? ok('none with an unknown outcome')
    : warning(`${count} with an unknown outcome`, typed(subject, 'ops list'));
}
