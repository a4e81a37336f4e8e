import { CliError } from '../../../base/errors.ts';
import type { Picked } from '../../parse/parameters.ts';
import type { Session } from '../../session.ts';

/** Lets the user pick a missing value; undefined if there is no list to pick from. `group` is the command's first word. */
export async function pick(
  picks: Picked,
  question: string,
  session: Session,
  group: string,
): Promise<string | undefined> {
  switch (picks) {
    case 'bank':
      return (await import('./banks.ts')).pickBank(session);
    case 'bank account':
      return (await import('./banks.ts')).pickBankAccount(session, question);
    case 'user':
    case 'active user':
    case 'inactive user': {
      const status = picks === 'user' ? 'all' : picks === 'inactive user' ? 'inactive' : 'active';
      const { pickUser } = await import('./users.ts');
      return pickUser(session, question.replace(/:?$/, ''), status).catch((error: unknown) => {
        // An id can be typed although the list cannot be read.
        if (error instanceof CliError && error.category !== 'interrupted' && error.category !== 'usage')
          return undefined;
        throw error;
      });
    }
    default:
      return (await import('./things.ts')).pickThing(session, picks, question, group);
  }
}
