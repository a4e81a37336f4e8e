import type { LocalCopy } from '../../copy/database.ts';
import { existingCopy } from '../../copy/open.ts';
import type { Account } from '../../engine/account.ts';

/** Reads the local copy, which is closed afterwards; `otherwise` if there is none. */
export async function inCopy<T>(
  { world, profile }: Pick<Account, 'world' | 'profile'>,
  read: (copy: LocalCopy) => Promise<T>,
  otherwise: T,
): Promise<T> {
  const copy = await existingCopy(world, profile);
  try {
    return copy ? await read(copy) : otherwise;
  } finally {
    await copy?.close();
  }
}
