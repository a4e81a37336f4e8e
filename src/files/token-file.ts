import { CliError } from '../base/errors.ts';
import { type Entry, entryAt } from './inspect.ts';
import { createPrivateBytes, readPlainBytes } from './plain-file.ts';
import { groupIdOf, letGroupRead, removePrivateFile, requireOwnFile } from './private-file.ts';

/** What a token is made of: nothing that a header would change. */
const TOKEN = /^[\x21-\x7e]{32,500}$/;

/** What to do about a file that cannot be used. It may be one that something else needs. */
const NEW_PATH = 'give the path of a file that does not exist, so that a new token is put there';

/**
 * Reads a token from a file that only its owner can read, and the users of `group` if one is given; or puts a new one there if there is
 * no file. Throws CliError usage for a file that others can read, since they may have, and for one without a token.
 */
export function tokenIn(
  path: string,
  newToken: () => string,
  group: string | undefined,
): { readonly token: string; readonly isNew: boolean } {
  requireOwnFile(path);
  const groupId = group === undefined ? undefined : knownGroup(group);
  const found = entryAt(path);
  if (!found) {
    const token = newToken();
    createPrivateBytes(path, Buffer.from(`${token}\n`));
    if (group !== undefined && groupId !== undefined) shareWith(path, group, groupId);
    return { token, isNew: true };
  }
  if (isOpen(found, groupId))
    throw new CliError('usage', `others can read the token in ${path}`, {
      code: 'UNUSABLE_FILE',
      hint:
        found.readerGroupId === undefined || group !== undefined
          ? NEW_PATH
          : `if its group is meant to read it, name that with --token-group; otherwise ${NEW_PATH}`,
    });
  const token = Buffer.from(readPlainBytes(path, 1_000)).toString('utf8').trim();
  if (TOKEN.test(token)) return { token, isNew: false };
  throw new CliError('usage', `${path} has no token; expected one line of 32 to 500 printable characters`, {
    code: 'UNUSABLE_FILE',
    hint: NEW_PATH,
  });
}

/** Whether anyone but the owner and the group can do anything with a file. */
const isOpen = ({ isOpenToOthers, readerGroupId }: Entry, groupId: number | undefined): boolean =>
  isOpenToOthers && (groupId === undefined || readerGroupId !== groupId);

/** Throws CliError usage. */
function knownGroup(group: string): number {
  const id = groupIdOf(group);
  if (id !== undefined) return id;
  throw new CliError('usage', `this machine has no group "${group}"`, {
    hint: 'create it with: sudo groupadd --system NAME, or omit --token-group',
  });
}

/** Throws CliError usage, and then leaves no file behind. */
function shareWith(path: string, group: string, groupId: number): void {
  try {
    letGroupRead(path, groupId);
  } catch (cause) {
    removePrivateFile(path);
    throw new CliError('usage', `the group ${group} cannot be given the token in ${path}`, {
      code: 'UNUSABLE_FILE',
      hint: `this user has to be in the group: sudo usermod --append --groups ${group} USER`,
      cause,
    });
  }
}
