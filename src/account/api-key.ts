import { CliError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';

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
