import { Secret } from '../../base/secret.ts';
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
