import type { World } from '../base/world.ts';
import { plainLines } from '../present/text.ts';
import type { Globals } from './globals.ts';

/** The person at the terminal, as far as there is one. */
export interface Dialog {
  readonly world: World;
  readonly globals: Globals;
  /** Whether someone is there to answer a prompt. */
  readonly isInteractive: boolean;
  /** Prints a line on stderr, with --quiet too: prompts, and what went wrong. */
  say(text: string): Promise<void>;
  /** Prints a line on stderr, unless --quiet. */
  note(text: string): Promise<void>;
}

export function createDialog(world: World, globals: Globals): Dialog {
  // A notice that nobody can read changes nothing of what the command does.
  const say = (text: string) => world.stderr.write(`${plainLines(text).replaceAll('\n', ' ')}\n`).catch(() => {});
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
