import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { removeProfile, writeProfile } from '../../src/account/changes.ts';
import {
  BUILT_IN,
  profileNames,
  readDefaultName,
  readProfile,
  type StoredProfile,
  writeSettings,
} from '../../src/account/stored-profile.ts';
import { replaceFile } from '../../src/files/private-file.ts';
import { type FileKind, readVersioned, writeVersioned } from '../../src/files/versioned-file.ts';
import { refusal } from '../account/support.ts';
import { temporaryFolder } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const MAIN: StoredProfile = { name: 'main', mode: 'live', baseUrl: 'https://h.test/v1', store: { kind: 'file' } };
const JSON_OF_MAIN = JSON.stringify({ version: 1, ...MAIN });

/** A configuration whose profile main has the given text. */
function configWith(text: string) {
  const world = fakeWorld();
  const path = join(world.homeDir, 'config', 'profiles', 'main.json');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
  return { world, path, config: join(world.homeDir, 'config') };
}

describe('a profile file', () => {
  test('is private JSON with a version, and reads back unchanged', async () => {
    const world = fakeWorld();
    await writeProfile(world, MAIN);
    const config = join(world.homeDir, 'config');
    const path = join(config, 'profiles', 'main.json');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ version: 1, ...MAIN });
    expect([config, dirname(path), path].map(modeOf)).toEqual(['700', '700', '600']);
    expect({ readProfile: readProfile(world, 'main'), names: readdirSync(dirname(path)) }).toEqual({
      readProfile: MAIN,
      names: ['main.json'],
    });
  });

  test.each([
    ['read', async (world: ReturnType<typeof fakeWorld>) => void readProfile(world, 'main')],
    ['write', (world: ReturnType<typeof fakeWorld>) => writeProfile(world, MAIN)],
  ])('that others can read is restricted by a %s', async (_what, act) => {
    const { world, path } = configWith(JSON_OF_MAIN);
    chmodSync(path, 0o644);
    chmodSync(dirname(path), 0o755);
    await act(world);
    expect([path, dirname(path)].map(modeOf)).toEqual(['600', '700']);
  });
});

const broken: [what: string, text: string, code: string, message: RegExp][] = [
  ['incomplete JSON', '{"version": 1,', 'CONFIG_BROKEN', /is not valid JSON/],
  ['no content', '', 'CONFIG_BROKEN', /is not valid JSON/],
  ['a list', '[]', 'CONFIG_BROKEN', /is not a JSON object/],
  ['null', 'null', 'CONFIG_BROKEN', /is not a JSON object/],
  ['no version', '{}', 'CONFIG_BROKEN', /has no valid version/],
  ['a string as version', '{"version":"1"}', 'CONFIG_BROKEN', /has no valid version/],
  ['version 0', '{"version":0}', 'CONFIG_BROKEN', /has no valid version/],
  ['a newer version', '{"version":5,"all":"new"}', 'CONFIG_NEWER', /was written by a newer version of fiatrail/],
  ['no name', JSON.stringify({ ...MAIN, version: 1, name: undefined }), 'CONFIG_BROKEN', /invalid field: name/],
  [
    'the name of another profile',
    JSON.stringify({ ...MAIN, version: 1, name: 'other' }),
    'CONFIG_BROKEN',
    /invalid field: name/,
  ],
  ['an unknown mode', JSON.stringify({ ...MAIN, version: 1, mode: 'test' }), 'CONFIG_BROKEN', /invalid field: mode/],
  [
    'no base URL',
    JSON.stringify({ ...MAIN, version: 1, baseUrl: undefined }),
    'CONFIG_BROKEN',
    /invalid field: baseUrl/,
  ],
  [
    'a base URL for an embedded sandbox',
    JSON.stringify({ ...MAIN, version: 1, mode: 'embedded' }),
    'CONFIG_BROKEN',
    /invalid field: baseUrl/,
  ],
  [
    'an unknown store',
    JSON.stringify({ ...MAIN, version: 1, store: { kind: 'x' } }),
    'CONFIG_BROKEN',
    /invalid field: store/,
  ],
  ['an unknown field', JSON.stringify({ ...MAIN, version: 1, apiKey: 'x' }), 'CONFIG_BROKEN', /has an invalid field/],
];

