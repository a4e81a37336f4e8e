import type { Profile } from '../../account/profile.ts';
import { type Category, CliError } from '../../base/errors.ts';
import type { Session } from '../../cli/session.ts';
import { shellWord } from '../../present/text.ts';

/** What came of looking at one thing. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly detail: string;
  /** What to type. */
  readonly fix: string | null;
  /** Of a problem: which kind of error it makes of other commands. */
  readonly category?: Category;
}

export interface Check extends Finding {
  readonly check: string;
}

/** What is looked at: this machine, and the account, where it can be told which one. */
export interface Subject {
  readonly session: Session;
  readonly profile: Profile | undefined;
}

export const ok = (detail: string): Finding => ({ state: 'ok', detail, fix: null });
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail, fix: null });
export const warning = (detail: string, fix: string): Finding => ({ state: 'warning', detail, fix });
export const problem = (category: Category, detail: string, fix: string): Finding => ({
  state: 'problem',
  detail,
  fix,
  category,
});

/** An error as the problem it tells of. Throws it on when it is a Ctrl-C, or a fault of ours. */
export function problemOf(error: unknown, fix: string): Finding {
  if (error instanceof CliError) {
    if (error.category === 'interrupted') throw error;
    return problem(error.category, error.message, error.hint ?? fix);
  }
  const { code, problem: ofDatabase } = (error ?? {}) as { readonly code?: unknown; readonly problem?: unknown };
  if (!(error instanceof Error) || (typeof code !== 'string' && typeof ofDatabase !== 'string')) throw error;
  return problem('usage', error.message, fix);
}

/** A look that may fail as the system lets it fail. */
export async function looked(look: () => Finding | Promise<Finding>, fix: string): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    return problemOf(error, fix);
  }
}

/** A command line for the account that is looked at. */
export function typed({ session }: Subject, words: string): string {
  const { profile } = session.globals;
  return profile === undefined ? `fiatrail ${words}` : `fiatrail ${words} --profile ${shellWord(profile)}`;
}
