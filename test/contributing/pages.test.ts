import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/built.ts';
import { type Edit, edited, PAGES, READ_ELSEWHERE, stepsOf } from './page.ts';

/** The short form: every edit of a page fits the files as they are now. `npm run soak` makes the edits in a copy and runs the commands. */
describe.each(PAGES)('docs/contributing/%s.md', (page) => {
  test('names files and lines that exist', () => {
    const texts = new Map<string, string>();
    const textOf = (path: string) => texts.get(path) ?? readFileSync(join(ROOT, path), 'utf8');
    const steps = stepsOf(page);
    for (const step of steps) {
      if (step.kind === 'run') continue;
      if (step.kind === 'create')
        expect({ path: step.path, exists: existsSync(join(ROOT, step.path)) }).toMatchObject({ exists: false });
      texts.set(step.path, edited(step, step.kind === 'create' ? '' : textOf(step.path)));
    }
    expect(texts.size).toBeGreaterThan(2);
  });

  test('ends with the checks', () => {
    const last = stepsOf(page).at(-1);
    expect(last?.kind === 'run' && last.commands.at(-1)).toBe('npm run check');
  });
});

test('every page is followed, or read by the test that is named', () => {
  for (const [page, reader] of Object.entries(READ_ELSEWHERE))
    expect(readFileSync(join(ROOT, reader), 'utf8')).toContain(`docs/contributing/${page}.md'`);
});

const editsOf = (page: string) => stepsOf(page).filter((step): step is Edit => step.kind !== 'run');

test('a thing takes four files of the source, beside the facts of the contract', () => {
  const paths = new Set(editsOf('add-a-thing').map(({ path }) => path));
  const ofSource = [...paths].filter((path) => path.startsWith('src/'));
  expect(ofSource.filter((path) => path.startsWith('src/contract/')).length).toBe(4);
  expect(ofSource.filter((path) => !path.startsWith('src/contract/')).length).toBe(4);
});

test('an endpoint takes twelve edits in eight files, three of them for the API document', () => {
  const edits = editsOf('add-an-endpoint');
  expect({ edits: edits.length, files: new Set(edits.map(({ path }) => path)).size }).toEqual({ edits: 12, files: 8 });
});
