/** Writes the topics of `fiatrail help` into docs/how-to.md, so that the page and the program have one text. */
import { isStep, numbered } from '../src/terminal/help/help.ts';
import { TOPICS } from '../src/terminal/help/topics/index.ts';
import type { Topic, TopicBlock } from '../src/terminal/help/topics/topic.ts';

/** Returns a page that people write with a generated text between its marks: `topics, from src/…` names the text and its source. */
export function withBlock(page: string, source: string, text: string): string {
  const [name = ''] = source.split(',');
  const [begin, end] = [`<!-- ${source} by npm run reference -->\n`, `<!-- end of ${name} -->\n`];
  const [before, rest = ''] = page.split(begin);
  const [, after] = rest.split(end);
  if (before === undefined || after === undefined) throw new Error(`the marks of the ${name} are missing`);
  return [before, begin, text, end, after].join('');
}

/** Returns a page with the topics of today between its marks. */
export const withTopics = (page: string): string =>
  withBlock(
    page,
    'topics, from src/terminal/help/topics/',
    `\n${TOPICS.map((topic) => `${topicSection(topic)}\n`).join('')}`,
  );

function topicSection(topic: Topic): string {
  const blocks = numbered(topic).map(({ block, number }) => blockText(block, number));
  return [
    `## ${topic.title}`,
    ...blocks,
    `In a terminal: \`fiatrail help ${topic.name}\`. [More](${topic.more}).\n`,
  ].join('\n\n');
}

const fenced = (run: readonly string[]) => ['```sh', ...run, '```'].join('\n');

function blockText(block: TopicBlock, number: number): string {
  if (typeof block === 'string') return block;
  if (isStep(block)) return [`${number}. ${block.step}`, ...(block.run ? [fenced(block.run)] : [])].join('\n\n');
  if ('run' in block) return fenced(block.run);
  return ['| | |', '|---|---|', ...block.rows.map(([what, how]) => `| ${what} | ${how} |`)].join('\n');
}
