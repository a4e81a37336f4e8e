import { CliError } from '../base/errors.ts';
import { isLoopback } from '../client/proxy.ts';
import { VERSION_PREFIX } from '../contract/paths.ts';

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
