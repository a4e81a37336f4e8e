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

/** Profiles as they stand in their files, each with a key of its own. */
const PROFILES: Readonly<Record<string, object>> = {
  main: { mode: 'live', baseUrl: LIVE_URL, store: { kind: 'file' } },
  box: { mode: 'sandbox', baseUrl: BOX_URL, store: { kind: 'file' } },
  inside: { mode: 'embedded', store: { kind: 'file' } },
  unsafe: { mode: 'live', baseUrl: 'http://live.test/v1', store: { kind: 'file' } },
  odd: { mode: 'live', baseUrl: 'no address', store: { kind: 'file' } },
  variable: { mode: 'live', baseUrl: LIVE_URL, store: { kind: 'environment' } },
  // Made by hand: no command makes such files.
  environment: { mode: 'live', baseUrl: LIVE_URL, store: { kind: 'file' } },
};
const OWN_KEYS: Readonly<Record<string, string>> = { main: `${LIVE_KEY}-kept`, box: `${BOX_KEY}-kept` };

interface Case {
  readonly flag?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What `.fiatrail.json` holds, in a folder above the one that is worked in. */
  readonly pin?: string;
  readonly usual?: string;
}

/** A world with all profiles, a pin and a default. */
function worldOf({ env = {}, pin, usual }: Case) {
  const base = fakeWorld({ env });
  const config = join(base.homeDir, 'config');
  for (const folder of ['profiles', 'secrets']) mkdirSync(join(config, folder), { recursive: true });
  for (const [name, profile] of Object.entries(PROFILES))
    writeFileSync(join(config, 'profiles', `${name}.json`), JSON.stringify({ version: 1, name, ...profile }));
  writeFileSync(join(config, 'profiles', 'broken.json'), '{');
  for (const [name, key] of Object.entries(OWN_KEYS)) writeFileSync(join(config, 'secrets', `${name}.api-key`), key);
  if (usual !== undefined)
    writeFileSync(join(config, 'settings.json'), JSON.stringify({ version: 1, defaultProfile: usual }));
  const cwd = join(base.homeDir, 'work', 'below');
  mkdirSync(cwd, { recursive: true });
  if (pin !== undefined) writeFileSync(join(base.homeDir, 'work', '.fiatrail.json'), pin);
  return { ...base, cwd };
}

const pinned = (profile: string) => JSON.stringify({ profile });
const both = (url: string, key: string) => ({ FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: key });
const named = (name: string) => ({ FIATRAIL_PROFILE: name });
const key = (text: string) => ({ FIATRAIL_API_KEY: text });
const url = (text: string) => ({ FIATRAIL_BASE_URL: text });

/** Which account it is, and which key it has: that of its store, or the environment's. */
const decided: [what: string, given: Case, name: string, mode: string, key: 'kept' | 'given' | 'none'][] = [
  ['nothing', {}, 'sandbox', 'embedded', 'none'],
  ['a default', { usual: 'box' }, 'box', 'sandbox', 'kept'],
  ['a folder over a default', { pin: pinned('main'), usual: 'box' }, 'main', 'live', 'kept'],
  ['a variable over a folder', { env: named('box'), pin: pinned('main') }, 'box', 'sandbox', 'kept'],
  ['a variable over a broken pin', { env: named('box'), pin: '{' }, 'box', 'sandbox', 'kept'],
  ['a flag over a variable', { flag: 'main', env: named('box') }, 'main', 'live', 'kept'],
  ['a flag over a broken pin', { flag: 'main', pin: '[]' }, 'main', 'live', 'kept'],
  ['a flag over a pin to nobody', { flag: 'main', pin: pinned('gone') }, 'main', 'live', 'kept'],
  ['a flag over a URL and a key', { flag: 'main', env: both(OTHER_URL, BOX_KEY) }, 'main', 'live', 'kept'],
  ['a flag over a key of the other mode', { flag: 'main', env: key(BOX_KEY) }, 'main', 'live', 'kept'],
  ['a flag over another address', { flag: 'main', env: url(OTHER_URL) }, 'main', 'live', 'kept'],
  ['a flag for the built-in one', { flag: 'sandbox', usual: 'main' }, 'sandbox', 'embedded', 'none'],
  ['a pin to the built-in one', { pin: pinned('sandbox'), usual: 'main' }, 'sandbox', 'embedded', 'none'],
  ['a URL and a key', { env: both(OTHER_URL, LIVE_KEY) }, 'environment', 'live', 'given'],
  ['them over a folder', { env: both(OTHER_URL, BOX_KEY), pin: pinned('main') }, 'environment', 'sandbox', 'given'],
  ['them over a broken pin', { env: both(OTHER_URL, LIVE_KEY), pin: '{' }, 'environment', 'live', 'given'],
  ['them over a default', { env: both(LIVE_URL, LIVE_KEY), usual: 'box' }, 'environment', 'live', 'given'],
  ['a variable over them', { env: { ...both(LIVE_URL, LIVE_KEY), ...named('main') } }, 'main', 'live', 'given'],
  ['a key for a variable', { env: { ...key(LIVE_KEY), ...named('main') } }, 'main', 'live', 'given'],
  ['a key for a folder', { env: key(LIVE_KEY), pin: pinned('main') }, 'main', 'live', 'given'],
  ['a key for a default', { env: key(BOX_KEY), usual: 'box' }, 'box', 'sandbox', 'given'],
  ['the same address for a default', { env: url(`${BOX_URL}/`), usual: 'box' }, 'box', 'sandbox', 'kept'],
  [
    'the same address, written otherwise',
    { env: url('https://BOX.test:443/v1'), usual: 'box' },
    'box',
    'sandbox',
    'kept',
  ],
  ['a profile whose key is the variable', { env: key(LIVE_KEY), usual: 'variable' }, 'variable', 'live', 'given'],
  ['a flag for such a profile', { flag: 'variable', env: key(LIVE_KEY) }, 'variable', 'live', 'given'],
];

