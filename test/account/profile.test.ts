import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { safeBaseUrl } from '../../src/account/base-url.ts';
import { type Profile, resolveProfile } from '../../src/account/profile.ts';
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

/** Flag, environment, default: whoever speaks first decides. */
const resolved: [what: string, flag: string | undefined, env: Env, profile: object][] = [
  ['nothing', undefined, {}, embedded],
  ['empty variables', undefined, { FIATRAIL_PROFILE: '', FIATRAIL_BASE_URL: '', FIATRAIL_API_KEY: '' }, embedded],
  ['the profile by name', undefined, { FIATRAIL_PROFILE: 'sandbox' }, embedded],
  ['a URL and a sandbox key', undefined, served, ofSandbox],
  ['a URL and another key', undefined, live, ofLive],
  ['the flag', 'sandbox', {}, embedded],
  ['the flag over a URL and a key', 'sandbox', live, embedded],
  ['the flag over half of a URL and a key', 'sandbox', { FIATRAIL_API_KEY: 'k' }, embedded],
  ['the flag over an unsafe URL', 'sandbox', { ...live, FIATRAIL_BASE_URL: 'http://api.example' }, embedded],
  ['the flag over another profile variable', 'sandbox', { FIATRAIL_PROFILE: 'gone' }, embedded],
];

/** What is refused, in the order in which it is looked at. */
const refused: [what: string, flag: string | undefined, env: Env, message: RegExp][] = [
  ['a flag that names no profile', 'production', {}, /no profile "production"/],
  ['an empty flag', '', {}, /no profile ""/],
  ['a flag in capitals', 'Sandbox', {}, /no profile "Sandbox"/],
  ['a wrong flag before everything else', 'production', { FIATRAIL_API_KEY: 'k' }, /no profile "production"/],
  ['a variable that names no profile', undefined, { FIATRAIL_PROFILE: 'production' }, /no profile "production"/],
  ['a wrong variable before a URL and a key', undefined, { ...served, FIATRAIL_PROFILE: 'x' }, /no profile "x"/],
  ['two accounts at once', undefined, { ...served, FIATRAIL_PROFILE: 'sandbox' }, /names the embedded sandbox and/],
  ['a URL without a key', undefined, { FIATRAIL_BASE_URL: URL_ }, /FIATRAIL_BASE_URL is set and FIATRAIL_API_KEY is/],
  ['a key without a URL', undefined, { FIATRAIL_API_KEY: 'k' }, /FIATRAIL_API_KEY is set and FIATRAIL_BASE_URL is/],
  ['a key with a line end', undefined, { ...served, FIATRAIL_API_KEY: 'sandbox_abc\n' }, /blanks or characters/],
  ['a key with a blank', undefined, { ...served, FIATRAIL_API_KEY: 'sandbox abc' }, /blanks or characters/],
  ['a key with a letter beyond ASCII', undefined, { ...served, FIATRAIL_API_KEY: 'ké' }, /blanks or characters/],
  ['a bad key before a bad URL', undefined, { FIATRAIL_BASE_URL: 'x', FIATRAIL_API_KEY: 'a b' }, /blanks or/],
  ['an unsafe URL', undefined, { ...served, FIATRAIL_BASE_URL: 'http://api.example/v1' }, /not https/],
];

function refusal(act: () => unknown): CliError {
  try {
    act();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the profile', () => {
  test.each(resolved)('by %s', (_what, flag, env, profile) => {
    expect(shown(resolve(flag, env))).toEqual(profile);
  });

  test.each(refused)('is refused for %s', (_what, flag, env, message) => {
    const error = refusal(() => resolve(flag, env));
    expect(error.category).toBe('usage');
    expect(error.message).toMatch(message);
    expect(error.hint).toBeTruthy();
  });

  test('holds the key of the environment, hidden', async () => {
    const profile = resolve(undefined, served);
    const key = await profile.key?.load();
    expect(key?.reveal()).toBe('sandbox_abc');
    expect(inspect(profile) + JSON.stringify(profile) + inspect(key) + String(key)).not.toContain('abc');
  });

  test('has no key for the embedded sandbox, which knows its own', () => {
    expect(resolve(undefined, {}).key).toBeUndefined();
  });

  test('refuses a bad key without saying it', () => {
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
  ['', /no URL/],
  ['api.example/v1', /no URL/],
  ['//api.example/v1', /no URL/],
  ['https://', /no URL/],
  ['https://user:pass@api.example/v1', /user name or password/],
  ['https://user@api.example/v1', /user name or password/],
  ['https://:pass@api.example/v1', /user name or password/],
  ['http://user@127.0.0.1/v1', /user name or password/],
  ['https://api.example/v1?key=1', /query or a fragment/],
  ['https://api.example/v1#x', /query or a fragment/],
  ['https://api.example', /lacks \/v1/],
  ['https://api.example/', /lacks \/v1/],
  ['https://api.example/V1', /another path than \/v1/],
  ['https://api.example/v2', /another path than \/v1/],
  ['https://api.example/api/v1', /another path than \/v1/],
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
  ['https://api.exam\nple/v1', /line end/],
  ['https://api.exam\tple/v1', /blank/],
  ['https:\\api.example\\v1', /backslash/],
];

describe('a base URL', () => {
  test.each(safe)('%s is taken as %s', (text, url) => {
    expect(safeBaseUrl(text)).toBe(url);
  });

  test.each(unsafe)('%s is refused', (text, message) => {
    const error = refusal(() => safeBaseUrl(text));
    expect(error.category).toBe('usage');
    expect(error.message).toMatch(message);
  });

  test('with a password is refused without saying it', () => {
    const error = refusal(() => safeBaseUrl('https://user:hunter2@api.example/v1'));
    expect(`${error.message} ${error.hint}`).not.toContain('hunter2');
  });
});
