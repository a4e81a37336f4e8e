import { entryAt } from '../account/inspect.ts';
import { journalPath } from '../account/paths.ts';
import type { Journal } from '../journal/journal.ts';
import { shellWord } from '../present/text.ts';
import {
  type Check,
  type Finding,
  looked,
  ok,
  problem,
  type Subject,
  skipped,
  typed,
  warning,
} from './doctor-check.ts';

/** What the journal has that is not at an end. `isKeyAccepted`: then a replacement without an answer harms nobody any more. */
export async function journalChecks(subject: Subject, isKeyAccepted: boolean): Promise<Check[]> {
  const path = journalPath(subject.session.world);
  const fix = `mv ${shellWord(path)} ${shellWord(`${path}.old`)}`;
  const look = (find: (journal: Journal, account: Account) => Finding) =>
    looked(async () => {
      if (!subject.profile) return skipped('it cannot be told which account is meant');
      if (!entryAt(path)) return ok('none yet');
      const { name, baseUrl } = subject.profile;
      return find(await subject.session.journal(), { profile: name, baseUrl });
    }, fix);
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
