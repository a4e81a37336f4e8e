import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../support/built.ts';
import { edited, PAGES, stepsOf } from './page.ts';

/** A copy of the project as git sees it, with the installed packages and a commit to compare with. */
function scratchCopy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fiatrail-contributing-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...words: string[]) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' });
  for (const path of git('ls-files', '--cached', '--others', '--exclude-standard').split('\n').filter(Boolean)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  for (const words of [
    ['init', '-q'],
    ['add', '-A'],
    [...identity, 'commit', '-qm', 'The project'],
  ])
    execFileSync('git', words, { cwd: folder });
  return folder;
}

describe.each(PAGES)('docs/contributing/%s.md', (page) => {
  test('leads to a green project when it is followed word for word', () => {
    const folder = scratchCopy();
    for (const step of stepsOf(page)) {
      if (step.kind === 'run') {
        for (const command of step.commands) {
          const { status, stdout, stderr } = spawnSync(command, { cwd: folder, shell: true, encoding: 'utf8' });
          expect({ command, status, output: status === 0 ? '' : stdout + stderr }).toEqual({
            command,
            status: 0,
            output: '',
          });
        }
      } else {
        const path = join(folder, step.path);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, edited(step, step.kind === 'create' ? '' : readFileSync(path, 'utf8')));
      }
    }
  });
});
