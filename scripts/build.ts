/**
 * Builds dist/ (docs/decisions/0005-bundling.md): the program as CommonJS files that a command loads as it needs them, the
 * help texts with their index, manual pages, the helper process that opens the keychain, and the bundled packages with their licences.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { CATALOGUE } from '../src/commands/catalogue.ts';
import { outlineOf } from '../src/commands/completion/outline.ts';
import { typedIds } from '../src/commands/completion/typed-ids.ts';
import { directory } from '../src/contract/directory.ts';
import { groups } from '../src/contract/endpoints/index.ts';
import { helpFiles } from './help.ts';
import { helpIndex } from './help-index.ts';
import { kitTypes } from './kit-types.ts';
import { licencesText, packagesOf, sbomText } from './licences.ts';
import { manFiles } from './man.ts';
import { plainExports } from './plain-exports.ts';
import { replaceFolder } from './replace-folder.ts';
import { isBuilt, noteBuilt, sourcesDigest } from './sources.ts';

const ROOT = join(import.meta.dirname, '..');
if (isBuilt(ROOT)) process.exit(0);
const standIn = (name: string) => join(ROOT, 'src', 'bundle', name);

/** Modules that the bundle replaces, each with what imports it. The stand-in says why. */
const STAND_INS: Readonly<Record<string, { readonly importedBy: RegExp; readonly by: string }>> = {
  'node:child_process': { importedBy: /[\\/](commander|system)[\\/]/, by: standIn('late-child-process.ts') },
  'string-width': { importedBy: /[\\/]cli-table3[\\/]/, by: standIn('string-length.ts') },
  '@colors/colors/safe': { importedBy: /[\\/]cli-table3[\\/]/, by: standIn('no-colors.ts') },
  'supports-color': { importedBy: /[\\/]chalk[\\/]/, by: standIn('no-colors.ts') },
  '@modelcontextprotocol/server/_shims': {
    importedBy: /[\\/]@modelcontextprotocol[\\/]/,
    by: standIn('mcp-shims.ts'),
  },
  'when-exit': { importedBy: /[\\/]atomically[\\/]/, by: standIn('when-exit.ts') },
};

const standIns: Plugin = {
  name: 'stand-ins',
  resolveId: (source, importer = '') => {
    const { importedBy, by } = STAND_INS[source] ?? {};
    return importedBy?.test(importer) ? by : undefined;
  },
};

const DEFAULT_OF = 'default-of:';

/** commander takes Node's modules as a whole. For a default import, rolldown would copy all their properties. */
const wholeBuiltins: Plugin = {
  name: 'whole-builtins',
  resolveId: (source, importer = '') =>
    /[\\/]commander[\\/]/.test(importer) && ['node:fs', 'node:path', 'node:process'].includes(source)
      ? DEFAULT_OF + source
      : undefined,
  load: (id) =>
    id.startsWith(DEFAULT_OF)
      ? `export default process.getBuiltinModule('${id.slice(DEFAULT_OF.length)}');`
      : undefined,
};

const OUTLINE = 'outline:';

/** The outlines of each group in a file of its own, as Tab completes one group at a time. */
const OUTLINES = `const groups = {${CATALOGUE.map(({ name }) => `'${name}': () => import('${OUTLINE}${name}')`).join(', ')}};
  export const outlineOf = async ({ name }) => (await groups[name]()).outlines;`;

/** Imports that a bundler can follow: one for the file of each group of endpoints. */
const LOAD_GROUP = `const groups = {${Object.keys(groups)
  .map((name) => `'${name}': () => import('./endpoints/${name}.ts')`)
  .join(', ')}};
  export const loadGroup = (group) => groups[group]();`;

