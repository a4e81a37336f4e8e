import { CliError } from '../base/errors.ts';
import { isLoopback } from '../client/proxy.ts';
import { VERSION_PREFIX } from '../contract/paths.ts';

/** A base URL to which a key may be sent: https, or http on this machine; its path is /v1. Throws CliError usage. */
export function safeBaseUrl(text: string): string {
  const refuse = (why: string, write = 'https://host/v1, or http://127.0.0.1:PORT/v1 for a sandbox on this machine') =>
    new CliError('usage', `the base URL ${why}`, { code: 'INVALID_BASE_URL', hint: `write it as ${write}` });
  // Parsing would drop or mend these in silence, and the key would go to another host than the one that was written.
  if (/[\s\p{Cc}\\]/u.test(text.trim())) throw refuse('has a blank, a line end or a backslash in it');
  if (!URL.canParse(text)) throw refuse('is no URL');
  const url = new URL(text);
  if (url.username || url.password) throw refuse('holds a user name or password');
  if (url.search || url.hash) throw refuse('has a query or a fragment');
  const isLocal = url.protocol === 'http:' && isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) throw refuse('is not https, so the key would travel in clear');
  const path = url.pathname.replace(/\/+$/, '');
  if (path === VERSION_PREFIX) return url.origin + path;
  if (path === '') throw refuse(`lacks ${VERSION_PREFIX} at its end`, url.origin + VERSION_PREFIX);
  if (path.startsWith(`${VERSION_PREFIX}/`))
    throw refuse(`has more than ${VERSION_PREFIX} in its path`, url.origin + VERSION_PREFIX);
  throw refuse(`has another path than ${VERSION_PREFIX}`, url.origin + VERSION_PREFIX);
}
