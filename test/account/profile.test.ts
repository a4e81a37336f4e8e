import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Profile, resolveProfile, safeBaseUrl } from '../../src/account/profile.ts';
import { CliError } from '../../src/base/errors.ts';
import { fakeWorld } from '../support/world.ts';

type Env = Record<string, string>;

const resolve = (flag: string | undefined, env: Env) => resolveProfile(flag, fakeWorld({ env }));

const URL_ = 'https://api.example/v1';
const served = { FIATRAIL_BASE_URL: URL_, FIATRAIL_API_KEY: 'sandbox_abc' };
const live = { FIATRAIL_BASE_URL: URL_, FIATRAIL_API_KEY: 'k_live' };

const embedded = { name: 'sandbox', mode: 'embedded', baseUrl: 'http://sandbox.invalid/v1' };
const ofSandbox = { name: 'environment', mode: 'sandbox', baseUrl: URL_ };
const ofLive = { name: 'environment', mode: 'live', baseUrl: URL_ };

function shown({ name, mode, baseUrl }: Profile) {
  return { name, mode, baseUrl };
}

/** In order of precedence: flag, environment, default. */
const resolved: [what: string, flag: string | undefined, env: Env, profile: object][] = [
  ['nothing', undefined, {}, embedded],
  ['empty variables', undefined, { FIATRAIL_PROFILE: '', FIATRAIL_BASE_URL: '', FIATRAIL_API_KEY: '' }, embedded],
  ['the profile by name', undefined, { FIATRAIL_PROFILE: 'sandbox' }, embedded],
  ['a URL and a sandbox key', undefined, served, ofSandbox],
  ['a URL and another key', undefined, live, ofLive],
  ['the flag', 'sandbox', {}, embedded],
  ['the flag over a URL and a key', 'sandbox', live, embedded],
  ['the flag over a key without a URL', 'sandbox', { FIATRAIL_API_KEY: 'k' }, embedded],
  ['the flag over an unsafe URL', 'sandbox', { ...live, FIATRAIL_BASE_URL: 'http://api.example' }, embedded],
  ['the flag over another profile variable', 'sandbox', { FIATRAIL_PROFILE: 'gone' }, embedded],
];

/** Errors, in the order in which they are checked. */
const refused: [what: string, flag: string | undefined, env: Env, message: RegExp][] = [
  ['a flag that names no profile', 'production', {}, /unknown profile "production"/],
  ['an empty flag', '', {}, /unknown profile ""/],
  ['a flag in capitals', 'Sandbox', {}, /unknown profile "Sandbox"/],
  ['an unknown flag before everything else', 'production', { FIATRAIL_API_KEY: 'k' }, /unknown profile "production"/],
  ['a variable that names no profile', undefined, { FIATRAIL_PROFILE: 'production' }, /unknown profile "production"/],
  [
    'an unknown variable before a URL and a key',
    undefined,
    { ...served, FIATRAIL_PROFILE: 'x' },
    /unknown profile "x"/,
  ],
  ['two accounts at once', undefined, { ...served, FIATRAIL_PROFILE: 'sandbox' }, /names the embedded sandbox but/],
  [
    'a URL without a key',
    undefined,
    { FIATRAIL_BASE_URL: URL_ },
    /FIATRAIL_BASE_URL is set but FIATRAIL_API_KEY is not/,
  ],
  ['a key without a URL', undefined, { FIATRAIL_API_KEY: 'k' }, /FIATRAIL_API_KEY is set but FIATRAIL_BASE_URL is not/],
  ['a key with a line break', undefined, { ...served, FIATRAIL_API_KEY: 'sandbox_abc\n' }, /spaces or characters/],
  ['a key with a space', undefined, { ...served, FIATRAIL_API_KEY: 'sandbox abc' }, /spaces or characters/],
  ['a key with a non-ASCII letter', undefined, { ...served, FIATRAIL_API_KEY: 'ké' }, /spaces or characters/],
  ['a bad key before a bad URL', undefined, { FIATRAIL_BASE_URL: 'x', FIATRAIL_API_KEY: 'a b' }, /spaces or/],
  ['an unsafe URL', undefined, { ...served, FIATRAIL_BASE_URL: 'http://api.example/v1' }, /not https/],
];

