import type { Group } from '../command.ts';
import { commandHelp, groupHelp } from './command-help.ts';
import { commandsPage, firstScreen } from './first-screen.ts';
import { optionsPage } from './global-options.ts';
import { HELP_COLUMNS } from './layout.ts';

/** Returns the help of a command, of a group or part of one, or of the program if there are no words. */
export async function helpOf(
  words: readonly string[],
  catalogue: readonly Group[],
  columns = HELP_COLUMNS,
): Promise<string> {
  const group = catalogue.find(({ name }) => name === words[0]);
  if (!group) return firstScreen(catalogue, columns);
  const commands = await group.load();
  const found = commands.find((each) => each.words.join(' ') === words.join(' '));
  return found ? commandHelp(found, columns) : groupHelp(group, commands, words, columns);
}

/** Returns the page of `fiatrail help NAME`, if it is not the help of a command. */
export async function pageNamed(
  words: readonly string[],
  catalogue: readonly Group[],
  columns = HELP_COLUMNS,
): Promise<string | undefined> {
  const name = words.join(' ');
  if (name === 'commands') return commandsPage(catalogue, columns);
  if (name === 'options') return optionsPage(columns);
  const { topicPage, topicsPage } = await import('./topic-page.ts');
  if (name === 'topics') return topicsPage(columns);
  const page = topicPage(name, columns);
  if (page !== undefined || catalogue.some((group) => group.name === words[0])) return page;
  // `help refunds` is the page that `refunds` leads to.
  const [best = ''] = (await import('./suggest.ts')).meaningOf([], words)?.split(', ') ?? [];
  return best.startsWith('help ') ? pageNamed(best.split(' ').slice(1), catalogue, columns) : undefined;
}
