import { expect } from 'vitest';
import { CliError } from '../../src/base/errors.ts';

/** A secret that must not appear anywhere but in its store. */
export const PLANTED = 'sk_planted_and_never_to_be_seen';

/** Returns the CliError that `act` rejects with. Fails if there is none, it has no hint, or it contains PLANTED. */
export async function refusal(act: () => Promise<unknown>): Promise<CliError> {
  const error = await act().then(
    () => new Error('expected an error'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CliError)) throw error;
  expect({ category: error.category, hint: error.hint }).toEqual({ category: 'usage', hint: expect.any(String) });
  expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain(PLANTED);
  return error;
}