/** The inspector's page: a script and a style that need nothing else, and the modules in them. */
async function buildPage() {
  const folder = join(ROOT, 'src', 'inspector', 'page');
  const build = await rolldown({
    cwd: ROOT,
    input: join(folder, 'main.tsx'),
    platform: 'browser',
    tsconfig: false,
    transform: { target: 'es2024', jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  const { output } = await build.generate({ format: 'esm', comments: false, minify: true });
  const [main] = output;
  const styles = ['page.css', 'book.css'].map((name) => readFileSync(join(folder, name), 'utf8'));
  const style = styles.join('').replace(/\s*\n\s*/g, ' ');
  return { moduleIds: main.moduleIds, files: { script: main.code, style } };
}

const page = await buildPage();

/** Modules that only compute data, which is computed here instead. */
const prepared: Plugin = {
  name: 'prepared',
  resolveId: (source) => (source.startsWith(OUTLINE) ? source : undefined),
  load: async (path) => {
    if (path === join(ROOT, 'src', 'contract', 'directory.ts'))
      return `export const directory = ${JSON.stringify(directory)};`;
    if (path === join(ROOT, 'src', 'commands', 'completion', 'typed-ids.ts'))
      return `export const typedIds = ${JSON.stringify(typedIds)};`;
    if (path === join(ROOT, 'src', 'contract', 'load-group.ts')) return LOAD_GROUP;
    if (path === join(ROOT, 'src', 'commands', 'completion', 'outline.ts')) return OUTLINES;
    if (path === join(ROOT, 'src', 'inspector', 'page-files.ts'))
      return `export const pageFiles = ${JSON.stringify(page.files)};`;
    const group = CATALOGUE.find(({ name }) => path === OUTLINE + name);
    return group && `export const outlines = ${JSON.stringify(await outlineOf(group))};`;
  },
};

/** The parts of fetch that ky needs. */
const light = (name: string): [string, string] => [standIn('light-fetch.ts'), name];
const LIGHT_FETCH = {
  inject: {
    'globalThis.Request': light('LightRequest'),
    'globalThis.Response': light('LightResponse'),
    'globalThis.Headers': light('LightHeaders'),
    'globalThis.performance': light('LightPerformance'),
  },
  define: { 'globalThis.ReadableStream': 'undefined', 'globalThis.FormData': 'undefined' },
};

/** `src/contract/fields.ts` as `contract-fields`; a package by its name. */
function nameOf({
  name,
  facadeModuleId,
  moduleIds,
}: {
  name: string;
  facadeModuleId: string | null;
  moduleIds: string[];
}) {
  const path = relative(ROOT, facadeModuleId ?? moduleIds.at(-1) ?? name).replaceAll('\\', '/');
  const inPackage = packageOf(path)?.replace(/^@/, '');
  return (inPackage ?? path.replace(/^src\//, '').replace(/(\/index)?\.ts$/, ''))
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-/, '');
}

function packageOf(path: string): string | undefined {
  return /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path)?.[1];
}

/** Bundles everything that a module imports, at once or later, into files that each contain a part of it. */
async function bundle(entry: string | string[], options: { external?: string[]; transform?: object } = {}) {
  const build = await rolldown({
    cwd: ROOT,
    input: entry,
    platform: 'node',
    external: options.external ?? [],
    plugins: [standIns, wholeBuiltins, prepared],
    transform: { target: 'node22.22', ...options.transform },
    onLog: (_, { message }) => {
      throw new Error(message);
    },
  });
  const { output } = await build.generate({
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].cjs',
    chunkFileNames: (chunk) => `${nameOf(chunk)}.cjs`,
    // import() in a CommonJS file would start Node's ESM loader.
    dynamicImportInCjs: false,
    externalLiveBindings: false,
    esModule: false,
    comments: false,
    // Names stay, so that a stack trace can be read.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  return output
    .filter((each): each is OutputChunk => each.type === 'chunk')
    .map(({ fileName, moduleIds, code }) => ({ fileName, moduleIds, code: plainExports(code) }));
}

// The thread that writes to the inbox shares the files of the program.
const program = await bundle(['src/entry.ts', 'src/webhooks/listen/writer-thread.ts'], { transform: LIGHT_FETCH });
// Its package has native parts, so it is installed rather than bundled.
const keyring = await bundle('src/account/stores/keyring-helper.ts', { external: ['@napi-rs/keyring'] });

// For other people's programs, so they share no file with the program.
const kit = await bundle('src/webhooks/kit.ts');
const kits = await bundle(['src/kits/client.ts', 'src/kits/sandbox.ts']);

const packages = await packagesOf(
  ROOT,
  [...program, ...keyring, ...kit, ...kits, page].flatMap(({ moduleIds }) => moduleIds),
);
const files = new Map([...program, ...keyring].map(({ fileName, code }) => [fileName, ascii(code)] as const));
const id = createHash('sha256')
  .update(JSON.stringify([...files]))
  .digest('hex')
  .slice(0, 16);
const built: (readonly [name: string, content: string | Uint8Array])[] = [
  ...files,
  ...kit.map(({ fileName, code }) => [`webhooks/${fileName}`, ascii(code)] as const),
  ...kits.map(({ fileName, code }) => [`kits/${fileName}`, ascii(code)] as const),
  ...kitTypes(ROOT),
  ...(await helpFiles(CATALOGUE)),
  ['help.db', await helpIndex(ROOT, CATALOGUE)],
  ...(await manFiles(CATALOGUE)),
  ['THIRD-PARTY-LICENSES.txt', licencesText(packages)],
  ['sbom.cdx.json', await sbomText(ROOT, packages)],
];
// Last, because bin/load.js recognizes a new build by it.
const last = [
  'build.json',
  JSON.stringify({ id, nouns: CATALOGUE.map(({ name }) => name), sources: sourcesDigest(ROOT) }),
] as const;
await replaceFolder('dist', new Map([...built, ['SHA256SUMS', digestsOf([...built, last])], last]));
noteBuilt(ROOT);

/** Returns the digests of the program's files, dist/ and what starts it, as sha256sum prints them. */
function digestsOf(dist: readonly (readonly [name: string, content: string | Uint8Array])[]): string {
  const others = ['package.json', ...readdirSync(join(ROOT, 'bin')).map((name) => `bin/${name}`)];
  const all = [
    ...dist.map(([name, content]) => [`dist/${name}`, content] as const),
    ...others.map((name) => [name, readFileSync(join(ROOT, name))] as const),
  ];
  const lines = all.map(([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
  return lines.sort((a, b) => (a.slice(64) < b.slice(64) ? -1 : 1)).join('');
}

/** Escapes what is not ASCII, since bin/load.js reads bytes. */
function ascii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
