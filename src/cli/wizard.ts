import { shellWord } from '../present/text.ts';
import type { Outcome } from './outcome.ts';
import type { Session } from './session.ts';

/**
 * Says the one command line that does what was just answered question by question. `words` are quoted for a POSIX shell;
 * `tail` is written as it is: where standard input comes from. Secrets have no place in either.
 */
export async function showEquivalentCommand(session: Session, words: readonly string[], tail = ''): Promise<void> {
  const { profile, yes, dryRun } = session.globals;
  const all = [
    ...words,
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(yes ? ['--yes'] : []),
    ...(dryRun ? ['--dry-run'] : []),
  ];
  await session.note(`the same in one line: ${['fiatrail', ...all.map(shellWord), ...(tail ? [tail] : [])].join(' ')}`);
}

/** What a wizard shows in the end. Fields are those of the command's own answer: who chose some gets them from there. */
export function wizardOutcome(session: Session, own: Outcome, further: Outcome): Outcome {
  const { fields, query } = session.globals.present;
  return (fields || query) && own.result ? { ...further, result: own.result } : further;
}
