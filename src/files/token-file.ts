import { CliError } from '../base/errors.ts';
import { entryAt } from './inspect.ts';
import { createPrivateBytes, readPlainBytes } from './plain-file.ts';
import { requireOwnFile } from './private-file.ts';

/** What a token is made of: nothing that a header would change. */
const TOKEN = /^[\x21-\x7e]{32,500}$/;

/**
 * Reads a token from a file that only its owner can read, or puts a new one there if there is no file. Throws CliError usage for a file
 * that others can read, since they may have, and for one without a token.
 */
export function tokenIn(path: string, newToken: () => string): { readonly token: string; readonly isNew: boolean } {
  requireOwnFile(path);
  const found = entryAt(path);
  if (!found) {
    const token = newToken();
    createPrivateBytes(path, Buffer.from(`${token}\n`));
    return { token, isNew: true };
  }
  if (found.isOpenToOthers)
    throw new CliError('usage', `others can read the token in ${path}`, {
      code: 'UNUSABLE_FILE',
      hint: 'delete the file, so that a new token is made, and give that to your agent',
    });
  const token = Buffer.from(readPlainBytes(path, 1_000)).toString('utf8').trim();
  if (TOKEN.test(token)) return { token, isNew: false };
  throw new CliError('usage', `${path} has no token; expected one line of 32 to 500 printable characters`, {
    code: 'UNUSABLE_FILE',
    hint: 'delete the file, so that a new token is made',
  });
}
