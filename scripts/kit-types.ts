import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OPTIONS = [
  ...[
    '--ignoreConfig',
    '--declaration',
    '--emitDeclarationOnly',
    '--allowImportingTsExtensions',
    '--skipLibCheck',
    '--strict',
  ],
  ...['--module', 'nodenext', '--target', 'es2024', '--types', 'node'],
];

/** Returns the type declarations of the package's entry `fiatrail/webhooks`, by file name. */
export function kitTypes(root: string): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'fiatrail-types-'));
  try {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    execFileSync(process.execPath, [compiler, join('src', 'webhooks', 'kit.ts'), ...OPTIONS, '--outDir', folder], {
      cwd: root,
      stdio: 'inherit',
    });
    const types = join(folder, 'webhooks');
    return new Map(
      readdirSync(types).map((name) => {
        const text = readFileSync(join(types, name), 'utf8');
        // Declarations are found by the name of the code that they describe.
        return [name, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'")] as const;
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
