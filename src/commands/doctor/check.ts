import type { Profile } from '../../account/profile.ts';
import { type Category, CliError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Account } from '../../engine/account.ts';
import { stateError } from '../../terminal/show/failures.ts';

/** The result of one check. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly detail: string;
  /** The command that fixes it. */
  readonly fix: string | null;
  /** For a problem: the error category it causes in other commands. */
  readonly category?: Category;
}

export interface NamedFinding extends Finding {
  readonly check: string;
}

/** What is diagnosed: this machine and, if it could be resolved, the profile. */
export interface Subject {
  readonly account: Account;
  /** The profile that was typed, if one was. */
  readonly typedProfile: string | undefined;
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

/** Turns an error into a problem. Rethrows an interrupt or an internal error. */
export function problemOf(error: unknown, fix: string): Finding {
  if (error instanceof CliError) {
    if (error.category === 'interrupted') throw error;
    return problem(error.category, error.message, error.hint ?? fix);
  }
  const { code, problem: ofDatabase } = (error ?? {}) as { readonly code?: unknown; readonly problem?: unknown };
  if (!(error instanceof Error) || (typeof code !== 'string' && typeof ofDatabase !== 'string')) throw error;
  return problem('usage', stateError(error)?.message ?? error.message, fix);
}

/** Runs a check; an error it throws becomes a problem, which `fix` fixes unless the error says how. */
export async function checked(
  check: string,
  find: () => Finding | Promise<Finding>,
  fix: string,
): Promise<NamedFinding> {
  try {
    return { check, ...(await find()) };
  } catch (error) {
    return { check, ...problemOf(error, fix) };
  }
}

/** A command line for the profile being diagnosed. */
export function typed({ typedProfile }: Subject, words: string): string {
  return typedProfile === undefined ? `fiatrail ${words}` : `fiatrail ${words} --profile ${shellWord(typedProfile)}`;
}
