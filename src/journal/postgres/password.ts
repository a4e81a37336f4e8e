import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { entryAt, readSharedFile } from '../../files/inspect.ts';
import { type ServerAddress, serverAddressOf } from './server-address.ts';

/** What a stored password is for. It goes nowhere else. */
const belongsTo = ({ host, port, database, user }: ServerAddress, ownUser: string): string =>
  JSON.stringify([host, port, database, user ?? ownUser]);

/** Returns a password as it is stored: with what it is for. */
export function passwordToStore(password: Secret, address: ServerAddress, ownUser: string): Secret {
  return new Secret(JSON.stringify({ for: belongsTo(address, ownUser), password: password.reveal() }));
}

/**
 * Returns the stored password if it belongs to this host, port, database and user. One that was stored without what it is for belongs to
 * the URL of its profile.
 */
export function passwordFor(
  address: ServerAddress,
  ownUser: string,
  stored: Secret | undefined,
  profileUrl: string | undefined,
): Secret | undefined {
  if (stored === undefined) return undefined;
  const wanted = belongsTo(address, ownUser);
  const bound = boundIn(stored.reveal());
  if (bound) return bound.for === wanted ? new Secret(bound.password) : undefined;
  return profileUrl !== undefined && belongsTo(serverAddressOf(profileUrl), ownUser) === wanted ? stored : undefined;
}

/** Whether a stored password says what it is for. */
export const isBound = (stored: Secret): boolean => boundIn(stored.reveal()) !== undefined;

function boundIn(text: string): { readonly for: string; readonly password: string } | undefined {
  try {
    const found = JSON.parse(text) as { for?: unknown; password?: unknown } | null;
    if (typeof found?.for !== 'string' || typeof found.password !== 'string') return undefined;
    return { for: found.for, password: found.password };
  } catch {
    return undefined;
  }
}

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
