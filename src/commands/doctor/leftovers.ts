import { type Leftover, leftoversOf, removeLeftovers } from '../../account/leftovers.ts';
import type { World } from '../../base/world.ts';
import type { Account } from '../../engine/account.ts';
import { endDryRun } from '../../engine/requests.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type Finding, ok, warning } from './check.ts';

const SHOWN = 5;

/** Looks for what commands left behind that were killed. */
export function leftoversFinding(world: World): Finding {
  const found = leftoversOf(world);
  if (found.length === 0) return ok('none');
  const shown = found.slice(0, SHOWN).map(({ path }) => path);
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : '';
  return warning(`${counted(found)}: ${shown.join(', ')}${more}`, 'fiatrail doctor --clean');
}

const counted = ({ length }: readonly Leftover[]) =>
  `${length === 1 ? '1 file' : `${length} files`} of commands that were killed`;

/** Removes what commands left behind, after a yes. Throws CliError: `declined`, and `usage` without a terminal. */
export async function removeLeftFiles(account: Account, terminal: Terminal): Promise<void> {
  const found = leftoversOf(account.world);
  if (found.length === 0) return account.notices.note('there is nothing to remove');
  endDryRun(account, { leftovers: found });
  const lines = found.map(({ path, what }) => [what, path] as const);
  await confirmChange(terminal.dialog, { summary: `remove ${counted(found)}`, lines });
  await removeLeftovers(account.world, found);
  await account.notices.note(`removed ${counted(found)}`);
}
