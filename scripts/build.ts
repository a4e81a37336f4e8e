/**
 * Builds dist/: the program, cut into files that a command loads as it needs them (docs/decisions/0005-bundling.md), help
 * texts, the helper process that opens the keychain, and the licences of the bundled packages.
 */
import { type BuildOptions, build } from 'esbuild';
import { CATALOGUE } from '../src/commands/catalogue.ts';
import { split } from './build/chunks.ts';
import { licences } from './build/licences.ts';
import { helpFiles, outlines } from './build/prepared.ts';
import { replaceFolder } from './build/replace-folder.ts';
import { STAND_INS } from './build/stand-ins.ts';
import { assign, digest, filesOf, unitTexts } from './build/units.ts';

/** The modules that commands begin with. The first is loaded by all of them. */
const BASE = {
  entry: 'src/entry.ts',
  main: 'src/main.ts',
  complete: 'src/commands/completion/complete.ts',
};

/** Modules that are a unit of their own, because most commands that import them do not run them. */
const APART = {
  sha2: '@noble/hashes/sha2.js',
  sha3: '@noble/hashes/sha3.js',
};

const SHARED = {
  bundle: true,
  platform: 'node',
  target: 'node22.22',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  outdir: 'dist',
} as const satisfies BuildOptions;

const { chunks, metafile } = await split(
  { entry: BASE.entry, ...APART },
  {
    ...SHARED,
    plugins: [...STAND_INS, outlines(CATALOGUE)],
  },
);
const files = filesOf(await unitTexts(chunks, assign(chunks, BASE), BASE, SHARED));

// A process of its own, without the loader. Its package has native parts, so it is installed rather than bundled.
const keyring = await build({
  ...SHARED,
  format: 'cjs',
  metafile: true,
  write: false,
  entryPoints: { keyring: 'src/account/stores/keyring-helper.ts' },
  external: ['@napi-rs/keyring'],
  supported: { 'dynamic-import': false },
});

// bin/load.js keeps V8's code by the build and the first word of the command.
const id = digest([...files.values()].join(''));
const head = [id, ...CATALOGUE.map(({ name }) => name)].join(' ');
const built = [...files].map(([name, text]): [string, string] => [
  `${name}.cjs`,
  name === 'entry' ? text.replace('*/', ` ${head}*/`) : text,
]);
await replaceFolder(
  'dist',
  new Map([
    ...built,
    ['keyring.cjs', keyring.outputFiles[0]?.text ?? ''],
    ...(await helpFiles(CATALOGUE)),
    ['THIRD-PARTY-LICENSES.txt', await licences([metafile, keyring.metafile])],
  ]),
);
