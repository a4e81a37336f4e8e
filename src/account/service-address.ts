import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { isLoopback } from '../client/proxy.ts';
import { VERSION_PREFIX } from '../contract/paths.ts';
import type { StoredProfile } from './stored-profile.ts';

/** Validates a base URL that a key may be sent to: https, or http on this machine, with the path /v1. Throws CliError usage. */
export function safeBaseUrl(text: string): string {
  const refuse = (why: string, write = 'https://host/v1, or http://127.0.0.1:PORT/v1 for a sandbox on this machine') =>
    new CliError('usage', `the base URL ${why}`, { code: 'INVALID_BASE_URL', hint: `write it as ${write}` });
  // URL parsing silently repairs these, and the key would go to a host other than the one that was typed.
  if (/[\s\p{Cc}\\]/u.test(text.trim())) throw refuse('contains a space, a line break or a backslash');
  if (!URL.canParse(text)) throw refuse('is not a valid URL');
  const url = new URL(text);
  if (url.username || url.password) throw refuse('contains a user name or password');
  if (url.search || url.hash) throw refuse('contains a query or a fragment');
  const isLocal = url.protocol === 'http:' && isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) throw refuse('is not https, so the key would be sent unencrypted');
  const path = url.pathname.replace(/\/+$/, '');
  if (path === VERSION_PREFIX) return url.origin + path;
  if (path === '') throw refuse(`does not end with ${VERSION_PREFIX}`, url.origin + VERSION_PREFIX);
  if (path.startsWith(`${VERSION_PREFIX}/`))
    throw refuse(`has more than ${VERSION_PREFIX} in its path`, url.origin + VERSION_PREFIX);
  throw refuse(`has a path other than ${VERSION_PREFIX}`, url.origin + VERSION_PREFIX);
}

/** Returns a service's own name, as its webhook headers and some of its paths contain it. Throws CliError usage. */
export function checkedServiceName(text: string): string {
  if (/^[A-Za-z0-9]([A-Za-z0-9-]{0,38}[A-Za-z0-9])?$/.test(text)) return text;
  throw new CliError('usage', 'invalid service name', {
    hint: 'use letters, digits and hyphens, as in the webhook headers: X-NAME-Signature',
  });
}

/** Returns the name of a profile's service; for an account from the environment, that of FIATRAIL_SERVICE_NAME. Throws CliError usage. */
export function serviceNameOf(
  { stored }: { readonly stored: Pick<StoredProfile, 'serviceName'> | undefined },
  env: World['env'],
): string | undefined {
  const name = stored ? stored.serviceName : env['FIATRAIL_SERVICE_NAME'];
  return name ? checkedServiceName(name) : undefined;
}
