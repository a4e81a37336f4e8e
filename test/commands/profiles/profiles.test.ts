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
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CATALOGUE } from '../../../src/commands/catalogue.ts';
import { candidatesFor } from '../../../src/commands/completion/complete.ts';
import { fiatrail, newHome, ROOT, requireBuilt, startProgram, temporaryFolder } from '../../support/built.ts';
import { scripted, success } from '../../support/exchange.ts';
import { type Answer, fakeWorld } from '../../support/world.ts';
import { ADD_MAIN, BOX, LIVE, newMachine, PLANTED, URL_ } from './support.ts';

beforeAll(requireBuilt);

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const pinOf = (folder: string) => join(folder, '.fiatrail.json');

/** A machine with the profiles main (live), box (sandbox) and broken. */
async function machine() {
  const made = newMachine();
  await made.add('main', LIVE);
  await made.add('box', BOX);
  made.write(made.at('profiles', 'broken.json'), '{');
  return made;
}

describe('profiles list', () => {
  test('lists the built-in profile first and shows what is wrong with a broken one', async () => {
    const { json } = await machine();
    const { profiles } = await json(['profiles', 'list']);
    expect(profiles).toEqual([
      { name: 'sandbox', mode: 'embedded', baseUrl: null, store: null, isUsed: true, problem: null },
      { name: 'box', mode: 'sandbox', baseUrl: URL_, store: 'file', isUsed: false, problem: null },
      {
        name: 'broken',
        mode: null,
        baseUrl: null,
        store: null,
        isUsed: false,
        problem: expect.stringMatching(/broken\.json is not valid JSON/),
      },
      { name: 'main', mode: 'live', baseUrl: URL_, store: 'file', isUsed: false, problem: null },
    ]);
  });

  test('works with a broken folder pin', async () => {
    const { json, folder } = await machine();
    writeFileSync(pinOf(folder), '{');
    const { profiles } = await json(['profiles', 'list']);
    expect(profiles.map(({ isUsed }: { isUsed: boolean }) => isUsed)).toEqual([false, false, false, false]);
  });
});

describe('profiles show', () => {
  test('shows why a store cannot be read', async () => {
    const { json, at } = await machine();
    chmodSync(at('secrets'), 0o700);
    symlinkSync('/nowhere', at('secrets', 'odd.api-key'));
    const { key } = await json(['profiles', 'show', 'main']);
    expect(key).toMatchObject({ problem: null, fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) });
    writeFileSync(at('secrets', 'main.api-key'), 'two words');
    const { key: bad } = await json(['profiles', 'show', 'main']);
    expect(bad).toMatchObject({ fingerprint: null, problem: expect.stringContaining('has spaces or characters') });
  });

  test('shows the active profile, or exits with 2 and says why there is none', async () => {
    const { json, run, folder } = await machine();
    await run(['profiles', 'use', 'box']);
    expect((await json(['profiles', 'show'])).name).toBe('box');
    writeFileSync(pinOf(folder), '{');
    const { code, stderr } = await run(['profiles', 'show']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('does not contain just a profile name'),
    });
  });

  test('refers to explain for an account set by variables', async () => {
    const { run } = await machine();
    const env = { FIATRAIL_BASE_URL: 'https://other.test/v1', FIATRAIL_API_KEY: LIVE };
    const { code, stderr } = await run(['profiles', 'show'], { env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('fiatrail explain') });
  });
});

describe('profiles list', () => {
  test('warns when broken settings leave no profile active', async () => {
    const { run, at } = await machine();
    writeFileSync(at('settings.json'), '{');
    const { code, stderr } = await run(['profiles', 'list']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('warning: no profile can be used here; find out why with: fiatrail explain'),
    });
  });
});

