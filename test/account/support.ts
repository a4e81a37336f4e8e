import { expect } from 'vitest';
import { CliError } from '../../src/base/errors.ts';

/** What nobody may see but in its store. */
export const PLANTED = 'sk_planted_and_never_to_be_seen';

/** The CliError that `act` ends with; fails when there is none, when it has no remedy, or when it tells the secret. */
export async function refusal(act: () => Promise<unknown>): Promise<CliError> {
  const error = await act().then(
    () => new Error('nothing was refused'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CliError)) throw error;
  expect({ category: error.category, hint: error.hint }).toEqual({ category: 'usage', hint: expect.any(String) });
  expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain(PLANTED);
  return error;
}
