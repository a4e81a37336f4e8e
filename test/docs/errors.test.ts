import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/built.ts';

const PAGE = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8').replace(/^<!-- subjects: .* -->\n/gm, '');

/** The codes in the first column of the table of error codes. */
const CODES = new Set(
  [...PAGE.matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \| \d/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code),
  ),
);
const entries = PAGE.split(/^(?=##)/m)
  .filter((section) => section.startsWith('### '))
  .map((section) => {
    const [, code = section, text = ''] = /^### `([A-Z_]+)`\n\n(.*)$/s.exec(section) ?? [];
    return { code, text };
  });

test('every code that docs/errors.md explains is in its table, once', () => {
  const codes = entries.map(({ code }) => code);
  expect(codes.filter((code) => !CODES.has(code))).toEqual([]);
  expect(codes).toEqual([...new Set(codes)]);
  expect(codes.length).toBeGreaterThan(24);
});

test('every entry is short and says what to type', () => {
  for (const { code, text } of entries) {
    expect({ code, isShort: text.length < 600 }).toEqual({ code, isShort: true });
    expect({ code, types: /`--?[a-z]|fiatrail |controls\.md/.test(text) }).toEqual({ code, types: true });
  }
});
