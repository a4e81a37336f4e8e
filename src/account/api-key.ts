import { CliError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { Mode } from './mode.ts';

/** How the keys of sandboxes begin; any other counts as live. Source: interface. */
const SANDBOX_KEY = 'sandbox_';

/** An API key from the text that a person, a file or a command gave; `from` says who, for the message. Throws CliError usage, without the text. */
export function apiKeyFrom(text: string, from: string): Secret {
  const refuse = (why: string, hint = 'copy the key again, whole, without quotes or line ends') =>
    new CliError('usage', `${from} ${why}`, { code: 'INVALID_KEY', hint });
  if (text === '') throw refuse('is empty', 'give the API key as the service printed it');
  if (!/^[\x21-\x7e]+$/.test(text)) throw refuse('holds blanks or characters that no key has');
  if (text.length > 500) throw refuse('is longer than any key');
  return new Secret(text);
}

export function isSandboxKey(key: Secret): boolean {
  return key.reveal().startsWith(SANDBOX_KEY);
}

/** A live key goes to no sandbox, and a sandbox key to no live account; `from` says whose key it is. Throws CliError usage. */
export function requireKeyOf(mode: Mode, key: Secret, profile: string, from: string): void {
  const ofVariable = from === 'FIATRAIL_API_KEY' ? 'unset FIATRAIL_API_KEY, or set the key of this account' : undefined;
  if (mode === 'live' && isSandboxKey(key))
    throw new CliError('usage', `the profile ${profile} is live, and ${from} is a sandbox key`, {
      code: 'KEY_OF_OTHER_MODE',
      hint:
        ofVariable ??
        `give it a live key: fiatrail profiles add ${profile} --key-stdin; or add a sandbox profile for this one`,
    });
  if (mode === 'sandbox' && !isSandboxKey(key))
    throw new CliError(
      'usage',
      `the profile ${profile} is a sandbox, and ${from} is a live key, which it must not see`,
      {
        code: 'KEY_OF_OTHER_MODE',
        hint: ofVariable ?? `sandbox keys begin with ${SANDBOX_KEY}; make one with: fiatrail keys sandbox`,
      },
    );
}
