import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { fingerprint } from '../../src/crypto/digest.ts';
import type { WorldOptions } from '../support/world.ts';
import { BOX, LIVE, newMachine, PLANTED, URL_ } from './profiles/support.ts';

interface Decision {
  readonly setting: string;
  readonly value: string | null;
  readonly decidedBy: string | null;
  readonly lost: readonly string[];
  readonly problem: string | null;
}

/** The settings, always in this order. */
const SETTINGS = ['profile', 'mode', 'base URL', 'API key', 'output', 'time zone', 'journal', 'configuration', 'state'];

/** Runs explain on a machine with a live profile `main` and a sandbox profile `box`. */
async function machine() {
  const made = newMachine();
  await made.add('main', `${LIVE}-kept`);
  await made.add('box', `${BOX}-kept`);
  const explained = async (options: WorldOptions = {}, argv: readonly string[] = []) => {
    const { code, stdout, stderr } = await made.run(['explain', ...argv, '-o', 'json'], options);
    const { decisions } = JSON.parse(stdout) as { decisions: readonly Decision[] };
    expect(decisions.map(({ setting }) => setting)).toEqual(SETTINGS);
    for (const each of decisions)
      expect(Object.keys(each)).toEqual(['setting', 'value', 'decidedBy', 'lost', 'problem']);
    const of = (setting: string) => decisions.find((each) => each.setting === setting);
    return { code, stderr, of };
  };
  return { ...made, explained };
}

const pin = (folder: string, text: string) => writeFileSync(join(folder, '.fiatrail.json'), text);

describe('explain', () => {
  test('shows the built-in defaults', async () => {
    const { explained } = await machine();
    const { code, stderr, of } = await explained();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(of('profile')).toMatchObject({ value: 'sandbox', decidedBy: 'built in', lost: [] });
    expect(of('mode')).toMatchObject({ value: 'embedded', decidedBy: 'built in' });
    expect(of('API key')).toMatchObject({ value: null, decidedBy: 'stored by the sandbox', problem: null });
  });

  test('shows the source of each setting and what it overrides, with keys as fingerprints', async () => {
    const { run, explained, folder, at } = await machine();
    await run(['profiles', 'use', 'box']);
    pin(folder, '{"profile":"main"}');
    await run(['profiles', 'trust', '--here', '--yes']);
    const env = {
      FIATRAIL_PROFILE: 'box',
      FIATRAIL_BASE_URL: `https://me:${PLANTED}@other.test/v1`,
      FIATRAIL_API_KEY: LIVE,
      FIATRAIL_OUTPUT: 'yaml',
    };
    const { code, of } = await explained({ env }, ['--profile', 'main']);
    expect({ code, profile: of('profile') }).toEqual({
      code: 0,
      profile: {
        setting: 'profile',
        value: 'main',
        decidedBy: 'flag: --profile',
        lost: [
          'box (environment: FIATRAIL_PROFILE)',
          'environment (environment: FIATRAIL_BASE_URL)',
          `main (folder: ${join(folder, '.fiatrail.json')})`,
          'box (default: profiles use)',
          'sandbox (built in)',
        ],
        problem: null,
      },
    });
    const file = `profile: ${at('profiles', 'main.json')}`;
    expect(of('mode')).toMatchObject({ value: 'live', decidedBy: file });
    expect(of('base URL')).toMatchObject({
      value: URL_,
      decidedBy: file,
      lost: ['other.test (environment: FIATRAIL_BASE_URL)'],
    });
    expect(of('API key')).toMatchObject({
      value: fingerprint(new Secret(`${LIVE}-kept`)),
      decidedBy: `${file}, store file`,
      lost: [`${fingerprint(new Secret(LIVE))} (environment: FIATRAIL_API_KEY)`],
    });
    expect(of('output')).toMatchObject({
      value: 'json',
      lost: ['yaml (environment: FIATRAIL_OUTPUT)', 'table (built in)'],
    });
  });

  test('shows that FIATRAIL_API_KEY overrides the key of a profile', async () => {
    const { explained, at } = await machine();
    const { of } = await explained({ env: { FIATRAIL_PROFILE: 'main', FIATRAIL_API_KEY: LIVE } });
    expect(of('API key')).toMatchObject({
      value: fingerprint(new Secret(LIVE)),
      decidedBy: 'environment: FIATRAIL_API_KEY',
      lost: [`profile: ${at('profiles', 'main.json')}, store file`],
    });
  });

  test('shows the account set by environment variables', async () => {
    const { explained } = await machine();
    const { of } = await explained({ env: { FIATRAIL_BASE_URL: 'https://other.test/v1/', FIATRAIL_API_KEY: BOX } });
    expect(of('profile')).toMatchObject({ value: 'environment', decidedBy: 'environment: FIATRAIL_BASE_URL' });
    expect(of('mode')).toMatchObject({ value: 'sandbox', decidedBy: 'environment: FIATRAIL_API_KEY' });
    expect(of('base URL')).toMatchObject({ value: 'https://other.test/v1', lost: [] });
    expect(of('API key')).toMatchObject({ value: fingerprint(new Secret(BOX)), lost: [] });
  });

  test('shows the sources of the output format and the folders', async () => {
    const { run, explained, config } = await machine();
    await run(['profiles', 'add', 'box', '--default-output', 'json']);
    const { stdout } = await run(['explain', '--profile', 'box']);
    const decisions = JSON.parse(stdout).decisions as readonly Decision[];
    expect(decisions.find(({ setting }) => setting === 'output')).toMatchObject({
      value: 'json',
      decidedBy: 'profile: box',
      lost: ['table (built in)'],
    });
    const { of } = await explained();
    expect(of('configuration')).toMatchObject({ value: config, decidedBy: 'environment: FIATRAIL_CONFIG_DIR' });
    expect(of('state')).toMatchObject({ decidedBy: 'environment: FIATRAIL_STATE_DIR' });
  });
});

