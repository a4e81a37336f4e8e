import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { visible } from '../../present/text.ts';

/** Letters and digits that are not mistaken for each other. */
const LETTERS = 'ACDEFHJKLMNPRTUVWXY34679';

const LENGTH = 5;

/** Shows a random code, which must be typed. Throws CliError declined if anything else is typed. */
export async function requireCode({ ids, prompter }: Pick<World, 'ids' | 'prompter'>, summary: string): Promise<void> {
  const code = Array.from(ids.bytes(LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join('');
  const { text } = await prompter();
  const typed = await text(`Type ${code} to ${visible(summary)}:`, () => true);
  if (typed.trim().toUpperCase() === code) return;
  throw new CliError('declined', 'the code that was typed is not the one that was shown; nothing was sent', {
    code: 'RULE_CONFIRMATION',
    hint: 'run the command again, and type the new code',
  });
}