describe('profiles use', () => {
  test('sets the default, or with --here a pin that contains only the name', async () => {
    const { json, run, folder, at } = await machine();
    await run(['profiles', 'use', 'box']);
    expect({
      printed: JSON.parse(readFileSync(at('settings.json'), 'utf8')),
      mode: modeOf(at('settings.json')),
    }).toEqual({ printed: { version: 1, defaultProfile: 'box' }, mode: '600' });
    expect(await json(['profiles', 'use', 'main', '--here'])).toEqual({ name: 'main', mode: 'live', isHere: true });
    expect(readFileSync(pinOf(folder), 'utf8')).toBe('{"profile":"main"}\n');
    const below = join(folder, 'a', 'b');
    mkdirSync(below, { recursive: true });
    expect((await json(['profiles', 'show'], { cwd: below })).name).toBe('main');
  });

  test('warns when another profile is still active', async () => {
    const { run, folder } = await machine();
    await run(['profiles', 'use', 'main', '--here']);
    const { code, stderr } = await run(['profiles', 'use', 'box']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('warning: profile main is still active here'),
    });
    writeFileSync(pinOf(folder), '{');
    expect((await run(['profiles', 'use', 'box'])).stderr).toContain(
      'warning: no profile can be used here; find out why',
    );
  });

  test.each(['gone', 'environment', 'broken'])('rejects %s, exits with 2 and stores nothing', async (name) => {
    const { run, at } = await machine();
    const ends = [await run(['profiles', 'use', name]), await run(['profiles', 'use', name, '--here'])];
    expect({ codes: ends.map(({ code }) => code), exists: existsSync(at('settings.json')) }).toEqual({
      codes: [2, 2],
      exists: false,
    });
  });

  test('does not follow a symbolic link in place of the pin', async () => {
    const { run, folder } = await machine();
    const target = join(temporaryFolder(onTestFinished), 'target');
    writeFileSync(target, 'mine');
    symlinkSync(target, pinOf(folder));
    const { code, stderr } = await run(['profiles', 'use', 'main', '--here']);
    expect({ code, stderr, text: readFileSync(target, 'utf8') }).toEqual({
      code: 2,
      stderr: expect.stringContaining('symbolic link'),
      text: 'mine',
    });
  });

  test('names the pin that could not be written', async () => {
    const { run } = await machine();
    const { code, stderr } = await run(['profiles', 'use', 'main', '--here'], { cwd: '/proc' });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('/proc/.fiatrail.json cannot be written'),
    });
  });
});

describe('profiles remove', () => {
  test('removes its secrets and its role as default', async () => {
    const { run, at, secrets, write } = await machine();
    await run(['profiles', 'use', 'main']);
    write(at('secrets', 'main.encryption-keys'), 'ab'.repeat(32));
    expect((await run(['profiles', 'remove', 'main', '--yes'])).code).toBe(0);
    expect({ secrets: secrets(), exists: existsSync(at('profiles', 'main.json')) }).toEqual({
      secrets: { 'box.api-key': BOX },
      exists: false,
    });
    expect(JSON.parse(readFileSync(at('settings.json'), 'utf8')).defaultProfile).toBeUndefined();
  });

  test('names the new default, even with --quiet', async () => {
    const { run } = await machine();
    await run(['profiles', 'use', 'main']);
    const { stderr } = await run(['profiles', 'remove', 'main', '--yes', '-q']);
    expect(stderr).toBe('warning: default: sandbox (embedded) becomes the default profile\n');
    expect((await run(['profiles', 'remove', 'box', '--yes', '-q'])).stderr).toBe('');
  });

  test('leaves another default unchanged', async () => {
    const { run, at } = await machine();
    await run(['profiles', 'use', 'box']);
    await run(['profiles', 'remove', 'main', '--yes']);
    expect(JSON.parse(readFileSync(at('settings.json'), 'utf8')).defaultProfile).toBe('box');
  });

  test('asks for confirmation, shows LIVE, and exits with 9 when declined', async () => {
    const { run, at } = await machine();
    const answers: Answer[] = [{ kind: 'confirm', asks: 'Remove profile main', says: false }];
    const { code, stderr } = await run(['profiles', 'remove', 'main'], { isTerminal: true, answers });
    expect({ code, exists: existsSync(at('profiles', 'main.json')) }).toEqual({ code: 9, exists: true });
    for (const part of ['main (LIVE)', 'its API key']) expect(stderr).toContain(part);
  });

  test('exits with 2 without --yes or a terminal', async () => {
    const { run, at } = await machine();
    expect({
      code: (await run(['profiles', 'remove', 'main'])).code,
      exists: existsSync(at('profiles', 'main.json')),
    }).toEqual({ code: 2, exists: true });
  });

  test.each([
    ['broken', '{'],
    ['newer', '{"version":9}'],
    ['copied', JSON.stringify({ version: 1, name: 'main', mode: 'live', baseUrl: URL_, store: { kind: 'file' } })],
  ])('removes a profile that is %s, and no other', async (name, text) => {
    const { run, at, write, secrets } = await machine();
    write(at('profiles', `${name}.json`), text);
    write(at('secrets', `${name}.api-key`), PLANTED);
    const { code } = await run(['profiles', 'remove', name, '--yes']);
    expect({ code, exists: existsSync(at('profiles', `${name}.json`)) }).toEqual({ code: 0, exists: false });
    expect(secrets()).toEqual({ 'main.api-key': LIVE, 'box.api-key': BOX });
    expect(existsSync(at('profiles', 'main.json'))).toBe(true);
  });

  test('removes a symbolic link, not its target', async () => {
    const { run, at } = await machine();
    const target = join(temporaryFolder(onTestFinished), 'target');
    writeFileSync(target, 'mine');
    symlinkSync(target, at('profiles', 'linked.json'));
    expect((await run(['profiles', 'remove', 'linked', '--yes'])).code).toBe(0);
    expect({
      text: readFileSync(target, 'utf8'),
      hasLinkedJson: readdirSync(at('profiles')).includes('linked.json'),
    }).toEqual({ text: 'mine', hasLinkedJson: false });
  });

  test.each(['sandbox', 'gone', 'environment'])('rejects %s and exits with 2', async (name) => {
    const { run } = await machine();
    expect((await run(['profiles', 'remove', name, '--yes'])).code).toBe(2);
  });

  test('keeps the profile when its secret cannot be removed', async () => {
    const { run, at, profile, write } = await machine();
    write(at('profiles', 'main.json'), JSON.stringify({ ...profile('main'), store: { kind: 'keyring' } }));
    const runProgram = async () => ({ kind: 'ended', code: 0, stdout: '{"kind":"locked"}' }) as const;
    const { code } = await run(['profiles', 'remove', 'main', '--yes'], { runProgram });
    expect({ code, exists: existsSync(at('profiles', 'main.json')) }).toEqual({ code: 2, exists: true });
  });
});

