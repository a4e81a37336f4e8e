import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from '../../scripts/package/tools.ts';
import { ROOT } from '../support/built.ts';

/** What other people's programs are tested with. They are too large for everyone who installs the project, so they are fetched at the first use. */
const VERSIONS = {
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  '@modelcontextprotocol/inspector': '2.12.0',
  '@modelcontextprotocol/sdk': '1.32.2',
} as const;

/** Returns the folder of a package from the registry. Throws one sentence if it cannot be fetched. */
export function fetchedPackage(name: keyof typeof VERSIONS): string {
  const wanted = `${name}@${VERSIONS[name]}`;
  const cache = join(ROOT, 'node_modules', '.cache', 'fiatrail');
  const path = join(cache, wanted.replace('/', '-'));
  if (!existsSync(path)) {
    const unfinished = `${path}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    writeFileSync(join(unfinished, 'package.json'), '{"private":true}');
    // None of their scripts runs here.
    const argv = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', wanted];
    runTool('npm', argv, 'npm', { cwd: unfinished });
    renameSync(unfinished, path);
  }
  return join(path, 'node_modules', name);
}
