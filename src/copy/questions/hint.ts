import { advice } from '../../base/advice.ts';
import { type CliError, withDetails } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { lookLocally } from './look.ts';
import { asId, mayBeBvn } from './typed.ts';

const ID = /^[\x21-\x7e]{6,500}$/;

/**
 * Adds to an error about an unknown id what this machine knows it as: the id of a payout, given to `offramp status`. Sends nothing, and keeps the
 * error as it was if nothing is known.
 */
export async function withKindHint(
  account: Pick<Account, 'profile' | 'journal' | 'world'>,
  error: CliError,
  words: readonly string[],
  typed: readonly unknown[],
): Promise<CliError> {
  const ids = typed.flat().filter((text) => typeof text === 'string' && ID.test(text) && !mayBeBvn(text));
  try {
    for (const id of ids as string[]) {
      const { matches } = await lookLocally(account, asId(id));
      const match = matches.find(({ rank, kind }) => rank < 3 && kind.shows !== undefined);
      const isSame = match?.id === id && match.kind.shows === words.join(' ');
      if (!match || isSame) continue;
      const of = `${/^[aeio]/.test(match.kind.name) ? 'an' : 'a'} ${match.kind.name}`;
      const known = match.id === id ? `this is the id of ${of}` : `this belongs to ${of}`;
      return withDetails(error, { hint: advice`${known}: [fiatrail ${match.kind.shows?.split(' ')} ${match.id}]` });
    }
  } catch {
    // A journal or a copy that cannot be read says nothing about the id; the error matters.
  }
  return error;
}