describe('profiles export and import', () => {
  test('rejects a folder in place of the file and exits with 2', async () => {
    const ran = await fiatrail(newHome(onTestFinished), ['profiles', 'import', '.']);
    expect({ ...ran, stderr: ran.stderr.replace(/^ {2}run: .*\n/m, '') }).toEqual({
      stdout: '',
      stderr: 'error: . is a folder\n  hint: pass the path of a file\n',
      code: 2,
    });
  });

  test('copy profiles to another machine without secrets', async () => {
    const { run, json, write, at, profile } = await machine();
    await run(['profiles', 'remove', 'broken', '--yes']);
    const encryption = { publicKey: 'ab'.repeat(32), platformKey: 'cd'.repeat(32), requests: true };
    const sealed = { ...profile('box'), serviceName: 'acme', encryptionPolicy: 'require', encryption };
    write(at('profiles', 'box.json'), JSON.stringify(sealed));
    const exported = JSON.stringify(await json(['profiles', 'export']));
    expect(exported).not.toContain('ab'.repeat(32));
    const other = newMachine();
    const { profiles } = await other.json(['profiles', 'import', '-'], { stdin: exported });
    expect(profiles.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['added', 'added']);
    expect({ main: other.profile('main'), box: other.profile('box'), secrets: other.secrets() }).toEqual({
      main: profile('main'),
      box: { ...profile('box'), encryption: { platformKey: 'cd'.repeat(32), requests: true } },
      secrets: {},
    });
    expect(await other.json(['profiles', 'export'])).toEqual(JSON.parse(exported));
    expect((await other.run(['balances', 'account', '--profile', 'main'])).stderr).toContain('has no API key');
  });

  test('take no key of another machine over, and no encryption for a sandbox in this process', async () => {
    const { json, profile } = newMachine();
    const sealed = {
      encryptionPolicy: 'require',
      encryption: { publicKey: 'ab'.repeat(32), platformKey: 'cd'.repeat(32), requests: true },
    };
    const box = { name: 'sandbox', mode: 'embedded', store: { kind: 'file' } };
    const main = { name: 'main', mode: 'live', baseUrl: URL_, store: { kind: 'file' } };
    const stdin = JSON.stringify({
      version: 1,
      profiles: [
        { ...box, ...sealed },
        { ...main, ...sealed },
      ],
    });
    await json(['profiles', 'import', '-'], { stdin });
    expect({ sandbox: profile('sandbox'), main: profile('main') }).toEqual({
      sandbox: { version: 1, ...box },
      main: {
        version: 1,
        ...main,
        encryptionPolicy: 'require',
        encryption: { platformKey: 'cd'.repeat(32), requests: true },
      },
    });
  });

  test('take no journal of another machine over, nor the password of its database', async () => {
    const url = 'postgres://ops@db.example.com/fiatrail';
    const here = await machine();
    await here.run(['profiles', 'remove', 'broken', '--yes']);
    const set = ['profiles', 'journal', 'set', 'main', '--url', url, '--password-stdin', '--yes'];
    await here.run(set, { stdin: PLANTED });
    expect(here.secrets()['main.journal-password']).toContain(PLANTED);
    const exported = await here.run(['profiles', 'export', 'main']);
    expect(JSON.parse(exported.stdout).profiles).toEqual([expect.objectContaining({ journalUrl: url })]);
    const other = newMachine();
    const { stderr } = await other.run(['profiles', 'import', '-'], { stdin: exported.stdout });
    expect(stderr).toContain('profile main has its journal on a server');
    expect(other.profile('main')).not.toHaveProperty('journalUrl');
    expect(other.secrets()).toEqual({});
  });

  test.each([
    ['that a state folder has a journal of its own', { independentJournal: true }],
    ['that it alone applies plans', { soleHost: true }],
    ['where the copy is', { copy: { url: 'postgres://ops@db.example.com/fiatrail', personalDays: 400 } }],
    ['where the inbox is', { inboxUrl: 'postgres://ops@db.example.com/fiatrail' }],
  ])('leave it to each machine %s', async (_what, decided) => {
    const { profile, at, write, json } = await machine();
    const [name = ''] = Object.keys(decided);
    const decidedHere = JSON.stringify({ ...profile('box'), ...decided });
    write(at('profiles', 'box.json'), decidedHere);
    const exported = await json(['profiles', 'export', 'box']);
    expect(exported.profiles[0]).not.toHaveProperty(name);
    const forged = { ...exported, profiles: [{ ...exported.profiles[0], ...decided }] };
    const other = newMachine();
    await other.json(['profiles', 'import', '-'], { stdin: JSON.stringify(forged) });
    expect(other.profile('box')).toMatchObject({ name: 'box' });
    expect(other.profile('box')).not.toHaveProperty(name);
  });

  test('leave an existing profile unchanged, even a broken one', async () => {
    const { run, json, at } = await machine();
    const main = (name: string) => ({ name, mode: 'live', baseUrl: 'https://other.test/v1', store: { kind: 'file' } });
    const stdin = JSON.stringify({ version: 1, profiles: [main('broken'), main('main'), main('new'), main('new')] });
    const { profiles } = await json(['profiles', 'import', '-'], { stdin });
    const [left, added] = ['already exists, unchanged', 'added'];
    expect(profiles.map(({ outcome }: { outcome: string }) => outcome)).toEqual([left, left, added, left]);
    expect(readFileSync(at('profiles', 'broken.json'), 'utf8')).toBe('{');
    expect((await run(['profiles', 'show', 'main'])).stdout).toContain(URL_);
  });

  const one = (change: object) => ({ name: 'x', mode: 'live', baseUrl: URL_, store: { kind: 'file' }, ...change });
  const file = (...profiles: unknown[]) => JSON.stringify({ version: 1, profiles });

  test.each([
    ['no JSON', '{', /is not an export of profiles/],
    ['nothing', '', /is not an export of profiles/],
    ['another document', '{"url":"x"}', /is not an export of profiles/],
    ['null', 'null', /is not an export of profiles/],
    ['a newer version', '{"version":5,"profiles":[]}', /made by another version/],
    ['no version', '{"profiles":[]}', /made by another version/],
    ['a profile that is none', file(null), /invalid at profiles\[0\]/],
    ['a secret', file(one({ apiKey: 'x' })), /invalid at profiles\[0\]/],
    ['an unsafe service name', file(one({ serviceName: '../../x' })), /invalid service name/],
    [
      'an unknown encryption policy',
      file(one({ encryptionPolicy: 'never' })),
      /invalid at profiles\[0\] \(encryptionPolicy\)/,
    ],
    ['an unsafe address', file(one({ baseUrl: 'http://host.test/v1' })), /not https/],
    ['a path for a name', file(one({}), one({ name: '../x' })), /invalid profile name/],
    ['the name of the variables’ account', file(one({ name: 'environment' })), /environment is reserved/],
    ['another account as the sandbox', file(one({ name: 'sandbox' })), /invalid at profiles\[0\] \(mode\)/],
  ])('exit with 2 for %s and add nothing', async (_what, stdin, message) => {
    const { run, files } = newMachine();
    const { code, stderr } = await run(['profiles', 'import', '-'], { stdin });
    expect({ code, stderr, files: files() }).toEqual({ code: 2, stderr: expect.stringMatching(message), files: [] });
  });

  test('exit with 2 for a broken profile and print nothing', async () => {
    const { run } = await machine();
    const { code, stdout, stderr } = await run(['profiles', 'export']);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('broken.json') });
  });
});

