import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveProfile } from '../../src/account/profile.ts';
import { fakeWorld } from '../support/world.ts';
import { PLANTED, refusal } from './support.ts';

const LIVE_URL = 'https://live.test/v1';
const BOX_URL = 'https://box.test/v1';
const OTHER_URL = 'https://other.test/v1';
const LIVE_KEY = `live-${PLANTED}`;
const BOX_KEY = `sandbox_${PLANTED}`;

/** The contents of profile files. */
const PROFILES: Readonly<Record<string, object>> = {
  main: { mode: 'live', baseUrl: LIVE_URL, store: { kind: 'file' } },
  box: { mode: 'sandbox', baseUrl: BOX_URL, store: { kind: 'file' } },
  inside: { mode: 'embedded', store: { kind: 'file' } },
  unsafe: { mode: 'live', baseUrl: 'http://live.test/v1', store: { kind: 'file' } },
  odd: { mode: 'live', baseUrl: 'no address', store: { kind: 'file' } },
  variable: { mode: 'live', baseUrl: LIVE_URL, store: { kind: 'environment' } },
  // Written by hand: no command creates this file.
  environment: { mode: 'live', baseUrl: LIVE_URL, store: { kind: 'file' } },
};
const STORED_KEYS: Readonly<Record<string, string>> = { main: `${LIVE_KEY}-kept`, box: `${BOX_KEY}-kept` };

interface Case {
  readonly flag?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The content of `.fiatrail.json` in the parent of the working folder. */
  readonly pin?: string;
  readonly fallback?: string;
}

/** A world with all profiles, a pin and a default. */
function worldOf({ env = {}, pin, fallback }: Case) {
  const base = fakeWorld({ env });
  const config = join(base.homeDir, 'config');
  for (const folder of ['profiles', 'secrets']) mkdirSync(join(config, folder), { recursive: true });
  for (const [name, profile] of Object.entries(PROFILES))
    writeFileSync(join(config, 'profiles', `${name}.json`), JSON.stringify({ version: 1, name, ...profile }));
  writeFileSync(join(config, 'profiles', 'broken.json'), '{');
  for (const [name, key] of Object.entries(STORED_KEYS)) writeFileSync(join(config, 'secrets', `${name}.api-key`), key);
  if (fallback !== undefined)
    writeFileSync(join(config, 'settings.json'), JSON.stringify({ version: 1, defaultProfile: fallback }));
  const cwd = join(base.homeDir, 'work', 'below');
  mkdirSync(cwd, { recursive: true });
  const pinPath = join(base.homeDir, 'work', '.fiatrail.json');
  if (pin !== undefined) writeFileSync(pinPath, pin);
  writeFileSync(join(config, 'pins.json'), JSON.stringify({ version: 1, pins: { [pinPath]: 'main' } }));
  return { ...base, cwd };
}

const pinned = (profile: string) => JSON.stringify({ profile });
const both = (url: string, key: string) => ({ FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: key });
const named = (name: string) => ({ FIATRAIL_PROFILE: name });
const key = (text: string) => ({ FIATRAIL_API_KEY: text });
const url = (text: string) => ({ FIATRAIL_BASE_URL: text });

