import type { World } from '../../base/world.ts';
import type { Reply } from '../../client/client.ts';
import { hasLinks, sentenceWithLinks } from '../../present/links.ts';
import { plainLines } from '../../present/text.ts';
import type { Globals } from '../parse/globals.ts';

/** Messages and prompts on the terminal, if there is one. */
export interface Dialog {
  readonly world: World;
  readonly globals: Globals;
  /** Whether a user can answer prompts. */
  readonly isInteractive: boolean;
  /** Prints a line to stderr, even with --quiet: warnings, and the details of a prompt. */
  say(text: string): Promise<void>;
  /** Prints a line to stderr, unless --quiet is given. */
  note(text: string): Promise<void>;
}

export function createDialog(world: World, globals: Globals): Dialog {
  // A notice that cannot be written must not change what the command does.
  const shown = hasLinks(world.stderr, world.env) ? sentenceWithLinks : (text: string) => text;
  const say = (text: string) =>
    world.stderr.write(`${shown(plainLines(text).replaceAll('\n', ' '))}\n`).catch(() => {});
  return {
    world,
    globals,
    isInteractive: !globals.noInput && !world.env['CI'] && world.stderr.isTerminal && world.stdin.isTerminal,
    say,
    note: async (text) => {
      if (!globals.quiet) await say(text);
    },
  };
}

const UNKNOWN_UNITS =
  'the response does not say whether its amounts are in tokens or in base units; see unit "unknown"';

/** Warns of what is wrong with a usable response. */
export async function warnOf(
  { say }: Pick<Dialog, 'say'>,
  { problems, hasUnknownUnits }: Reply<unknown>,
  isRead: boolean,
): Promise<void> {
  if (hasUnknownUnits) await say(`warning: ${UNKNOWN_UNITS}`);
  if (problems.length === 0) return;
  const where = problems.slice(0, 5).join(', ');
  const warning = isRead
    ? `the response lacks ${where}`
    : `the response does not match the contract at ${where}; it is treated as accepted`;
  await say(`warning: ${warning}`);
}
