import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { main } from '../../src/main.ts';
import { helpOf, pageNamed } from '../../src/terminal/help/help.ts';
import { TOPICS } from '../../src/terminal/help/topics/index.ts';
import type { Topic } from '../../src/terminal/help/topics/topic.ts';
import { parse } from '../../src/terminal/parse/program.ts';
import { parseLine } from '../examples/shell.ts';
import { ROOT } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';

/** The texts of a topic between backticks, and its command lines. */
function codeIn({ blocks }: Topic): string[] {
  return blocks.flatMap((block) => {
    if (typeof block === 'string') return spansIn(block);
    if ('step' in block) return [...spansIn(block.step), ...(block.run ?? [])];
    return 'run' in block ? block.run : block.rows.flat().flatMap(spansIn);
  });
}

const spansIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

const linesOf = (topic: Topic) => codeIn(topic).filter((code) => code.startsWith('fiatrail '));

/** Returns what is wrong with a command line: it names no command, lacks a word, or has an unknown flag. */
async function problemOf(line: string): Promise<string | undefined> {
  const [[, ...words] = []] = parseLine(line).programs;
  if (words[0] === 'help') return (await pageNamed(words.slice(1), CATALOGUE)) ? undefined : `${line}: no page`;
  return parse(words, CATALOGUE, fakeWorld()).then(
    () => undefined,
    (error: Error) => `${line}: ${error.message}`,
  );
}

describe.each(TOPICS)('the topic $name', (topic) => {
  test('has a short page', async () => {
    const page = (await pageNamed([topic.name], CATALOGUE)) ?? '';
    const lines = page.trimEnd().split('\n');
    expect(lines[0]).toBe(topic.title);
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.filter((line) => line.length > 80 && !line.includes('$ '))).toEqual([]);
  });

  test('is printed by fiatrail help', async () => {
    const world = fakeWorld();
    const code = await main(['help', topic.name], world);
    expect({ code, stdout: world.stdout.text(), stderr: world.stderr.text() }).toEqual({
      code: 0,
      stdout: await pageNamed([topic.name], CATALOGUE),
      stderr: '',
    });
  });

  test('shows commands, each of which can be typed', async () => {
    const problems = await Promise.all(linesOf(topic).map(problemOf));
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
    expect(linesOf(topic)).not.toEqual([]);
  });

  test('is no command, and names a page of docs/', () => {
    expect(CATALOGUE.map(({ name }) => name)).not.toContain(topic.name);
    expect(readdirSync(join(ROOT, 'docs'))).toContain(topic.more);
  });
});

test('a command that cannot be typed is found', async () => {
  const problems = ['users lst', 'users list --nope', 'fx', 'help nothing'].map((words) =>
    problemOf(`fiatrail ${words}`),
  );
  expect((await Promise.all(problems)).map((problem) => problem !== undefined)).toEqual([true, true, true, true]);
});

test('a leaked key: what stops the thief comes first', () => {
  const topic = TOPICS.find(({ name }) => name === 'leaked-key');
  const lines = topic ? linesOf(topic) : [];
  const order = ['keys rotate', 'ip list', 'webhooks set', 'keys encryption rotate', 'profiles approvers list'];
  const places = order.map((name) => lines.findIndex((line) => line.startsWith(`fiatrail ${name}`)));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('the list of topics has each of them, and the first screen names it', async () => {
  const page = (await pageNamed(['topics'], CATALOGUE)) ?? '';
  for (const { name, title } of TOPICS)
    expect(page).toMatch(new RegExp(`^  ${name} +${title.replace(/[()]/g, '\\$&')}$`, 'm'));
  expect(new Set(TOPICS.map(({ name }) => name)).size).toBe(TOPICS.length);
  expect(await helpOf([], CATALOGUE)).toContain('fiatrail help commands | options | topics');
});