/** The expected account, and the origin of its key: its store (`kept`) or the environment (`given`). */
const resolved: [what: string, given: Case, name: string, mode: string, key: 'kept' | 'given' | 'none'][] = [
  ['nothing', {}, 'sandbox', 'embedded', 'none'],
  ['a default', { fallback: 'box' }, 'box', 'sandbox', 'kept'],
  ['a folder over a default', { pin: pinned('main'), fallback: 'box' }, 'main', 'live', 'kept'],
  ['a variable over a folder', { env: named('box'), pin: pinned('main') }, 'box', 'sandbox', 'kept'],
  ['a variable over a broken pin', { env: named('box'), pin: '{' }, 'box', 'sandbox', 'kept'],
  ['a flag over a variable', { flag: 'main', env: named('box') }, 'main', 'live', 'kept'],
  ['a flag over a broken pin', { flag: 'main', pin: '[]' }, 'main', 'live', 'kept'],
  ['a flag over a pin to an unknown profile', { flag: 'main', pin: pinned('gone') }, 'main', 'live', 'kept'],
  ['a flag over a URL and a key', { flag: 'main', env: both(OTHER_URL, BOX_KEY) }, 'main', 'live', 'kept'],
  ['a flag over a key of the other mode', { flag: 'main', env: key(BOX_KEY) }, 'main', 'live', 'kept'],
  ['a flag over another address', { flag: 'main', env: url(OTHER_URL) }, 'main', 'live', 'kept'],
  ['a flag for the built-in profile', { flag: 'sandbox', fallback: 'main' }, 'sandbox', 'embedded', 'none'],
  ['a pin to the built-in profile', { pin: pinned('sandbox'), fallback: 'main' }, 'sandbox', 'embedded', 'none'],
  ['a URL and a key', { env: both(OTHER_URL, LIVE_KEY) }, 'environment', 'live', 'given'],
  [
    'a URL and a key over a folder',
    { env: both(OTHER_URL, BOX_KEY), pin: pinned('main') },
    'environment',
    'sandbox',
    'given',
  ],
  ['a URL and a key over a broken pin', { env: both(OTHER_URL, LIVE_KEY), pin: '{' }, 'environment', 'live', 'given'],
  [
    'a URL and a key over a default',
    { env: both(LIVE_URL, LIVE_KEY), fallback: 'box' },
    'environment',
    'live',
    'given',
  ],
  [
    'a variable over a URL and a key',
    { env: { ...both(LIVE_URL, LIVE_KEY), ...named('main') } },
    'main',
    'live',
    'given',
  ],
  ['a key for a variable', { env: { ...key(LIVE_KEY), ...named('main') } }, 'main', 'live', 'given'],
  ['a key for a folder', { env: key(LIVE_KEY), pin: pinned('main') }, 'main', 'live', 'given'],
  ['a key for a default', { env: key(BOX_KEY), fallback: 'box' }, 'box', 'sandbox', 'given'],
  ['the address of the default profile', { env: url(`${BOX_URL}/`), fallback: 'box' }, 'box', 'sandbox', 'kept'],
  [
    'the address of the default profile in another spelling',
    { env: url('https://BOX.test:443/v1'), fallback: 'box' },
    'box',
    'sandbox',
    'kept',
  ],
  ['a profile whose key is the variable', { env: key(LIVE_KEY), fallback: 'variable' }, 'variable', 'live', 'given'],
  [
    'a flag for a profile whose key is the variable',
    { flag: 'variable', env: key(LIVE_KEY) },
    'variable',
    'live',
    'given',
  ],
];

const refused: [what: string, given: Case, code: string, message: RegExp][] = [
  ['a flag with an unknown name', { flag: 'gone', fallback: 'main' }, 'NO_PROFILE', /^unknown profile "gone"$/],
  ['an empty flag', { flag: '' }, 'NO_PROFILE', /unknown profile ""/],
  ['a flag with a path', { flag: '../main' }, 'NO_PROFILE', /unknown profile "..\/main"/],
  ['a flag with the reserved name', { flag: 'environment' }, 'NO_PROFILE', /"environment"$/],
  [
    'a flag with the reserved name and both variables',
    { flag: 'environment', env: both(LIVE_URL, LIVE_KEY) },
    'NO_PROFILE',
    /"environment"/,
  ],
  ['the reserved name in a variable', { env: named('environment') }, 'NO_PROFILE', /"environment"/],
  [
    'the reserved name in a pin',
    { pin: pinned('environment') },
    'NO_PROFILE',
    /"environment", chosen by .*\.fiatrail\.json$/,
  ],
  [
    'the reserved name as the default',
    { fallback: 'environment' },
    'NO_PROFILE',
    /"environment", chosen by profiles use$/,
  ],
  ['a variable with an unknown name', { env: named('gone'), fallback: 'main' }, 'NO_PROFILE', /"gone"$/],
  [
    'a pin to an unknown profile',
    { pin: pinned('gone'), fallback: 'main' },
    'NO_PROFILE',
    /"gone", chosen by .*\.fiatrail\.json$/,
  ],
  ['a pin to an empty name', { pin: pinned('') }, 'NO_PROFILE', /"", chosen by/],
  ['a default that was removed', { fallback: 'gone' }, 'NO_PROFILE', /"gone", chosen by profiles use$/],
  ['a pin with invalid JSON', { pin: 'main' }, 'PIN_BROKEN', /\.fiatrail\.json does not contain just a profile name/],
  ['a pin that is null', { pin: 'null' }, 'PIN_BROKEN', /does not contain just/],
  ['a pin that is a list', { pin: '["main"]' }, 'PIN_BROKEN', /does not contain just/],
  ['a pin with a number', { pin: '{"profile":5}' }, 'PIN_BROKEN', /does not contain just/],
  [
    'a pin with an address',
    { pin: `{"profile":"main","baseUrl":"${OTHER_URL}"}` },
    'PIN_BROKEN',
    /does not contain just/,
  ],
  ['an empty pin', { pin: '' }, 'PIN_BROKEN', /does not contain just/],
  ['a pin that is too large', { pin: pinned('x'.repeat(5000)) }, 'PIN_BROKEN', /does not contain just/],
  [
    'another address',
    { env: url(OTHER_URL), fallback: 'main' },
    'TWO_ACCOUNTS',
    /differs from the address of profile main/,
  ],
  [
    'another address for a variable',
    { env: { ...both(OTHER_URL, LIVE_KEY), ...named('main') } },
    'TWO_ACCOUNTS',
    /differs from the address/,
  ],
  ['an unsafe address', { env: url('http://live.test/v1'), fallback: 'main' }, 'INVALID_BASE_URL', /not https/],
  [
    'a sandbox key on a live profile',
    { env: key(BOX_KEY), fallback: 'main' },
    'KEY_OF_OTHER_MODE',
    /main is live, but FIATRAIL_API_KEY is a sandbox key/,
  ],
  [
    'a live key on a sandbox profile',
    { env: key(LIVE_KEY), pin: pinned('box') },
    'KEY_OF_OTHER_MODE',
    /box is a sandbox, but FIATRAIL_API_KEY is a live key/,
  ],
  [
    'a live key for the address of a sandbox',
    { env: both(BOX_URL, LIVE_KEY) },
    'KEY_OF_OTHER_MODE',
    /box is a sandbox, but FIATRAIL_API_KEY/,
  ],
  [
    'a sandbox key for a live address',
    { env: both(`${LIVE_URL}/`, BOX_KEY) },
    'KEY_OF_OTHER_MODE',
    /is live, but FIATRAIL_API_KEY/,
  ],
  [
    'a key for an embedded sandbox',
    { env: { ...key(BOX_KEY), ...named('inside') } },
    'TWO_ACCOUNTS',
    /an embedded sandbox \(inside\)/,
  ],
  [
    'a key without a URL and an embedded default',
    { env: key(BOX_KEY), fallback: 'inside' },
    'USAGE',
    /FIATRAIL_API_KEY is set but FIATRAIL_BASE_URL is not/,
  ],
  ['a broken profile', { flag: 'broken' }, 'CONFIG_BROKEN', /broken\.json is not valid JSON; it was not changed/],
  ['an address that was edited to http', { flag: 'unsafe' }, 'INVALID_BASE_URL', /not https/],
  [
    'an address that was edited to other text',
    { fallback: 'odd' },
    'INVALID_BASE_URL',
    /contains a space, a line break/,
  ],
];

