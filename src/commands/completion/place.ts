import { completionFile } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { entryAt } from '../../files/inspect.ts';
import { readText, removeText, writeText } from '../../files/shared-file.ts';

/** The shells that have a script. */
type Shell = 'bash' | 'zsh' | 'fish';

/** How each script begins; a file without it is not ours to replace or remove. */
const MARK = '# fiatrail completion for ';

/** What still has to be done by hand. */
const NEXT: Readonly<Record<Shell, (file: string) => string>> = {
  bash: () => 'open a new shell; it needs the package bash-completion',
  zsh: (file) =>
    `add to ~/.zshrc before compinit: fpath=(${file.slice(0, file.lastIndexOf('/'))} $fpath); then open a new shell`,
  fish: () => 'open a new shell',
};

/** Returns the shell that was named, or the one of SHELL. Throws CliError usage. */
export function shellIn({ env }: Pick<World, 'env'>, named: Shell | undefined): Shell {
  const own = env['SHELL']?.split('/').at(-1);
  const found = named ?? (['bash', 'zsh', 'fish'] as const).find((shell) => shell === own);
  if (found) return found;
  throw new CliError('usage', 'SHELL does not name bash, zsh or fish', {
    hint: 'name the shell: fiatrail completion install bash',
  });
}

/** The file at the place of the script, which must be ours. Throws CliError usage. */
function requireOurs(file: string): boolean {
  const entry = entryAt(file);
  if (!entry) return false;
  if (entry.kind === 'file' && readText(file)?.includes(MARK)) return true;
  throw new CliError('usage', `${file} was not written by fiatrail; it was left unchanged`, {
    code: 'IN_THE_WAY',
    hint: 'move it away, then run the command again',
  });
}

/** Writes the script of a shell to where the shell finds it. Throws CliError usage. */
export function install(world: World, shell: Shell, script: string) {
  const file = completionFile(world, shell);
  requireOurs(file);
  writeText(file, script, world.ids.uuid());
  return { shell, file, installed: true, next: NEXT[shell](file) };
}

/** Removes the script of a shell. Throws CliError usage, and declined if there is none. */
export function uninstall(world: World, shell: Shell) {
  const file = completionFile(world, shell);
  if (!requireOurs(file))
    throw new CliError('declined', `there is no completion for ${shell} at ${file}`, {
      hint: 'nothing needs to be removed',
    });
  removeText(file);
  return { shell, file, installed: false, next: null };
}
