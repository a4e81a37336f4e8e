import { type Leftover, leftoversOf, removeLeftovers } from '../../account/leftovers.ts';
import type { World } from '../../base/world.ts';
import { endDryRun } from '../../engine/requests.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import type { Session } from '../../terminal/session.ts';
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
export async function removeLeftFiles(session: Session): Promise<void> {
  const found = leftoversOf(session.world);
  if (found.length === 0) return session.note('there is nothing to remove');
  endDryRun(session, { leftovers: found });
  const lines = found.map(({ path, what }) => [what, path] as const);
  await confirmChange(session, { summary: `remove ${counted(found)}`, lines });
  await removeLeftovers(session.world, found);
  await session.note(`removed ${counted(found)}`);
}
