import type { World } from '../../base/world.ts';
import type { Notices } from '../../engine/notices.ts';
import { hasLinks, sentenceWithLinks } from '../../present/links.ts';
import { plainLines } from '../../present/text.ts';
import type { Globals } from '../parse/globals.ts';

/** Messages and prompts on the terminal, if there is one. */
export interface Dialog extends Notices {
  readonly globals: Globals;
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
    askCode: async (summary) => (await import('../ask/code.ts')).requireCode(world, summary),
    say,
    note: async (text) => {
      if (!globals.quiet) await say(text);
    },
  };
}