describe('a folder that cannot be written', () => {
  test('exits with 2 and creates nothing', async () => {
    const { run } = newMachine();
    const { code, stderr } = await run(ADD_MAIN, { stdin: LIVE, env: { FIATRAIL_CONFIG_DIR: '/proc/fiatrail' } });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^error: \/proc\/fiatrail.*cannot be written/),
    });
    expect(stderr).toContain('FIATRAIL_CONFIG_DIR');
  });

  test.each(['profiles', 'secrets', 'lock.db'])(
    'rejects %s of the wrong file type: 2, nothing stored',
    async (name) => {
      const { run, config, files, at } = newMachine();
      mkdirSync(config, { mode: 0o700 });
      if (name === 'lock.db') mkdirSync(at(name));
      else writeFileSync(at(name), 'mine');
      const before = files();
      const { code, stderr } = await run(ADD_MAIN, { stdin: LIVE });
      expect({ code, stderr, files: files() }).toEqual({
        code: 2,
        stderr: expect.stringContaining(at(name)),
        files: before,
      });
    },
  );

  test('does not follow a symbolic link in place of the lock', async () => {
    const { run, config, folder, at } = newMachine();
    mkdirSync(config, { mode: 0o700 });
    symlinkSync(join(folder, 'victim'), at('lock.db'));
    expect((await run(ADD_MAIN, { stdin: LIVE })).stderr).toContain('symbolic link');
    expect(existsSync(join(folder, 'victim'))).toBe(false);
  });

  test('removes the key again when the profile cannot be stored', async () => {
    const { run, add, secrets, at, config } = newMachine();
    await add('main', LIVE);
    mkdirSync(at('profiles', 'other.json'));
    const { code } = await run(ADD_MAIN.with(2, 'other'), { stdin: LIVE });
    expect({ code, secrets: secrets(), names: readdirSync(config).toSorted() }).toEqual({
      code: 2,
      secrets: { 'main.api-key': LIVE },
      names: ['lock.db', 'profiles', 'secrets'],
    });
  });

  test('reports a full disk and keeps what was stored', async () => {
    const home = newHome(onTestFinished);
    const at = (...names: string[]) => join(home.path, 'config', ...names);
    await fiatrail(home, ADD_MAIN, { stdin: LIVE });
    const before = readFileSync(at('profiles', 'main.json'), 'utf8');
    // A process that may write files of some hundred bytes only: the system takes the first ones and refuses the rest.
    const change = ['profiles', 'add', 'main', '--key-command', `x ${'y'.repeat(2_000)}`, '--quiet'];
    const limited = [
      '-c',
      'ulimit -f 1 && exec "$@"',
      'sh',
      process.execPath,
      join(ROOT, 'bin', 'fiatrail.js'),
      ...change,
    ];
    const { code, stderr } = await startProgram(home, 'sh', limited, { env: { NODE_DISABLE_COMPILE_CACHE: '1' } }).end;
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^error: .*main\.json cannot be written: the disk is full\n {2}hint: .*\n {2}run: .*\n$/,
      ),
    });
    expect(readFileSync(at('profiles', 'main.json'), 'utf8')).toBe(before);
    expect({ names: readdirSync(at('profiles')), text: readFileSync(at('secrets', 'main.api-key'), 'utf8') }).toEqual({
      names: ['main.json'],
      text: `${LIVE}\n`,
    });
  });
});