function refusal(act: () => unknown): CliError {
  try {
    act();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('expected an error');
}

describe('resolveProfile', () => {
  test.each(resolved)('resolves %s', (_what, flag, env, profile) => {
    expect(shown(resolve(flag, env))).toEqual(profile);
  });

  test.each(refused)('rejects %s', (_what, flag, env, message) => {
    const error = refusal(() => resolve(flag, env));
    expect(error.category).toBe('usage');
    expect(error.message).toMatch(message);
    expect(error.hint).toBeTruthy();
  });

  test('keeps the key of the environment hidden', async () => {
    const profile = resolve(undefined, served);
    const key = await profile.key?.load();
    expect(key?.reveal()).toBe('sandbox_abc');
    expect(inspect(profile) + JSON.stringify(profile) + inspect(key) + String(key)).not.toContain('abc');
  });

  test('has no key for the embedded sandbox', () => {
    expect(resolve(undefined, {}).key).toBeUndefined();
  });

  test('does not repeat an invalid key in the error', () => {
    const error = refusal(() => resolve(undefined, { ...served, FIATRAIL_API_KEY: 'my secret' }));
    expect(`${error.message} ${error.hint}`).not.toContain('secret');
  });
});

const safe: [text: string, url: string][] = [
  ['https://api.example/v1', 'https://api.example/v1'],
  ['https://api.example/v1/', 'https://api.example/v1'],
  ['https://api.example/v1///', 'https://api.example/v1'],
  ['https://api.example/v1?', 'https://api.example/v1'],
  ['https://api.example/v1#', 'https://api.example/v1'],
  ['https://api.example/v1/?#', 'https://api.example/v1'],
  ['https://api.example:8443/v1', 'https://api.example:8443/v1'],
  ['https://api.example:443/v1', 'https://api.example/v1'],
  ['HTTPS://API.EXAMPLE/v1', 'https://api.example/v1'],
  [' https://api.example/v1 ', 'https://api.example/v1'],
  ['https://10.0.0.1/v1', 'https://10.0.0.1/v1'],
  ['http://127.0.0.1:8787/v1', 'http://127.0.0.1:8787/v1'],
  ['http://127.9.9.9/v1', 'http://127.9.9.9/v1'],
  ['http://127.1/v1', 'http://127.0.0.1/v1'],
  ['http://localhost:8787/v1/', 'http://localhost:8787/v1'],
  ['http://LOCALHOST/v1', 'http://localhost/v1'],
  ['http://[::1]:8787/v1', 'http://[::1]:8787/v1'],
];

const unsafe: [text: string, message: RegExp][] = [
  ['', /not a valid URL/],
  ['api.example/v1', /not a valid URL/],
  ['//api.example/v1', /not a valid URL/],
  ['https://', /not a valid URL/],
  ['https://user:pass@api.example/v1', /user name or password/],
  ['https://user@api.example/v1', /user name or password/],
  ['https://:pass@api.example/v1', /user name or password/],
  ['http://user@127.0.0.1/v1', /user name or password/],
  ['https://api.example/v1?key=1', /query or a fragment/],
  ['https://api.example/v1#x', /query or a fragment/],
  ['https://api.example', /does not end with \/v1/],
  ['https://api.example/', /does not end with \/v1/],
  ['https://api.example/V1', /a path other than \/v1/],
  ['https://api.example/v2', /a path other than \/v1/],
  ['https://api.example/api/v1', /a path other than \/v1/],
  ['https://api.example/v1/fx/quote', /more than \/v1/],
  ['http://api.example/v1', /not https/],
  ['http://10.0.0.1/v1', /not https/],
  ['http://192.168.0.1:8787/v1', /not https/],
  ['http://0.0.0.0:8787/v1', /not https/],
  ['http://127.0.0.1.example/v1', /not https/],
  ['http://127.example/v1', /not https/],
  ['http://localhost.example/v1', /not https/],
  ['http://my-localhost/v1', /not https/],
  ['http://[::2]/v1', /not https/],
  ['ftp://127.0.0.1/v1', /not https/],
  ['file:///etc/passwd', /not https/],
  ['ws://localhost/v1', /not https/],
  ['javascript:alert(1)', /not https/],
  ['localhost:8787/v1', /not https/],
  ['https://api.exam\nple/v1', /line break/],
  ['https://api.exam\tple/v1', /space/],
  ['https:\\api.example\\v1', /backslash/],
];

describe('safeBaseUrl', () => {
  test.each(safe)('accepts %s as %s', (text, url) => {
    expect(safeBaseUrl(text)).toBe(url);
  });

  test.each(unsafe)('rejects %s', (text, message) => {
    const error = refusal(() => safeBaseUrl(text));
    expect(error.category).toBe('usage');
    expect(error.message).toMatch(message);
  });

  test('does not repeat a password in the error', () => {
    const error = refusal(() => safeBaseUrl('https://user:hunter2@api.example/v1'));
    expect(`${error.message} ${error.hint}`).not.toContain('hunter2');
  });
});
