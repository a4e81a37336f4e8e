import type { Outcome } from '../../engine/outcome.ts';
import { shellWord } from '../../present/text.ts';
import type { Session } from '../session.ts';

/**
 * Prints the command line that is equivalent to the answers of a wizard. `words` are quoted for a POSIX shell; `tail` is printed
 * unchanged, for a redirection of standard input. Neither may contain secrets.
 */
export async function showEquivalentCommand(session: Session, words: readonly string[], tail = ''): Promise<void> {
  const { profile, yes, dryRun } = session.globals;
  const all = [
    ...words,
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(yes ? ['--yes'] : []),
    ...(dryRun ? ['--dry-run'] : []),
  ];
  await session.note(`equivalent command: ${['fiatrail', ...all.map(shellWord), ...(tail ? [tail] : [])].join(' ')}`);
}

/** The outcome that a wizard prints: the last one, or the command's own if --fields or --query apply to it. */
export function wizardOutcome(session: Session, own: Outcome, further: Outcome): Outcome {
  const { fields, query } = session.globals.present;
  return (fields || query) && own.result ? { ...further, result: own.result } : further;
}