describe('an invalid file', () => {
  test.each(broken)('with %s is rejected and not changed', async (_what, text, code, message) => {
    const { world, path } = configWith(text);
    const error = await refusal(async () => readProfile(world, 'main'));
    expect({ code: error.code, message: error.message }).toEqual({ code, message: expect.stringMatching(message) });
    expect({ hasPath: error.message.includes(path), text: readFileSync(path, 'utf8') }).toEqual({
      hasPath: true,
      text,
    });
    expect(readdirSync(dirname(path))).toEqual(['main.json']);
  });

  test('with another account under the name sandbox is rejected', async () => {
    const { world, path } = configWith(JSON_OF_MAIN);
    writeFileSync(join(dirname(path), 'sandbox.json'), JSON.stringify({ version: 1, ...MAIN, name: BUILT_IN }));
    expect((await refusal(async () => readProfile(world, BUILT_IN))).message).toContain('invalid field: mode');
  });

  test.each([
    ['broken', '{"version":1,"defaultProfile":5}', 'CONFIG_BROKEN'],
    ['newer', '{"version":9,"defaultProfile":"main"}', 'CONFIG_NEWER'],
  ])('with %s settings is neither read nor overwritten', async (_what, text, code) => {
    const { world, config } = configWith(JSON_OF_MAIN);
    const path = join(config, 'settings.json');
    writeFileSync(path, text);
    for (const act of [async () => readDefaultName(world), () => writeSettings(world, { defaultProfile: 'main' })])
      expect((await refusal(act)).code).toBe(code);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

describe('a symbolic link', () => {
  test.each(['profiles/main.json', 'settings.json', 'profiles'])('at %s is rejected', async (name) => {
    const world = fakeWorld();
    const config = join(world.homeDir, 'config');
    const isFolder = name === 'profiles';
    mkdirSync(isFolder ? config : join(config, 'profiles'), { recursive: true });
    const target = isFolder ? temporaryFolder(onTestFinished) : join(temporaryFolder(onTestFinished), 'victim.json');
    const victim = isFolder ? join(target, 'main.json') : target;
    const text = name === 'settings.json' ? '{"version":1,"defaultProfile":"main"}' : JSON_OF_MAIN;
    writeFileSync(victim, text, { mode: 0o644 });
    chmodSync(victim, 0o644);
    symlinkSync(target, join(config, name));
    const acts: (() => Promise<unknown>)[] =
      name === 'settings.json'
        ? [async () => readDefaultName(world), () => writeSettings(world, { defaultProfile: 'other' })]
        : [async () => readProfile(world, 'main'), () => writeProfile(world, { ...MAIN, serviceName: 'x' })];
    if (isFolder)
      acts.push(
        async () => profileNames(world),
        async () => removeProfile(world, 'main'),
      );
    for (const act of acts) expect((await refusal(act)).code).toBe('SYMLINK');
    expect({ text: readFileSync(victim, 'utf8'), mode: modeOf(victim) }).toEqual({ text, mode: '644' });
  });
});

/** A kind of file whose version 3 has a `full` name. */
const KIND: FileKind<{ full: string }> = {
  what: 'test',
  madeBy: 'nobody',
  migrations: [
    ({ first, last, ...rest }) => ({ ...rest, names: [first, last] }),
    ({ names, ...rest }) => ({ ...rest, full: (names as string[]).join(' ') }),
  ],
  check: ({ full }) =>
    typeof full === 'string' && !full.includes('undefined') ? { value: { full } } : { wrong: 'full' },
};

describe('a file of an older version', () => {
  const fileWith = (text: string) => {
    const path = join(temporaryFolder(onTestFinished), 'folder', 'file.json');
    mkdirSync(dirname(path), { mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
    return { path, read: () => readVersioned(path, KIND), names: () => readdirSync(dirname(path)).toSorted() };
  };

  const OLDER: [version: number, text: string][] = [
    [1, '{"version":1,"first":"Ada","last":"Obi"}'],
    [2, '{"version":2,"names":["Ada","Obi"]}'],
  ];

  test.each(OLDER)('%i is migrated when read, without a write', (_version, text) => {
    const { path, read, names } = fileWith(text);
    expect(read()).toEqual({ full: 'Ada Obi' });
    expect({ text: readFileSync(path, 'utf8'), names: names() }).toEqual({ text, names: ['file.json'] });
  });

  test.each(OLDER)('%i is replaced by a write, with a private copy beside it', async (version, text) => {
    const { path, read, names } = fileWith(text);
    let count = 0;
    await writeVersioned(path, KIND, { full: 'Bola Ade' }, () => `unique-${count++}`);
    expect(read()).toEqual({ full: 'Bola Ade' });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ version: 3, full: 'Bola Ade' });
    const copy = `${path}.v${version}`;
    expect({ text: readFileSync(copy, 'utf8'), copyMode: modeOf(copy), pathMode: modeOf(path) }).toEqual({
      text,
      copyMode: '600',
      pathMode: '600',
    });
    expect(names()).toEqual(['file.json', `file.json.v${version}`]);
  });

  test('that is invalid after migration is not changed', async () => {
    const text = '{"version":2,"names":["undefined"]}';
    const { path, read, names } = fileWith(text);
    expect((await refusal(async () => read())).message).toContain('invalid field: full');
    expect({ text: readFileSync(path, 'utf8'), names: names() }).toEqual({ text, names: ['file.json'] });
  });

  test('that is broken is replaced without a copy', async () => {
    const { path, read, names } = fileWith('{"version":');
    await writeVersioned(path, KIND, { full: 'Bola Ade' }, () => 'unique');
    expect({ read: read(), names: names(), mode: modeOf(path) }).toEqual({
      read: { full: 'Bola Ade' },
      names: ['file.json'],
      mode: '600',
    });
  });
});

describe('replaceFile', () => {
  const fileWith = (text: string) => {
    const path = join(temporaryFolder(onTestFinished), 'file.json');
    writeFileSync(path, text);
    return path;
  };

  test.each([
    ['is cut short', (path: string) => writeFileSync(path, 'ne'), 'ENOSPC'],
    ['leaves nothing', () => {}, 'ENOENT'],
    [
      'fails midway',
      (path: string) => {
        writeFileSync(path, 'ne');
        throw Object.assign(new Error('no'), { code: 'EIO' });
      },
      'EIO',
    ],
  ])('keeps the old file when the write %s', (_, write, code) => {
    const path = fileWith('old');
    expect(() => replaceFile(path, 'new', 'unique', write)).toThrow(expect.objectContaining({ code }));
    expect({ text: readFileSync(path, 'utf8'), names: readdirSync(dirname(path)) }).toEqual({
      text: 'old',
      names: ['file.json'],
    });
  });
});
