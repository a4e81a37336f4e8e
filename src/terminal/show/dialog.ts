import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import type { Notices } from '../../engine/notices.ts';
import { hasLinks, sentenceWithLinks } from '../../present/links.ts';
import { plainLines, visible } from '../../present/text.ts';
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
    askCode: (summary) => requireCode(world, summary),
    say,
    note: async (text) => {
      if (!globals.quiet) await say(text);
    },
  };
}

/** Letters and digits that are not mistaken for each other. */
const LETTERS = 'ACDEFHJKLMNPRTUVWXY34679';

const LENGTH = 5;

/** Shows a random code, which must be typed. Throws CliError declined if anything else is typed. */
async function requireCode({ ids, prompter }: World, summary: string): Promise<void> {
  const code = Array.from(ids.bytes(LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join('');
  const { text } = await prompter();
  const typed = await text(`Type ${code} to ${visible(summary)}:`, () => true);
  if (typed.trim().toUpperCase() === code) return;
  throw new CliError('declined', 'the code that was typed is not the one that was shown; nothing was sent', {
    code: 'RULE_CONFIRMATION',
    hint: 'run the command again, and type the new code',
  });
}
