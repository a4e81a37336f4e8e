import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newKeyPair, seal } from '../../src/crypto/sealed-box.ts';
import {
  fiatrail,
  fiatrailJson,
  type Home,
  newHome,
  newHomeWithCache,
  ROOT,
  requireBuilt,
  startProgram,
} from '../support/built.ts';

beforeAll(requireBuilt);

const SHIM = join(ROOT, 'bin', 'fiatrail.js');
const { version, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

describe('the Node version', () => {
  /** Runs the shim on a Node that says it is another one. */
  async function on(node: string) {
    const home = newHomeWithCache(onTestFinished);
    const lie = join(home.path, 'lie.cjs');
    const versions = `Object.freeze({ ...process.versions, node: ${JSON.stringify(node)} })`;
    writeFileSync(lie, `Object.defineProperty(process, 'versions', { value: ${versions} });\n`);
    return startProgram(home, process.execPath, ['--require', lie, SHIM, '--version']).end;
  }

  test.each(['22.22.2', '22.23.0', '22.99.0', '24.15.0', '24.15.1', '24.21.0', '26.0.0', '27.1.0', '30.0.0'])(
    '%s will do',
    async (node) => {
      expect(await on(node)).toEqual({ stdout: `${version}\n`, stderr: '', code: 0 });
    },
  );

  test.each(['16.20.0', '18.20.8', '20.20.2', '22.0.0', '22.22.1', '23.11.0', '24.0.0', '24.14.9', '25.1.0'])(
    '%s is too old, which is one sentence: 2',
    async (node) => {
      const { stdout, stderr, code } = await on(node);
      expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
      expect(stderr).toBe(
        `error: fiatrail needs Node 22.22.2, 24.15.0 or 26, or a later one of these lines, and this is ${node}\n`,
      );
    },
  );

  test('matches package.json', () => {
    expect(engines.node).toBe('^22.22.2 || ^24.15.0 || >=26');
  });
});

describe('the version', () => {
  test.each([
    [['--version'], version],
    [['--version', '-q'], version],
    [['-q', '--version'], version],
    [['version'], version],
    [['version', '-o', 'json'], JSON.stringify({ version }, null, 2)],
    [['--version', '--json'], JSON.stringify({ version }, null, 2)],
    [['version', '--query', 'version'], version],
    [['version', '-o', 'csv'], `version\n${version}`],
  ])('%j prints it', async (argv, printed) => {
    const { stdout, code } = await fiatrail(newHome(onTestFinished), argv);
    expect({ stdout, code }).toEqual({ stdout: `${printed}\n`, code: 0 });
  });
});

describe('the home folder', () => {
  test.each(['', 'relative'])('is that of the account where HOME is "%s"', async (HOME) => {
    const env = { HOME, FIATRAIL_CONFIG_DIR: undefined, FIATRAIL_STATE_DIR: undefined, XDG_CONFIG_HOME: undefined };
    const ran = await fiatrail(newHome(onTestFinished), ['explain', '-o', 'json'], { env });
    const { decisions } = JSON.parse(ran.stdout) as { readonly decisions: { setting: string; value: string }[] };
    const folder = decisions.find(({ setting }) => setting === 'configuration')?.value;
    expect(folder).toBe(join(userInfo().homedir, '.config', 'fiatrail'));
  });
});

describe('the bundle', () => {
  /** Runs a command, and returns the files and Node's modules that it loaded. */
  async function loadedBy(home: Home, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const spy = join(home.path, 'spy.cjs');
    const report = `process.on('exit', () => {
      const loaded = [...Object.keys(require.cache), ...process.moduleLoadList].join('\\n');
      process.stderr.write(loaded);
    });`;
    writeFileSync(spy, report);
    const { stderr } = await startProgram(home, process.execPath, ['--require', spy, SHIM, ...words], { env }).end;
    return stderr;
  }

  test('loads no heavy package and no network before it is used', async () => {
    const home = newHomeWithCache(onTestFinished);
    const list = ['users', 'list', '-q', '-o', 'json'];
    // The first run makes the sandbox, and keys for it.
    await fiatrail(home, list);
    const loaded = await loadedBy(home, list);
    const ofNode = ['net', 'http', 'tls', 'tty', 'stream', 'child_process'].map((name) => `NativeModule ${name}\n`);
    expect(loaded).toContain('NativeModule sqlite');
    for (const name of ['inquirer', 'libsodium', 'yaml', 'jmespath', ...ofNode]) expect(loaded).not.toContain(name);
  });

  test('loads TLS for https only', async () => {
    const home = newHome(onTestFinished);
    const loadedFor = (protocol: string) =>
      loadedBy(home, ['balances', 'account'], {
        FIATRAIL_BASE_URL: `${protocol}://127.0.0.1:9/v1`,
        FIATRAIL_API_KEY: 'sandbox_0123456789',
      });
    const plain = await loadedFor('http');
    expect(plain).toContain('NativeModule http\n');
    for (const name of ['crypto', 'tls']) expect(plain).not.toContain(`NativeModule ${name}\n`);
    expect(await loadedFor('https')).toContain('NativeModule tls\n');
  });

  test('encrypts and opens with the bundled libsodium', async () => {
    const home = newHome(onTestFinished);
    const { publicKey } = await fiatrailJson<{ publicKey: string }>(home, ['keys', 'platform', 'show']);
    const send = (path: string, data: object) =>
      fiatrail(home, ['api', 'POST', path, '-d', JSON.stringify(data), '--yes', '-q', '-o', 'raw']);
    const sealed = { payload: await seal(JSON.stringify({ data: newKeyPair(randomBytes(32)).publicKey }), publicKey) };
    expect(await send('/storepublickey', sealed)).toMatchObject({
      stdout: expect.stringContaining('updatedAt'),
      code: 0,
    });
    const { stderr, code } = await fiatrail(home, ['fees', 'show']);
    expect({ stderr, code }).toEqual({
      stderr: expect.stringContaining('this profile has no private key'),
      code: 2,
    });
  });
});
