import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { flushedFiles } from '../support/file-calls.ts';
import { bench, NEW, RESUME_COMMAND, ROTATE } from '../support/rotation-bench.ts';

test('the response is kept while the new key cannot be written anywhere else', async () => {
  const on = await bench();
  let blocked: string[] = [];
  on.service.regenerate = (replace) => {
    const name = on.left().find((each) => each.endsWith('.key')) ?? 'no file';
    blocked = [join(on.world.stateDir, 'rotations', name), join(on.world.homeDir, `.fiatrail-${name}`)];
    for (const path of blocked) {
      rmSync(path, { force: true });
      mkdirSync(path);
    }
    on.breakStore();
    return replace();
  };
  expect((await on.refused(ROTATE, 8)).code).toBe('KEY_NOT_STORED');
  expect(on.left()).toContainEqual(expect.stringMatching(/\.answer$/));
  for (const path of blocked) rmSync(path, { recursive: true });
  on.repairStore();
  expect((await on.run(RESUME_COMMAND)).code).toBe(0);
  expect({ stored: on.storedKey(), left: on.left() }).toEqual({ stored: NEW, left: [] });
});

test('once the response is written, a power cut at any time leaves the new key in a file', async () => {
  const on = await bench();
  const places: string[] = [];
  flushedFiles(on.world.homeDir, onTestFinished, (files) => {
    const holding = [...files].filter(([, text]) => text.includes(NEW)).map(([path]) => path.split('.').at(-1));
    places.push(holding.sort().join(' ') || 'none');
  });
  expect((await on.run(ROTATE)).code).toBe(0);
  const fromAnswer = places.slice(places.indexOf('answer'));
  const changes = fromAnswer.filter((each, index) => each !== fromAnswer[index - 1]);
  expect(changes).toEqual(['answer', 'answer key', 'key', 'key tmp', 'api-key key', 'api-key']);
});