describe('resolveProfile', () => {
  test.each(resolved)('resolves %s', async (_what, given, name, mode, from) => {
    const profile = resolveProfile(given.flag, worldOf(given));
    const used = await profile.key?.load();
    const text = used?.reveal();
    const origin = text === undefined ? 'none' : text.endsWith('-kept') ? 'kept' : 'given';
    expect({ name: profile.name, mode: profile.mode, origin }).toEqual({ name, mode, origin: from });
  });

  test.each(refused)('rejects %s', async (_what, given, code, message) => {
    const error = await refusal(async () => resolveProfile(given.flag, worldOf(given)));
    expect({ code: error.code, message: error.message }).toEqual({ code, message: expect.stringMatching(message) });
  });

  test('uses the nearest pin', () => {
    const world = worldOf({ pin: pinned('main') });
    writeFileSync(join(world.cwd, '.fiatrail.json'), pinned('box'));
    expect(resolveProfile(undefined, world).name).toBe('box');
  });

  test.each([
    ['a pin elsewhere', (target: string) => target],
    ['nothing', () => '/nowhere/at/all'],
    ['itself', (_target: string, path: string) => path],
  ])('rejects a symbolic link to %s', async (_what, to) => {
    const world = worldOf({ fallback: 'main' });
    const [target, path] = [join(world.homeDir, 'target'), join(world.cwd, '.fiatrail.json')];
    writeFileSync(target, pinned('box'));
    symlinkSync(to(target, path), path);
    const error = await refusal(async () => resolveProfile(undefined, world));
    expect({ code: error.code, message: error.message }).toEqual({
      code: 'SYMLINK',
      message: expect.stringContaining(path),
    });
  });

  test('a broken profile does not affect other profiles', () => {
    const world = worldOf({ env: both(OTHER_URL, LIVE_KEY) });
    rmSync(join(world.homeDir, 'config', 'profiles', 'main.json'));
    expect(resolveProfile(undefined, world).name).toBe('environment');
    expect(resolveProfile('box', world).name).toBe('box');
  });

  test('rejects a stored key of the other mode when it is loaded', async () => {
    const world = worldOf({});
    writeFileSync(join(world.homeDir, 'config', 'secrets', 'main.api-key'), BOX_KEY);
    const error = await refusal(async () => resolveProfile('main', world).key?.load());
    expect(error.message).toBe('profile main is live, but the API key of profile main is a sandbox key');
  });
});