const refused: [what: string, given: Case, code: string, message: RegExp][] = [
  ['a flag that names nobody', { flag: 'gone', usual: 'main' }, 'NO_PROFILE', /^there is no profile "gone"$/],
  ['an empty flag', { flag: '' }, 'NO_PROFILE', /no profile ""/],
  ['a flag that names a path', { flag: '../main' }, 'NO_PROFILE', /no profile "..\/main"/],
  ['a flag that names the account of the variables', { flag: 'environment' }, 'NO_PROFILE', /"environment"$/],
  [
    'that name with both variables',
    { flag: 'environment', env: both(LIVE_URL, LIVE_KEY) },
    'NO_PROFILE',
    /"environment"/,
  ],
  ['that name in a variable', { env: named('environment') }, 'NO_PROFILE', /"environment"/],
  ['that name in a pin', { pin: pinned('environment') }, 'NO_PROFILE', /"environment", which .*\.fiatrail\.json names/],
  ['that name as the default', { usual: 'environment' }, 'NO_PROFILE', /"environment", which profiles use names/],
  ['a variable that names nobody', { env: named('gone'), usual: 'main' }, 'NO_PROFILE', /"gone"$/],
  ['a pin to nobody', { pin: pinned('gone'), usual: 'main' }, 'NO_PROFILE', /"gone", which .*\.fiatrail\.json names$/],
  ['a pin to an empty name', { pin: pinned('') }, 'NO_PROFILE', /"", which/],
  ['a default that was removed', { usual: 'gone' }, 'NO_PROFILE', /"gone", which profiles use names$/],
  ['a pin that is no JSON', { pin: 'main' }, 'PIN_BROKEN', /\.fiatrail\.json holds something else/],
  ['a pin that is null', { pin: 'null' }, 'PIN_BROKEN', /holds something else/],
  ['a pin that is a list', { pin: '["main"]' }, 'PIN_BROKEN', /holds something else/],
  ['a pin with a number', { pin: '{"profile":5}' }, 'PIN_BROKEN', /holds something else/],
  ['a pin with an address', { pin: `{"profile":"main","baseUrl":"${OTHER_URL}"}` }, 'PIN_BROKEN', /something else/],
  ['an empty pin', { pin: '' }, 'PIN_BROKEN', /holds something else/],
  ['a pin that is far too large', { pin: pinned('x'.repeat(5000)) }, 'PIN_BROKEN', /holds something else/],
  [
    'another address',
    { env: url(OTHER_URL), usual: 'main' },
    'TWO_ACCOUNTS',
    /another address than that of the profile main/,
  ],
  [
    'another address for a variable',
    { env: { ...both(OTHER_URL, LIVE_KEY), ...named('main') } },
    'TWO_ACCOUNTS',
    /another address/,
  ],
  ['an unsafe address', { env: url('http://live.test/v1'), usual: 'main' }, 'INVALID_BASE_URL', /not https/],
  [
    'a sandbox key on a live profile',
    { env: key(BOX_KEY), usual: 'main' },
    'KEY_OF_OTHER_MODE',
    /main is live, and FIATRAIL_API_KEY is a sandbox key/,
  ],
  [
    'a live key on a sandbox profile',
    { env: key(LIVE_KEY), pin: pinned('box') },
    'KEY_OF_OTHER_MODE',
    /box is a sandbox, and FIATRAIL_API_KEY is a live key/,
  ],
  [
    'a live key for the address of a sandbox',
    { env: both(BOX_URL, LIVE_KEY) },
    'KEY_OF_OTHER_MODE',
    /box is a sandbox, and FIATRAIL_API_KEY/,
  ],
  [
    'a sandbox key for a live address',
    { env: both(`${LIVE_URL}/`, BOX_KEY) },
    'KEY_OF_OTHER_MODE',
    /is live, and FIATRAIL_API_KEY/,
  ],
  [
    'a key for an embedded sandbox',
    { env: { ...key(BOX_KEY), ...named('inside') } },
    'TWO_ACCOUNTS',
    /an embedded sandbox \(inside\)/,
  ],
  [
    'half an account and a default inside',
    { env: key(BOX_KEY), usual: 'inside' },
    'USAGE',
    /FIATRAIL_API_KEY is set and FIATRAIL_BASE_URL is not/,
  ],
  ['a broken profile', { flag: 'broken' }, 'CONFIG_BROKEN', /broken\.json is no JSON; it was left as it is/],
  ['an address that was edited to an unsafe one', { flag: 'unsafe' }, 'INVALID_BASE_URL', /not https/],
  ['an address that was edited to none', { usual: 'odd' }, 'INVALID_BASE_URL', /has a blank, a line end/],
];