/** The broken part, its error, and the profile and mode that are still shown. */
type Broken = [
  what: string,
  given: {
    flag?: string;
    env?: Record<string, string>;
    pin?: string;
    settings?: string;
    files?: Record<string, string>;
  },
  message: RegExp,
  name: string | null,
  mode: string | null,
];

const broken: Broken[] = [
  ['a flag with an unknown profile', { flag: 'gone' }, /unknown profile "gone"/, 'gone', null],
  ['a variable with an unknown profile', { env: { FIATRAIL_PROFILE: 'gone' } }, /"gone"/, 'gone', null],
  ['a broken pin', { pin: '{' }, /does not contain just a profile name/, null, null],
  ['a pin to an unknown profile', { pin: '{"profile":"gone"}' }, /"gone", chosen by/, 'gone', null],
  ['broken settings', { settings: '{' }, /settings\.json is not valid JSON/, null, null],
  ['settings of a newer program', { settings: '{"version":9}' }, /newer version of fiatrail/, null, null],
  [
    'a broken profile',
    { flag: 'main', files: { 'profiles/main.json': '{' } },
    /main\.json is not valid JSON/,
    'main',
    null,
  ],
  [
    'another address',
    { env: { FIATRAIL_PROFILE: 'main', FIATRAIL_BASE_URL: 'https://x.test/v1' } },
    /differs from the address/,
    'main',
    'live',
  ],
  [
    'a key of the other mode',
    { env: { FIATRAIL_PROFILE: 'box', FIATRAIL_API_KEY: LIVE } },
    /FIATRAIL_API_KEY is a live key/,
    'box',
    'sandbox',
  ],
  ['half an account', { env: { FIATRAIL_API_KEY: LIVE } }, /FIATRAIL_BASE_URL is not/, 'sandbox', 'embedded'],
  [
    'an address with a password',
    { env: { FIATRAIL_BASE_URL: `http://me:${PLANTED}@host.test/v1`, FIATRAIL_API_KEY: LIVE } },
    /user name or password/,
    'environment',
    null,
  ],
  [
    'a key in the place of the address',
    { env: { FIATRAIL_BASE_URL: LIVE, FIATRAIL_API_KEY: URL_ } },
    /not a valid URL/,
    'environment',
    null,
  ],
  [
    'a kept key of the other mode',
    { flag: 'main', files: { 'secrets/main.api-key': BOX } },
    /is a sandbox key/,
    'main',
    'live',
  ],
  [
    'an empty secret',
    { flag: 'main', files: { 'secrets/main.api-key': '' } },
    /has no API key in its store/,
    'main',
    'live',
  ],
];

describe('explain with something broken', () => {
  test.each(broken)('exits with 2 with %s and prints what it can', async (_what, given, message, name, mode) => {
    const { explained, folder, write, at } = await machine();
    if (given.pin !== undefined) pin(folder, given.pin);
    if (given.settings !== undefined) write(at('settings.json'), given.settings);
    for (const [path, text] of Object.entries(given.files ?? {})) write(at(path), text);
    const argv = given.flag === undefined ? [] : ['--profile', given.flag];
    const { code, stderr, of } = await explained(given.env ? { env: given.env } : {}, argv);
    expect({ code, message: JSON.parse(stderr).error.message }).toEqual({
      code: 2,
      message: expect.stringMatching(message),
    });
    expect({ profileValue: of('profile')?.value, modeValue: of('mode')?.value }).toEqual({
      profileValue: name,
      modeValue: mode,
    });
    const problems = [of('profile')?.problem, of('API key')?.problem].filter((each) => each !== null);
    expect(problems).toEqual([expect.stringMatching(message)]);
  });

  test('shows what a broken pin overrides', async () => {
    const { run, explained, folder } = await machine();
    await run(['profiles', 'use', 'box']);
    pin(folder, '{');
    expect((await explained()).of('profile')?.lost).toEqual(['box (default: profiles use)', 'sandbox (built in)']);
  });

  test('succeeds when the broken setting is overridden', async () => {
    const { explained, folder } = await machine();
    pin(folder, '{');
    const { code, of } = await explained({}, ['--profile', 'main']);
    expect({ code, profile: of('profile') }).toMatchObject({
      code: 0,
      profile: {
        value: 'main',
        problem: null,
        lost: [expect.stringContaining('does not contain just a profile name'), 'sandbox (built in)'],
      },
    });
  });

  test('shows a folder that is a symbolic link', async () => {
    const { explained, folder, config } = await machine();
    const link = join(folder, 'link');
    symlinkSync(config, link);
    chmodSync(config, 0o700);
    const { code, stderr } = await explained({ env: { FIATRAIL_CONFIG_DIR: link } });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('symbolic link') });
  });
});

test('any other command exits with 2 for an unknown profile', async () => {
  const { run } = await machine();
  const { code, stdout } = await run(['endpoints', '--profile', 'gone']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});