describe('many commands at once', () => {
  test('add profiles without losing any, each with its own key', async () => {
    const home = newHome(onTestFinished);
    const names = Array.from({ length: 6 }, (_, index) => `p${index}`);
    const ends = await Promise.all(
      names.map((name) => fiatrail(home, ADD_MAIN.with(2, name), { stdin: `${LIVE}-${name}\n` })),
    );
    expect(ends.map(({ code }) => code)).toEqual(names.map(() => 0));
    const at = (...parts: string[]) => join(home.path, 'config', ...parts);
    expect(readdirSync(at('profiles')).toSorted()).toEqual(names.map((name) => `${name}.json`).toSorted());
    expect(readdirSync(at('secrets')).toSorted()).toEqual(names.map((name) => `${name}.api-key`).toSorted());
    for (const name of names) {
      expect(JSON.parse(readFileSync(at('profiles', `${name}.json`), 'utf8'))).toMatchObject({ name, mode: 'live' });
      expect(readFileSync(at('secrets', `${name}.api-key`), 'utf8')).toBe(`${LIVE}-${name}\n`);
    }
    expect(readdirSync(at()).toSorted()).toEqual(['lock.db', 'profiles', 'secrets']);
  });

  test('change one profile and keep every field, with a key that fits its URL', async () => {
    const home = newHome(onTestFinished);
    await fiatrail(home, ADD_MAIN, { stdin: LIVE });
    const changes = Array.from({ length: 6 }, (_, index) => {
      if (index % 3 === 0) return { words: ['--service-name', 'acme'], stdin: '' };
      if (index % 3 === 1) return { words: ['--default-output', 'yaml'], stdin: '' };
      const host = index % 2 ? 'one' : 'two';
      return { words: ['--base-url', `https://${host}.test/v1`, '--key-stdin'], stdin: `${LIVE}-${host}` };
    });
    const ends = await Promise.all(
      changes.map(({ words, stdin }) => fiatrail(home, ['profiles', 'add', 'main', ...words], { stdin })),
    );
    // A command whose profile got another URL in the meantime says so and changes nothing.
    for (const { code, stderr } of ends)
      if (code !== 0) expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('in the meantime') });
    const at = (...parts: string[]) => join(home.path, 'config', ...parts);
    const [kept, key] = [at('profiles', 'main.json'), at('secrets', 'main.api-key')].map((path) =>
      readFileSync(path, 'utf8'),
    );
    const profile = JSON.parse(kept ?? '');
    const field = (words: string) =>
      changes.some((change, index) => change.words.includes(words) && ends[index]?.code === 0);
    expect({ serviceName: profile.serviceName, output: profile.output }).toEqual({
      serviceName: field('acme') ? 'acme' : undefined,
      output: field('yaml') ? 'yaml' : undefined,
    });
    expect(profile.baseUrl).toBe(`https://${key?.trim().split('-').at(-1)}.test/v1`);
    expect(readdirSync(at('profiles'))).toEqual(['main.json']);
  });

  test('add the same profile with different fields and keep them all', async () => {
    const home = newHome(onTestFinished);
    const fields = [
      ['--service-name', 'acme'],
      ['--default-output', 'yaml'],
      ['--mode', 'live'],
    ];
    const all = Array.from({ length: 6 }, (_, index) => [...ADD_MAIN, ...(fields[index % 3] ?? [])]);
    const ends = await Promise.all(all.map((argv) => fiatrail(home, argv, { stdin: LIVE })));
    expect(ends.map(({ code }) => code)).toEqual(all.map(() => 0));
    expect(JSON.parse(readFileSync(join(home.path, 'config', 'profiles', 'main.json'), 'utf8'))).toMatchObject({
      serviceName: 'acme',
      output: 'yaml',
      mode: 'live',
    });
  });
});

