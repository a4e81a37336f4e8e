/**
 * Bundles src/ into dist/: one CommonJS file with all of our code, of which only what a command needs is run, and one
 * file for each heavy package, loaded when it is used. Beside them the program that asks the key store, and the licences
 * of what is inside.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type BuildOptions, type BuildResult, build, type Metafile, type Plugin } from 'esbuild';
import { CATALOGUE } from '../src/commands/catalogue.ts';
import { replaceFolder } from './replace-folder.ts';

/** Packages that most commands never touch. */
const APART = [
  'conf',
  '@inquirer/prompts',
  '@jmespath-community/jmespath',
  'chalk',
  'cli-table3',
  'libsodium-wrappers',
  'yaml',
] as const;

const fileOf = (name: string) => name.replace(/^@/, '').replace('/', '-');

const apart: Plugin = {
  name: 'apart',
  setup: ({ onResolve }) => {
    onResolve({ filter: new RegExp(`^(${APART.join('|')})$`) }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: `./${fileOf(path)}.cjs`, external: true },
    );
  },
};

/** cli-table3 counts columns with a pattern of every emoji, which takes longer to prepare than a table to draw. */
const ownWidth: Plugin = {
  name: 'own-width',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^string-width$/ }, ({ path }) => ({ path, namespace: 'own-width' }));
    onLoad({ filter: /.*/, namespace: 'own-width' }, () => ({
      contents: "module.exports = require('./src/present/width.ts').widthOf;",
      resolveDir: '.',
    }));
  },
};

/** conf's `atomically` handles every signal as soon as it is loaded, so that Ctrl-C would end us before we report the state. */
const noExitHook: Plugin = {
  name: 'no-exit-hook',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^when-exit$/ }, ({ path }) => ({ path, namespace: 'no-exit-hook' }));
    onLoad({ filter: /.*/, namespace: 'no-exit-hook' }, () => ({ contents: 'module.exports = () => {};' }));
  },
};

/** Packages of which our code uses the default export: in a file of its own that is the whole export. */
const WHOLE = ['conf', 'libsodium-wrappers'];

/**
 * A default export as the whole export, which is what `default` is to our code. libsodium-wrappers fills it when it is
 * ready; imported, it is also the build without the copy in plain JavaScript, for engines that cannot run WebAssembly.
 */
const wholeExport: Plugin = {
  name: 'whole-export',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: new RegExp(`^(${WHOLE.join('|')})$`) }, ({ path, kind }) =>
      kind === 'entry-point' ? { path, namespace: 'whole-export' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'whole-export' }, ({ path }) => ({
      contents: `import whole from '${path}';\nexport = whole;`,
      loader: 'ts',
      resolveDir: '.',
    }));
  },
};

const SHARED = {
  bundle: true,
  platform: 'node',
  target: 'node22.22',
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  // import() in a CommonJS file would start Node's ESM loader; require is faster.
  supported: { 'dynamic-import': false },
  // replaceFolder writes the files, so that a program that runs meanwhile finds each of them whole.
  write: false,
} as const satisfies BuildOptions;

const program = await build({
  ...SHARED,
  metafile: true,
  entryPoints: { main: 'src/entry.ts' },
  plugins: [apart],
  // commander imports it to run subcommands that are separate programs; ours are not.
  alias: { 'node:child_process': './src/bundle/late-child-process.ts' },
  // ky needs the fetch classes; ours are light (src/bundle/light-fetch.ts).
  inject: ['src/bundle/light-fetch.ts'],
  define: {
    'globalThis.Request': 'LightRequest',
    'globalThis.Response': 'LightResponse',
    'globalThis.Headers': 'LightHeaders',
    'globalThis.ReadableStream': 'undefined',
    'globalThis.FormData': 'undefined',
    'globalThis.performance': 'LightPerformance',
  },
});
// The keychain helper. Its package has native parts, so it is installed rather than bundled.
const keyring = await build({
  ...SHARED,
  metafile: true,
  entryPoints: { keyring: 'src/account/stores/keyring-helper.ts' },
  external: ['@napi-rs/keyring'],
});
const packages = await build({
  ...SHARED,
  metafile: true,
  plugins: [ownWidth, noExitHook, wholeExport],
  entryPoints: Object.fromEntries(APART.map((name) => [fileOf(name), name])),
});
const textsOf = ({ outputFiles = [] }: BuildResult): [string, string][] =>
  outputFiles.map(({ path, text }) => [basename(path), text]);

// bin/load.js names V8's code cache after this digest and the first word of the command.
const [[, source] = ['', '']] = textsOf(program);
const id = createHash('sha256').update(source).digest('hex').slice(0, 16);
const words = CATALOGUE.map(({ name }) => name).join(' ');
await replaceFolder(
  'dist',
  new Map([
    ...textsOf(packages),
    ...textsOf(keyring),
    ['main.cjs', `/* build ${id} ${words} */${source}`],
    ['THIRD-PARTY-LICENSES.txt', await licences([program.metafile, keyring.metafile, packages.metafile])],
  ]),
);

async function licences(metafiles: readonly Metafile[]): Promise<string> {
  const paths = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  const names = new Set(paths.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
  return (await Promise.all([...names].sort().map(licenceOf))).join(`\n${'-'.repeat(80)}\n\n`);
}

async function licenceOf(name: string): Promise<string> {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
  for (const file of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'license.md', 'LICENCE']) {
    const text = await readFile(`${folder}/${file}`, 'utf8').catch(() => undefined);
    if (text) return `${name} ${version}\n\n${text.trim()}\n`;
  }
  return `${name} ${version}\n\nLicence: ${license}\n`;
}
