import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { ROOT } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';

const written = readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8');

async function run(...argv: readonly string[]): Promise<string> {
  const world = fakeWorld({ isTerminal: false });
  expect(await main(['openapi', ...argv], world)).toBe(0);
  return world.stdout.text();
}

test('fiatrail openapi prints the document of the docs, byte for byte', async () => {
  expect((await run()) === written).toBe(true);
});

test.each([['json'], ['yaml']])('with -o %s, it prints the same as indented JSON', async (format) => {
  const text = await run('-o', format);
  expect(text.startsWith('{\n  "openapi": "3.1.0"')).toBe(true);
  expect(JSON.parse(text)).toEqual(JSON.parse(written));
});

test('a query selects a part', async () => {
  expect(JSON.parse(await run('--query', 'paths."/onboarduser".post.requestBody.content.*.example'))).toEqual([
    { bvn: '22222222222' },
  ]);
});
