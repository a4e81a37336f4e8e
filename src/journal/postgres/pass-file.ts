import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { entryAt, readSharedFile } from '../../files/inspect.ts';
import type { ServerAddress } from './server-address.ts';

/**
 * Finds the password of a database in a password file as psql reads it: lines of `host:port:database:user:password`, where `*` is
 * anything and a backslash escapes. Returns undefined if it has none. Throws CliError usage if others can read the file.
 */
export function passwordIn(path: string, { host, port, database }: ServerAddress, user: string): Secret | undefined {
  const entry = entryAt(path);
  if (entry?.kind !== 'file' && entry?.kind !== 'link') return undefined;
  if (entry.isOpenToOthers)
    throw new CliError('usage', `${path} has passwords, and other users can read it`, {
      code: 'OPEN_PASSWORD_FILE',
      hint: `run: chmod 600 ${path}`,
    });
  // A socket in its usual folder is written as localhost.
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
  for (const line of readSharedFile(path).split(/\r?\n/)) {
    const fields = line.startsWith('#') ? [] : fieldsOf(line);
    const password = fields[wanted.length];
    const isHost = (field: string) => field === host;
    if (password === undefined) continue;
    if (wanted.every((text, at) => ['*', text].includes(fields[at] ?? '') || (at === 0 && isHost(fields[at] ?? ''))))
      return new Secret(password);
  }
  return undefined;
}

/** Splits at colons, unless a backslash is before one. */
function fieldsOf(line: string): string[] {
  return (line.match(/(?:\\.|[^:\\])*(?::|$)/g) ?? []).map((field) => field.replace(/:$/, '').replace(/\\(.)/g, '$1'));
}
