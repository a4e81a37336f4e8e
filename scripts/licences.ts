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
  /** Where its source code is, if its licence asks for that. */
  readonly source?: string;
  /** The digest of the package's archive, as package-lock.json has it: `sha512-` and base64. */
  readonly integrity: string;
}

/** The licences whose programs are passed on only with the place of their source code. */
const ASKS_FOR_SOURCE = /\b(?:A?GPL|LGPL|MPL|EPL|CDDL|EUPL|OSL)\b/;

interface Manifest extends Package {
  readonly repository?: string | { readonly url?: string };
}

/** Returns where the source of a package is; undefined if its licence does not ask for it. Throws if the package does not say it. */
export function sourceOf({ name, version, license, repository }: Manifest): string | undefined {
  if (!ASKS_FOR_SOURCE.test(license)) return undefined;
  const url = typeof repository === 'string' ? repository : (repository?.url ?? '');
  const [, place] = /^(?:git\+)?(?:https|git|ssh):\/\/(?:git@)?(.+?)(?:\.git)?$/.exec(url) ?? [];
  if (place === undefined)
    throw new Error(`${name} asks for the place of its source (${license}), and names no repository`);
  return `https://${place}, version ${version}`;
}

/** Returns the packages of these modules, sorted by name. Throws if a package has no licence or is not in package-lock.json. */
export async function packagesOf(root: string, modules: readonly string[]): Promise<BundledPackage[]> {
  // The bundler names modules by their real paths, and node_modules may be a link.
  const installed = dirname(await realpath(join(root, 'node_modules')));
  const folders = new Set(modules.flatMap((path) => folderOf(relative(installed, path).replaceAll('\\', '/')) ?? []));
  const { packages: locked } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const found = await Promise.all(
    [...folders].map(async (folder) => {
      const manifest = await manifestOf(join(root, folder));
      const { name, version, license } = manifest;
      const { integrity } = locked[folder] ?? {};
      if (!integrity || !license) throw new Error(`${name} has no licence, or is not in package-lock.json`);
      const [source, licenceText] = [sourceOf(manifest), await licenceTextOf(join(root, folder), license)];
      return { name, version, license, integrity, licenceText, ...(source === undefined ? {} : { source }) };
    }),
  );
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns a module's package folder, named as in package-lock.json; undefined for the program's own modules. */
function folderOf(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

async function manifestOf(folder: string): Promise<Manifest> {
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
    .map(({ name, version, licenceText, source }) => {
      const place = source === undefined ? '' : `Source code: ${source}\n\n`;
      return `${name} ${version}\n\n${place}${licenceText}\n`;
    })
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
  return sbomWith(sbom, [{ ...componentOf('library', node), hashes: [hashOf(node.integrity)] }]);
}

/** Returns an SBOM that also has packages of Debian on amd64. */
export function sbomWithDebian(sbom: string, packages: readonly Pick<Package, 'name' | 'version'>[]): string {
  const components = packages.map(({ name, version }) => {
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=amd64`;
    return { type: 'library', 'bom-ref': purl, name, version, purl };
  });
  return sbomWith(sbom, components);
}

function sbomWith(sbom: string, added: readonly object[]): string {
  const bom = JSON.parse(sbom);
  return `${JSON.stringify({ ...bom, components: [...bom.components, ...added] }, null, 2)}\n`;
}
