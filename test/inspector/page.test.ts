import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { actionsOf } from '../../src/terminal/show/actions.ts';
import { newHome, ROOT, requireBuilt, startFiatrail } from '../support/built.ts';
import { ask } from './asking.ts';

test('page, script and style together stay under 120 kB', async () => {
  requireBuilt();
  const running = startFiatrail(newHome(onTestFinished), ['inspect', '-o', 'json']);
  onTestFinished(async () => {
    running.kill('SIGTERM');
    await running.end;
  });
  const { origin } = new URL((JSON.parse(await running.firstLine()) as { url: string }).url);
  const replies = await Promise.all(['/', '/page.js', '/page.css'].map((path) => ask(origin, path)));
  for (const { body } of replies) expect(body.length).toBeGreaterThan(100);
  const bytes = replies.reduce((all, { body }) => all + gzipSync(body).length, 0);
  expect(bytes).toBeLessThan(120_000);
});

test('text has three sizes', () => {
  const styles = ['page.css', 'book.css'].map((name) =>
    readFileSync(join(ROOT, 'src', 'inspector', 'page', name), 'utf8'),
  );
  const sizes = styles.join('').matchAll(/font-size: ([^;]+);/g);
  expect([...new Set([...sizes].map(([, size]) => size))].sort()).toEqual(['1rem', 'var(--large)', 'var(--small)']);
});

/** The command lines that the page says to type, without `fiatrail`; what it fills in is VALUE. */
function typedLines(): string[] {
  const folder = join(ROOT, 'src', 'inspector', 'page');
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.tsx'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const found = texts.join('\n').matchAll(/(?:`|<code>\s*)fiatrail ([^`<]+?)\s*(?:`|<\/code>)/g);
  return [...new Set([...found].map(([, line = '']) => line.replace(/\{[^{}]*\}/g, 'VALUE')))].sort();
}

test.each(typedLines())('what the page says to type is a whole command: fiatrail %s', async (line) => {
  const words = line.split(' ');
  const [name] = words;
  const commands = (await CATALOGUE.find((each) => each.name === name)?.load()) ?? [];
  expect(commands.some((each) => each.words.every((word, at) => word === words[at]))).toBe(true);
  const advised = words.map((text) => ({ text, isNeeded: /^[A-Z_]+$/.test(text) }));
  const [{ needs = [] } = {}] = await actionsOf([advised], CATALOGUE);
  // What is needed is there, as something to fill in.
  const missing = needs.filter((each) => each.startsWith('-') && !words.includes(each));
  expect(missing).toEqual([]);
  expect(needs.length > 0).toBe(words.some((each) => /^[A-Z_]+$/.test(each)));
});
