import { CliError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
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

/** Returns a service's own name, as its webhook headers and some of its paths contain it. Throws CliError usage. */
export function checkedServiceName(text: string): string {
  if (/^[A-Za-z0-9]([A-Za-z0-9-]{0,38}[A-Za-z0-9])?$/.test(text)) return text;
  throw new CliError('usage', 'invalid service name', {
    hint: 'use letters, digits and hyphens, as in the webhook headers: X-NAME-Signature',
  });
}

/** Returns the name of a profile's service; for an account from the environment, that of FIATRAIL_SERVICE_NAME. Throws CliError usage. */
export function serviceNameOf(
  { stored }: { readonly stored: { readonly serviceName?: string | undefined } | undefined },
  env: World['env'],
): string | undefined {
  const name = stored ? stored.serviceName : env['FIATRAIL_SERVICE_NAME'];
  return name ? checkedServiceName(name) : undefined;
}

/** The kind of an account: the sandbox in this process, a sandbox over the network, or live money. */
export type Mode = 'embedded' | 'sandbox' | 'live';

const LABELS = {
  embedded: { short: 'embedded', long: 'embedded sandbox' },
  sandbox: { short: 'sandbox', long: 'sandbox' },
  live: { short: 'LIVE', long: 'LIVE' },
} as const;

/** A mode in a confirmation, where live money must stand out. */
export const modeForPeople = (mode: Mode): string => LABELS[mode].short;

/** A mode in the line above a command's output. */
export const modeInFull = (mode: Mode): string => LABELS[mode].long;

/** The prefix of sandbox keys; any other key is a live key. Source: interface. */
const SANDBOX_KEY = 'sandbox_';

/** Validates the text of an API key; `from` names its origin in messages. Throws CliError usage, which never contains the text. */
export function apiKeyFrom(text: string, from: string): Secret {
  const refuse = (why: string, hint = 'copy the whole key again, without quotes or line breaks') =>
    new CliError('usage', `${from} ${why}`, { code: 'INVALID_KEY', hint });
  if (text === '') throw refuse('is empty', 'give the API key as the service printed it');
  if (!/^[\x21-\x7e]+$/.test(text)) throw refuse('has spaces or characters that keys do not contain');
  if (text.length > 500) throw refuse('is longer than 500 characters');
  return new Secret(text);
}

export function isSandboxKey(key: Secret): boolean {
  return key.reveal().startsWith(SANDBOX_KEY);
}

/** Throws CliError usage if a live key would go to a sandbox or a sandbox key to a live account; `from` names the key in the message. */
export function requireKeyOf(mode: Mode, key: Secret, profile: string, from: string): void {
  const variableHint =
    from === 'FIATRAIL_API_KEY' ? 'unset FIATRAIL_API_KEY, or set the key of this account' : undefined;
  if (mode === 'live' && isSandboxKey(key))
    throw new CliError('usage', `profile ${profile} is live, but ${from} is a sandbox key`, {
      code: 'KEY_OF_OTHER_MODE',
      hint:
        variableHint ??
        `store a live key with: fiatrail profiles add ${profile} --key-stdin; or add a sandbox profile for this key`,
    });
  if (mode === 'sandbox' && !isSandboxKey(key))
    throw new CliError(
      'usage',
      `profile ${profile} is a sandbox, but ${from} is a live key, which a sandbox must never receive`,
      {
        code: 'KEY_OF_OTHER_MODE',
        hint: variableHint ?? `sandbox keys begin with ${SANDBOX_KEY}; create one with: fiatrail keys sandbox add`,
      },
    );
}
