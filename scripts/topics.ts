/** Writes the topics of `fiatrail help` into docs/troubleshooting.md, so that the page and the program have one text. */
import { isStep, numbered } from '../src/terminal/help/help.ts';
import { TOPICS } from '../src/terminal/help/topics/index.ts';
import type { Topic, TopicBlock } from '../src/terminal/help/topics/topic.ts';

const [BEGIN, END] = [
  '<!-- topics, from src/terminal/help/topics/ by npm run reference -->\n',
  '<!-- end of topics -->\n',
];

/** Returns a page with the topics of today between its marks. */
export function withTopics(page: string): string {
  const [before, rest = ''] = page.split(BEGIN);
  const [, after] = rest.split(END);
  if (before === undefined || after === undefined) throw new Error('the marks of the topics are missing');
  return [before, BEGIN, '\n', ...TOPICS.map((topic) => `${topicSection(topic)}\n`), END, after].join('');
}

function topicSection(topic: Topic): string {
  const blocks = numbered(topic).map(({ block, number }) => blockText(block, number));
  return [`## ${topic.title}`, ...blocks, `\`fiatrail help ${topic.name}\` prints this. [More](${topic.more}).\n`].join(
    '\n\n',
  );
}

const fenced = (run: readonly string[]) => ['```sh', ...run, '```'].join('\n');

function blockText(block: TopicBlock, number: number): string {
  if (typeof block === 'string') return block;
  if (isStep(block)) return [`${number}. ${block.step}`, ...(block.run ? [fenced(block.run)] : [])].join('\n\n');
  if ('run' in block) return fenced(block.run);
  return ['| | |', '|---|---|', ...block.rows.map(([what, how]) => `| ${what} | ${how} |`)].join('\n');
}
