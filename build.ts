/** Bundles src/ into dist/: few chunks, each loaded when it is needed, and the licences of what is inside. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { build, type Metafile } from 'esbuild';

const SHARED = {
  bundle: true,
  platform: 'node',
  target: 'node22.22',
  format: 'esm',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
} as const;

await rm('dist', { recursive: true, force: true });
const { metafile } = await build({
  ...SHARED,
  entryPoints: { main: 'src/entry.ts' },
  outdir: 'dist',
  splitting: true,
  minifySyntax: true,
  chunkNames: '[name]-[hash]',
  // ky builds on fetch's classes; ours are light (src/client/fetch-light.ts).
  inject: ['src/client/fetch-light.ts'],
  define: {
    'globalThis.Request': 'LightRequest',
    'globalThis.Response': 'LightResponse',
    'globalThis.Headers': 'LightHeaders',
    'globalThis.ReadableStream': 'undefined',
    'globalThis.FormData': 'undefined',
  },
  // Packages that are CommonJS ask for Node's modules with require.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
});
await mkdir('dist', { recursive: true });
await writeFile('dist/THIRD-PARTY-LICENSES.txt', await licences(metafile));

async function licences({ inputs }: Metafile): Promise<string> {
  const packages = new Set(
    Object.keys(inputs).flatMap(
      (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(path)?.[1] ?? [],
    ),
  );
  const texts = await Promise.all([...packages].sort().map(licenceOf));
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
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