describe('the output format of a profile', () => {
  async function asJson() {
    const made = newMachine();
    await made.add('main', LIVE, '--default-output', 'json');
    return made;
  }
  const MAIN = ['--profile', 'main'];
  const answer = () => ({ network: scripted(success({ totalBalance: '5.000000' })).exchange });

  test('is rejected with control characters in it', async () => {
    const { run, at, write } = await asJson();
    const path = at('profiles', 'main.json');
    write(path, readFileSync(path, 'utf8').replace('"json"', '"js\\u001b[31mon"'));
    const { code, stderr } = await run(['balances', 'account', ...MAIN]);
    expect({ code, isPlain: !stderr.includes('\u001b'), stderr }).toEqual({
      code: 2,
      isPlain: true,
      stderr: expect.stringContaining('has an invalid field: output'),
    });
  });

  test('applies to results and errors', async () => {
    const { run, at, write } = await asJson();
    expect(JSON.parse((await run(['balances', 'account', ...MAIN], answer())).stdout)).toHaveProperty('totalBalance');
    write(at('secrets', 'main.api-key'), BOX);
    const ends = [
      await run(['balances', 'account', ...MAIN]),
      await run(['balances', 'frobnicate', ...MAIN]),
      await run(['balances', 'account', '--profile=main', '--frobnicate']),
      await run(['balances', 'account', '--timeout', 'x'], { env: { FIATRAIL_PROFILE: 'main' } }),
      await run(['balances', 'account'], { env: { FIATRAIL_PROFILE: 'main', FIATRAIL_API_KEY: BOX } }),
    ];
    for (const { code, stderr } of ends)
      expect({ code, printed: JSON.parse(stderr.split('\n').at(-2) ?? '') }).toMatchObject({
        code: 2,
        printed: { error: { category: 'usage' } },
      });
  });

  test('applies only if nothing else sets the format', async () => {
    const { run } = await asJson();
    const byFlag = await run(['balances', 'account', ...MAIN, '-o', 'yaml'], answer());
    const byVariable = await run(['balances', 'account', ...MAIN], { ...answer(), env: { FIATRAIL_OUTPUT: 'csv' } });
    for (const { stdout } of [byFlag, byVariable]) expect(() => JSON.parse(stdout)).toThrow();
    expect((await run(['balances', ...MAIN, '-o', 'yaml'])).stderr).toMatch(/^error: /);
    expect((await run(['balances', ...MAIN], { env: { FIATRAIL_OUTPUT: 'yaml' } })).stderr).toMatch(/^error: /);
  });

  test('is rejected with the name of the variable if it is invalid', async () => {
    const { run } = newMachine();
    const { code, stderr } = await run(['status'], { env: { FIATRAIL_OUTPUT: 'xml' } });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('FIATRAIL_OUTPUT: invalid output format "xml"'),
    });
  });
});

