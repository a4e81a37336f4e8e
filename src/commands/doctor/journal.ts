import { journalPath } from '../../account/paths.ts';
import { entryAt } from '../../files/inspect.ts';
import type { Journal } from '../../journal/journal.ts';
import { shellWord } from '../../present/text.ts';
import { type Check, type Finding, looked, ok, problem, type Subject, skipped, typed, warning } from './check.ts';

/** What keeps a whole journal from being read: it has what is in doubt and what a replaced key waits for, and must stay. */
const LEFT_IN_PLACE: ReadonlyMap<unknown, { readonly why: string; readonly fix: string }> = new Map([
  ['full', { why: 'cannot be opened: the disk is full', fix: 'make room on that disk' }],
  ['busy', { why: 'is held by another process for too long', fix: 'wait for the other command to end' }],
  ['unwritable', { why: 'cannot be opened for writing', fix: 'check the permissions of the folder' }],
  ['newer', { why: 'was made by a newer fiatrail', fix: 'use that version' }],
]);

/** What the journal has that is not at an end. `isKeyAccepted`: then a replacement without an answer harms nobody any more. */
export async function journalChecks(subject: Subject, isKeyAccepted: boolean): Promise<Check[]> {
  const path = journalPath(subject.session.world);
  const moveAway = `mv ${shellWord(path)} ${shellWord(`${path}.old`)}`;
  const look = (find: (journal: Journal, account: Account) => Finding) =>
    looked(async () => {
      if (!subject.profile) return skipped('it cannot be told which account is meant');
      if (!entryAt(path)) return ok('none yet');
      const { name, baseUrl } = subject.profile;
      try {
        return find(await subject.session.journal(), { profile: name, baseUrl });
      } catch (error) {
        const left = LEFT_IN_PLACE.get((error as { readonly problem?: unknown } | undefined)?.problem);
        if (!left) throw error;
        return problem('usage', `${path} ${left.why}`, left.fix);
      }
    }, moveAway);
  return [
    {
      check: 'key rotation',
      ...(await look((journal, account) => rotationFinding(journal, account, subject, isKeyAccepted))),
    },
    { check: 'operations', ...(await look((journal, account) => doubtFinding(journal, account, subject))) },
  ];
}

type Account = Parameters<Journal['inDoubt']>[0];

function rotationFinding({ rotations }: Journal, account: Account, subject: Subject, isKeyAccepted: boolean): Finding {
  const resume = typed(subject, 'keys rotate --resume');
  const open = rotations.openOf(account);
  if (open) return problem('pending', `a replacement of the API key is unfinished (${open.stage})`, resume);
  const isLost = rotations.latestOf(account)?.stage === 'lost' && !isKeyAccepted;
  return isLost
    ? problem('auth', 'no answer came to the last replacement of the API key', resume)
    : ok('none unfinished');
}

function doubtFinding(journal: Journal, account: Account, subject: Subject): Finding {
  const count = journal.inDoubt(account);
  return count === 0 ? ok('none in doubt') : warning(`${count} may have been done or not`, typed(subject, 'ops list'));
}