describe('who decides', () => {
  test.each(decided)('%s', async (_what, given, name, mode, from) => {
    const profile = resolveProfile(given.flag, worldOf(given));
    const used = await profile.key?.load();
    const text = used?.reveal();
    const whose = text === undefined ? 'none' : text.endsWith('-kept') ? 'kept' : 'given';
    expect({ name: profile.name, mode: profile.mode, whose }).toEqual({ name, mode, whose: from });
  });

  test.each(refused)('%s is refused', async (_what, given, code, message) => {
    const error = await refusal(async () => resolveProfile(given.flag, worldOf(given)));
    expect({ code: error.code, message: error.message }).toEqual({ code, message: expect.stringMatching(message) });
  });

  test('the nearest pin', () => {
    const world = worldOf({ pin: pinned('main') });
    writeFileSync(join(world.cwd, '.fiatrail.json'), pinned('box'));
    expect(resolveProfile(undefined, world).name).toBe('box');
  });

  test.each([
    ['a pin elsewhere', (target: string) => target],
    ['nothing', () => '/nowhere/at/all'],
    ['itself', (_target: string, path: string) => path],
  ])('no link to %s', async (_what, to) => {
    const world = worldOf({ usual: 'main' });
    const [target, path] = [join(world.homeDir, 'target'), join(world.cwd, '.fiatrail.json')];
    writeFileSync(target, pinned('box'));
    symlinkSync(to(target, path), path);
    const error = await refusal(async () => resolveProfile(undefined, world));
    expect({ code: error.code, message: error.message }).toEqual({
      code: 'SYMLINK',
      message: expect.stringContaining(path),
    });
  });

  test('a broken profile stops nobody who uses another', () => {
    const world = worldOf({ env: both(OTHER_URL, LIVE_KEY) });
    rmSync(join(world.homeDir, 'config', 'profiles', 'main.json'));
    expect(resolveProfile(undefined, world).name).toBe('environment');
    expect(resolveProfile('box', world).name).toBe('box');
  });

  test('a key that was kept for the other mode is refused when it is used', async () => {
    const world = worldOf({});
    writeFileSync(join(world.homeDir, 'config', 'secrets', 'main.api-key'), BOX_KEY);
    const error = await refusal(async () => resolveProfile('main', world).key?.load());
    expect(error.message).toBe('the profile main is live, and the API key of the profile main is a sandbox key');
  });
});
