import { readFile } from 'node:fs/promises';
import type { Metafile } from 'esbuild';

/** The licence of each package that is in the bundles. */
export async function licences(metafiles: readonly Pick<Metafile, 'inputs'>[]): Promise<string> {
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
