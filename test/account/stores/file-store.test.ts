import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFileStore } from '../../../src/account/stores/file-store.ts';
import { Secret } from '../../../src/base/secret.ts';
import { fileErrors } from '../../../src/files/inspect.ts';
import { newHome, ROOT, startProgram, temporaryFolder } from '../../support/built.ts';
import { fakeWorld } from '../../support/world.ts';
import { PLANTED, refusal } from '../support.ts';

const WRITER = join(ROOT, 'test', 'account', 'stores', 'write-secret.ts');

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** A store in a new temporary folder, or in `config`. */
function newStore(config = join(temporaryFolder(onTestFinished), 'config')) {
  const store = createFileStore(fakeWorld({ env: { FIATRAIL_CONFIG_DIR: config } }));
  const folder = join(config, 'secrets');
  const keep = (text: string) => store.write('ops', 'api-key', new Secret(text));
  const kept = async () => (await store.read('ops', 'api-key'))?.reveal();
  return { store, config, folder, path: join(folder, 'ops.api-key'), keep, kept };
}

describe('the file store', () => {
  test('writes, reads, overwrites and removes a secret', async () => {
    const { store, keep, kept, path } = newStore();
    const seen = [await kept()];
    for (const text of ['first', PLANTED]) {
      await keep(text);
      seen.push(await kept());
    }
    expect({ text: readFileSync(path, 'utf8'), place: store.location('ops', 'api-key') }).toEqual({
      text: `${PLANTED}\n`,
      place: path,
    });
    await store.remove('ops', 'api-key');
    await store.remove('ops', 'api-key');
    expect([...seen, await kept()]).toEqual([undefined, 'first', PLANTED, undefined]);
  });

  test.each(['one', 'two\nlines', 'a line end\n', ' blanks '])('returns %j unchanged', async (text) => {
    const { keep, kept } = newStore();
    await keep(text);
    expect(await kept()).toBe(text);
  });

  test('returns no secret from an empty file', async () => {
    const { keep, kept, path } = newStore();
    await keep('x');
    writeFileSync(path, '');
    expect(await kept()).toBeUndefined();
  });

  test('keeps one file per profile and secret', async () => {
    const { store, folder } = newStore();
    await store.write('a', 'api-key', new Secret('1'));
    await store.write('a', 'encryption-keys', new Secret('2'));
    await store.write('a.b', 'api-key', new Secret('3'));
    expect(readdirSync(folder).toSorted()).toEqual(['a.api-key', 'a.b.api-key', 'a.encryption-keys']);
  });

  test.each(['', '.', '..', '../up', 'a/b', 'a\\b', '.hidden', 'a\n', 'é', 'x'.repeat(129)])(
    'rejects the profile name %j',
    async (profile) => {
      const { store, config } = newStore();
      const acts = [
        () => store.write(profile, 'api-key', new Secret(PLANTED)),
        () => store.read(profile, 'api-key'),
        () => store.remove(profile, 'api-key'),
      ];
      for (const act of acts) expect((await refusal(act)).code).toBe('PROFILE_NAME');
      expect(existsSync(config)).toBe(false);
    },
  );
});

describe('permissions', () => {
  test('are limited to the owner for everything that is created', async () => {
    const { config, folder, path, keep } = newStore();
    await keep('x');
    expect([config, folder, path].map(modeOf)).toEqual(['700', '700', '600']);
  });

  test.each([
    ['read', ({ kept }: ReturnType<typeof newStore>) => kept()],
    ['write', ({ keep }: ReturnType<typeof newStore>) => keep('y')],
  ])('are repaired by a %s', async (_what, act) => {
    const made = newStore();
    await made.keep('x');
    chmodSync(made.path, 0o644);
    chmodSync(made.folder, 0o755);
    await act(made);
    expect([made.folder, made.path].map(modeOf)).toEqual(['700', '600']);
  });
});

describe('a symbolic link', () => {
  /** The target of a link, outside the store. */
  function linkTarget() {
    const path = join(temporaryFolder(onTestFinished), 'target');
    writeFileSync(path, 'untouched', { mode: 0o644 });
    return { path, state: () => [readFileSync(path, 'utf8'), modeOf(path)] };
  }

  test('in place of the file is rejected, and its target is untouched', async () => {
    const { store, keep, kept, path } = newStore();
    await keep('x');
    const { path: target, state } = linkTarget();
    rmSync(path);
    symlinkSync(target, path);
    for (const act of [() => keep(PLANTED), kept])
      expect(await refusal(act)).toMatchObject({ code: 'SYMLINK', message: expect.stringContaining(path) });
    await store.remove('ops', 'api-key');
    expect({ state: state(), exists: existsSync(path) }).toEqual({ state: ['untouched', '644'], exists: false });
  });

  test('to nothing is rejected, and its target is not created', async () => {
    const { keep, path, folder } = newStore();
    mkdirSync(folder, { recursive: true });
    const target = join(temporaryFolder(onTestFinished), 'none');
    symlinkSync(target, path);
    expect({ code: (await refusal(() => keep(PLANTED))).code, exists: existsSync(target) }).toEqual({
      code: 'SYMLINK',
      exists: false,
    });
  });

  test('in place of the folder is rejected, and its target is untouched', async () => {
    const { keep, kept, config, folder } = newStore();
    mkdirSync(config);
    const target = temporaryFolder(onTestFinished);
    chmodSync(target, 0o755);
    symlinkSync(target, folder);
    for (const act of [() => keep(PLANTED), kept]) expect((await refusal(act)).code).toBe('SYMLINK');
    expect({ mode: modeOf(target), names: readdirSync(target) }).toEqual({ mode: '755', names: [] });
  });
});

