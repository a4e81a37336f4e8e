import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  BUILT_IN,
  profileNames,
  readDefaultName,
  readProfile,
  removeProfile,
  type StoredProfile,
  writeDefaultName,
  writeProfile,
} from '../../src/account/stored-profile.ts';
import { type FileKind, readVersioned, writeVersioned } from '../../src/files/versioned-file.ts';
import { refusal } from '../account/support.ts';
import { temporaryFolder } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const MAIN: StoredProfile = { name: 'main', mode: 'live', baseUrl: 'https://h.test/v1', store: { kind: 'file' } };
const JSON_OF_MAIN = JSON.stringify({ version: 1, ...MAIN });

/** A configuration with the profile main as `text`. */
function configWith(text: string) {
  const world = fakeWorld();
  const path = join(world.homeDir, 'config', 'profiles', 'main.json');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
  return { world, path, config: join(world.homeDir, 'config') };
}

describe('a profile in its file', () => {
  test('is JSON with a version, for its owner alone, and comes back as it was', async () => {
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
    ['change', (world: ReturnType<typeof fakeWorld>) => writeProfile(world, MAIN)],
  ])('whose mode lets others in is mended by a %s', async (_what, act) => {
    const { world, path } = configWith(JSON_OF_MAIN);
    chmodSync(path, 0o644);
    chmodSync(dirname(path), 0o755);
    await act(world);
    expect([path, dirname(path)].map(modeOf)).toEqual(['600', '700']);
  });
});

const broken: [what: string, text: string, code: string, message: RegExp][] = [
  ['no JSON', '{"version": 1,', 'CONFIG_BROKEN', /is no JSON/],
  ['nothing', '', 'CONFIG_BROKEN', /is no JSON/],
  ['a list', '[]', 'CONFIG_BROKEN', /holds no JSON object/],
  ['null', 'null', 'CONFIG_BROKEN', /holds no JSON object/],
  ['no version', '{}', 'CONFIG_BROKEN', /has no version/],
  ['a version that is a text', '{"version":"1"}', 'CONFIG_BROKEN', /has no version/],
  ['version 0', '{"version":0}', 'CONFIG_BROKEN', /has no version/],
  ['a newer version', '{"version":2,"all":"new"}', 'CONFIG_NEWER', /was made by a newer fiatrail/],
  ['no name', JSON.stringify({ ...MAIN, version: 1, name: undefined }), 'CONFIG_BROKEN', /damaged at name/],
  ['the name of another', JSON.stringify({ ...MAIN, version: 1, name: 'other' }), 'CONFIG_BROKEN', /damaged at name/],
  ['an unknown mode', JSON.stringify({ ...MAIN, version: 1, mode: 'test' }), 'CONFIG_BROKEN', /damaged at mode/],
  ['no address', JSON.stringify({ ...MAIN, version: 1, baseUrl: undefined }), 'CONFIG_BROKEN', /damaged at baseUrl/],
  ['an address inside', JSON.stringify({ ...MAIN, version: 1, mode: 'embedded' }), 'CONFIG_BROKEN', /at baseUrl/],
  ['an unknown store', JSON.stringify({ ...MAIN, version: 1, store: { kind: 'x' } }), 'CONFIG_BROKEN', /at store/],
  ['one field too many', JSON.stringify({ ...MAIN, version: 1, apiKey: 'x' }), 'CONFIG_BROKEN', /is damaged at/],
];

describe('a file that cannot be understood', () => {
  test.each(broken)('for it holds %s is refused and left as it is', async (_what, text, code, message) => {
    const { world, path } = configWith(text);
    const error = await refusal(async () => readProfile(world, 'main'));
    expect({ code: error.code, message: error.message }).toEqual({ code, message: expect.stringMatching(message) });
    expect({ hasPath: error.message.includes(path), text: readFileSync(path, 'utf8') }).toEqual({
      hasPath: true,
      text,
    });
    expect(readdirSync(dirname(path))).toEqual(['main.json']);
  });

  test('has another account under the name of the sandbox', async () => {
    const { world, path } = configWith(JSON_OF_MAIN);
    writeFileSync(join(dirname(path), 'sandbox.json'), JSON.stringify({ version: 1, ...MAIN, name: BUILT_IN }));
    expect((await refusal(async () => readProfile(world, BUILT_IN))).message).toContain('damaged at mode');
  });

  test.each([
    ['broken', '{"version":1,"defaultProfile":5}', 'CONFIG_BROKEN'],
    ['newer', '{"version":9,"defaultProfile":"main"}', 'CONFIG_NEWER'],
  ])('has %s settings: neither read nor written over', async (_what, text, code) => {
    const { world, config } = configWith(JSON_OF_MAIN);
    const path = join(config, 'settings.json');
    writeFileSync(path, text);
    for (const act of [async () => readDefaultName(world), () => writeDefaultName(world, 'main')])
      expect((await refusal(act)).code).toBe(code);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

describe('a link', () => {
  test.each(['profiles/main.json', 'settings.json', 'profiles'])('in the place of %s is refused', async (name) => {
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
        ? [async () => readDefaultName(world), () => writeDefaultName(world, 'other')]
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

/** A file whose third version has a `full` name. */
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
    let count = 0;
    return { path, read: () => readVersioned(path, KIND, () => `unique-${count++}`) };
  };

  test.each([
    [1, '{"version":1,"first":"Ada","last":"Obi"}'],
    [2, '{"version":2,"names":["Ada","Obi"]}'],
  ])('%i is brought forward once, with a private copy beside it', (version, text) => {
    const { path, read } = fileWith(text);
    expect([read(), read()]).toEqual([{ full: 'Ada Obi' }, { full: 'Ada Obi' }]);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ version: 3, full: 'Ada Obi' });
    const copy = `${path}.v${version}`;
    expect({ text: readFileSync(copy, 'utf8'), copyMode: modeOf(copy), pathMode: modeOf(path) }).toEqual({
      text,
      copyMode: '600',
      pathMode: '600',
    });
    expect(readdirSync(dirname(path)).toSorted()).toEqual(['file.json', `file.json.v${version}`]);
  });

  test('that does not become a sound one is left as it is', async () => {
    const text = '{"version":2,"names":["undefined"]}';
    const { path, read } = fileWith(text);
    expect((await refusal(async () => read())).message).toContain('damaged at full');
    expect({ text: readFileSync(path, 'utf8'), exists: existsSync(`${path}.v2`) }).toEqual({ text, exists: false });
  });

  test('is written over as the newest', async () => {
    const { path, read } = fileWith('{"version":1,"first":"Ada","last":"Obi"}');
    await writeVersioned(path, KIND, { full: 'Bola Ade' }, () => 'unique');
    expect({ read: read(), exists: existsSync(`${path}.v1`) }).toEqual({ read: { full: 'Bola Ade' }, exists: false });
  });
});
