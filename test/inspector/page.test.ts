import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
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