describe('file system errors', () => {
  test.each([
    ['ENOSPC', 'written', 'STORE_FULL', /free some space/],
    ['EDQUOT', 'written', 'STORE_FULL', /the existing file was not changed/],
    ['EACCES', 'written', 'STORE_UNWRITABLE', /make sure that you own it/],
    ['EPERM', 'removed', 'STORE_UNWRITABLE', /make sure that you own it/],
    ['EROFS', 'written', 'STORE_UNWRITABLE', /read-only/],
    ['ENOTDIR', 'written', 'STORE_UNWRITABLE', /a file is in the place of a folder/],
    ['EIO', 'written', 'STORE_UNWRITABLE', /FIATRAIL_CONFIG_DIR/],
    ['EACCES', 'read', 'STORE_UNREADABLE', /make sure that you own it/],
  ] as const)('%s: the file cannot be %s', async (code, done, expected, hint) => {
    const act = async () =>
      fileErrors(done, 'the/path', () => {
        throw Object.assign(new Error(code), { code });
      });
    const error = await refusal(act);
    expect({ code: error.code, message: error.message, hint: error.hint }).toEqual({
      code: expected,
      message: expect.stringContaining('the/path'),
      hint: expect.stringMatching(hint),
    });
  });

  test('are distinguished from programming errors', () => {
    const fault = Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' });
    const act = () =>
      fileErrors('read', 'the/path', () => {
        throw fault;
      });
    expect(act).toThrow(fault);
  });

  test('a file in place of the configuration folder', async () => {
    const config = join(temporaryFolder(onTestFinished), 'config');
    writeFileSync(config, 'mine');
    const { keep } = newStore(config);
    expect((await refusal(() => keep(PLANTED))).code).toBe('STORE_UNWRITABLE');
    expect(readFileSync(config, 'utf8')).toBe('mine');
  });

  test('a file in place of the secrets folder', async () => {
    const { keep, kept, config, folder } = newStore();
    mkdirSync(config);
    writeFileSync(folder, 'mine', { mode: 0o644 });
    for (const act of [() => keep(PLANTED), kept]) expect((await refusal(act)).code).toBe('IN_THE_WAY');
    expect({ text: readFileSync(folder, 'utf8'), mode: modeOf(folder) }).toEqual({ text: 'mine', mode: '644' });
  });

  test('a folder in place of the file', async () => {
    const { keep, kept, path } = newStore();
    mkdirSync(path, { recursive: true });
    for (const act of [() => keep(PLANTED), kept]) expect((await refusal(act)).code).toBe('IN_THE_WAY');
  });

  test('a folder in place of the file is not removed either', async () => {
    const { store, path } = newStore();
    mkdirSync(path, { recursive: true });
    expect((await refusal(() => store.remove('ops', 'api-key'))).code).toBe('IN_THE_WAY');
  });

  test('a folder that cannot be created', async () => {
    const { keep } = newStore('/proc/fiatrail/config');
    expect((await refusal(() => keep(PLANTED))).code).toBe('STORE_UNWRITABLE');
  });

  test('a write that fails midway keeps the old secret and leaves no temporary file', async () => {
    const home = newHome(onTestFinished);
    const { keep, kept, folder } = newStore(home.env['FIATRAIL_CONFIG_DIR']);
    await keep('before');
    // Limits the process to files of a few hundred bytes: the system accepts the first ones and rejects the rest.
    const limited = ['-c', 'ulimit -f 1 && exec "$@"', 'sh', process.execPath, WRITER, 'ops', PLANTED.repeat(100), '1'];
    const { code, stderr } = await startProgram(home, 'sh', limited).end;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('STORE_UNWRITABLE') });
    expect(stderr).not.toContain(PLANTED);
    expect({ kept: await kept(), names: readdirSync(folder) }).toEqual({ kept: 'before', names: ['ops.api-key'] });
  });
});

test('concurrent writers leave one complete secret, and readers never see a partial one', async () => {
  const home = newHome(onTestFinished);
  const { kept, folder } = newStore(home.env['FIATRAIL_CONFIG_DIR']);
  const values = Array.from({ length: 4 }, (_, index) => String(index).padStart(2, '0').repeat(2_000));
  let running = values.length;
  const ends = values.map(async (value) => {
    const { code, stderr } = await startProgram(home, process.execPath, [WRITER, 'ops', value, '12']).end;
    running -= 1;
    return [code, stderr];
  });
  const seen = new Set<string | undefined>();
  while (running > 0) {
    seen.add(await kept());
    await new Promise(setImmediate);
  }
  expect(await Promise.all(ends)).toEqual(values.map(() => [0, expect.not.stringContaining('Error')]));
  expect([...seen].filter((value) => value !== undefined && !values.includes(value))).toEqual([]);
  expect(values).toContain(await kept());
  expect(readdirSync(folder)).toEqual(['ops.api-key']);
});
