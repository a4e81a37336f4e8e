import type { World } from '../base/world.ts';
import { plainLines } from '../present/text.ts';
import type { Globals } from './globals.ts';

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