test('a broken profile does not affect commands that do not use it', async () => {
  const { run } = await machine();
  const env = { FIATRAIL_BASE_URL: 'https://other.test/v1', FIATRAIL_API_KEY: LIVE };
  const network = () => ({ network: scripted(success({ totalBalance: '5.000000' })).exchange });
  const ends = [
    await run(['balances', 'account', '--profile', 'main'], network()),
    await run(['balances', 'account'], { ...network(), env }),
    await run(['profiles', 'use', 'main']),
    await run(['profiles', 'show', 'box']),
    await run(['profiles', 'add', 'box', '--service-name', 'acme']),
    await run(['profiles', 'export', 'main']),
  ];
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
});

test('every command marks a live account with LIVE', async () => {
  const { run } = await machine();
  const network = () => ({ network: scripted(success({ totalBalance: '5.000000' })).exchange });
  const said = async (argv: string[]) => (await run(['balances', 'account', ...argv], network())).stderr;
  expect(await said(['--profile', 'main'])).toBe('profile main · LIVE\n');
  expect(await said(['--profile', 'box'])).toBe('profile box · sandbox\n');
  expect(await said(['--profile', 'main', '-q'])).toBe('');
});

describe('completion', () => {
  const NAMES = ['sandbox', 'box', 'broken', 'main'];

  test.each<[words: string[], offers: string[]]>([
    [['--profile', ''], NAMES],
    [
      ['status', '--profile', 'b'],
      ['box', 'broken'],
    ],
    [['status', '--profile=m'], ['--profile=main']],
    [['profiles', 'use', ''], NAMES],
    [['profiles', 'remove', 'br'], ['broken']],
    [['keys', 'sandbox', 'add', '--save', 'bo'], ['box']],
    [['profiles', 'add', 'x', '--service-name', ''], []],
  ])('after %j offers %j', async (words, offers) => {
    const { config } = await machine();
    const found = await candidatesFor(words, CATALOGUE, fakeWorld({ env: { FIATRAIL_CONFIG_DIR: config } }));
    expect(Array.isArray(found) && found.map(({ text }) => text)).toEqual(offers);
  });
});
