import { type HelpRow, paragraphs, table, widest } from './layout.ts';
import { TOPICS } from './topics/index.ts';
import type { Topic, TopicBlock } from './topics/topic.ts';

/** Code needs no marks where everything is in one font. */
const plain = (text: string) => text.replaceAll('`', '');

/** Returns the page of a topic, if there is one of this name. */
export function topicPage(name: string, columns: number): string | undefined {
  const topic = TOPICS.find((each) => each.name === name);
  if (!topic) return undefined;
  const parts = numbered(topic).flatMap(({ block, number }) => ['', ...blockLines(block, number, columns)]);
  return `${[topic.title, ...parts, '', `More: docs/${topic.more}, and fiatrail help topics`].join('\n')}\n`;
}

/** Gives each step its number. */
export function numbered({ blocks }: Topic): { readonly block: TopicBlock; readonly number: number }[] {
  return blocks.map((block, at) => ({ block, number: blocks.slice(0, at + 1).filter(isStep).length }));
}

export const isStep = (block: TopicBlock): block is Extract<TopicBlock, { step: string }> =>
  typeof block !== 'string' && 'step' in block;

const commandLines = (run: readonly string[], indent: string) => run.map((line) => `${indent}$ ${line}`);

function blockLines(block: TopicBlock, number: number, columns: number): string[] {
  if (typeof block === 'string') return paragraphs(plain(block), columns);
  if (isStep(block)) {
    const [first = '', ...rest] = paragraphs(plain(block.step), columns - 3);
    return [`${number}. ${first}`, ...rest.map((line) => `   ${line}`), ...commandLines(block.run ?? [], '     ')];
  }
  if ('run' in block) return commandLines(block.run, '  ');
  const rows = block.rows.map(([what, how]): HelpRow => [plain(what), plain(how)]);
  return table(rows, columns, widest(rows));
}

/** Returns the list of topics. */
export function topicsPage(columns: number): string {
  const rows = TOPICS.map(({ name, title }): HelpRow => [name, title]);
  const lines = ['Topics, which fiatrail help TOPIC prints:', ...table(rows, columns, widest(rows))];
  return `${[...lines, '', 'The pages below docs/ say more.'].join('\n')}\n`;
}
