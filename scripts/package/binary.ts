/** The program and Node in one file: Node's single executable (docs/decisions/0039-packages.md). */
import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { runTool } from './tools.ts';

/** What a binary needs of dist/: the code, the help, and the list that bin/load.js reads. */
const ASSETS = /^(package\.json|dist\/([a-z0-9-]+\.cjs|build\.json|help\.db|help\/[a-z.-]*\.txt))$/;

/** What a binary starts with, and each of its threads. */
const LAUNCHER = 'launcher.js';

/** Builds the binary at `path`, in a folder for its parts. */
export async function buildBinary(root: string, node: string, folder: string, path: string): Promise<void> {
  const launcher = join(folder, LAUNCHER);
  writeFileSync(launcher, await launcherText(root));
  const names = readFileSync(join(root, 'dist', 'SHA256SUMS'), 'utf8').match(/(?<=^.{66}).*$/gm) ?? [];
  const files = names.filter((name) => ASSETS.test(name)).map((name) => [name, join(root, name)]);
  const config = join(folder, 'binary.json');
  const assets = Object.fromEntries([[LAUNCHER, launcher], ...files]);
  // The binary contains the path of its main script, so it is relative.
  const settings = { main: LAUNCHER, output: path, executable: node, disableExperimentalSEAWarning: true, assets };
  writeFileSync(config, JSON.stringify(settings));
  runTool(node, ['--build-sea', config], 'nodejs', { cwd: folder });
  chmodSync(path, 0o755);
  // Read by `fiatrail version --verify` (src/system/own-files.ts).
  appendFileSync(path, `\nsha256:${createHash('sha256').update(readFileSync(path)).digest('hex')}\n`);
}

/** bin/ as one script: in a binary, nothing can be required but Node's own modules. */
async function launcherText(root: string): Promise<string> {
  const files = join(import.meta.dirname, 'binary-files.cjs');
  const build = await rolldown({
    cwd: root,
    input: join(root, 'bin', 'fiatrail.js'),
    platform: 'node',
    plugins: [{ name: 'binary-files', resolveId: (source) => (source === './files.js' ? files : undefined) }],
  });
  const { output } = await build.generate({ format: 'cjs', comments: false });
  return output[0].code;
}
