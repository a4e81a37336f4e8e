/** The packages that the bundle contains: the texts of their licences, and a list of them for programs (an SBOM). */
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

interface Package {
  readonly name: string;
  readonly version: string;
  /** SPDX: an id such as `MIT`, or an expression. */
  readonly license: string;
}

interface BundledPackage extends Package {
  readonly licenceText: string;
  /** The digest of the package's archive, as package-lock.json has it: `sha512-` and base64. */
  readonly integrity: string;
}

/** Returns the packages of these modules, sorted by name. Throws if a package has no licence or is not in package-lock.json. */
export async function packagesOf(root: string, modules: readonly string[]): Promise<BundledPackage[]> {
  // The bundler names modules by their real paths, and node_modules may be a link.
  const installed = dirname(await realpath(join(root, 'node_modules')));
  const folders = new Set(modules.flatMap((path) => folderOf(relative(installed, path).replaceAll('\\', '/')) ?? []));
  const { packages: locked } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const found = await Promise.all(
    [...folders].map(async (folder) => {
      const { name, version, license } = await manifestOf(join(root, folder));
      const { integrity } = locked[folder] ?? {};
      if (!integrity || !license) throw new Error(`${name} has no licence, or is not in package-lock.json`);
      return { name, version, license, integrity, licenceText: await licenceTextOf(join(root, folder), license) };
    }),
  );
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns a module's package folder, named as in package-lock.json; undefined for the program's own modules. */
function folderOf(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

async function manifestOf(folder: string): Promise<Package> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}

async function licenceTextOf(folder: string, license: string): Promise<string> {
  for (const file of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'license.md', 'LICENCE']) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => undefined);
    if (text) return text.trim();
  }
  return `Licence: ${license}`;
}

/** Formats the licences as one text. */
export function licencesText(packages: readonly BundledPackage[]): string {
  return packages
    .map(({ name, version, licenceText }) => `${name} ${version}\n\n${licenceText}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/**
 * Formats the packages as an SBOM: CycloneDX 1.6, in JSON. It has neither a time nor a serial number, so that the same
 * packages always give the same text.
 */
export async function sbomText(root: string, packages: readonly BundledPackage[]): Promise<string> {
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: componentOf('application', await manifestOf(root)) },
    components: packages.map((each) => ({ ...componentOf('library', each), hashes: [hashOf(each.integrity)] })),
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function componentOf(type: 'application' | 'library', { name, version, license }: Package) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const licence = /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license };
  return { type, 'bom-ref': purl, name, version, licenses: [licence], purl };
}

/** Converts `sha512-` and base64 to the algorithm and hexadecimal digits. */
function hashOf(integrity: string) {
  const [algorithm = '', digest = ''] = integrity.split('-');
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
}

/** Returns an SBOM that also has the Node in a binary. */
export function sbomWithNode(sbom: string, node: Package & { readonly integrity: string }): string {
  const bom = JSON.parse(sbom);
  const component = { ...componentOf('library', node), hashes: [hashOf(node.integrity)] };
  return `${JSON.stringify({ ...bom, components: [...bom.components, component] }, null, 2)}\n`;
}
