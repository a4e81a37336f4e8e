import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/built.ts';

/** What leads to another journal, or to an earlier one: there, once keys that were used are free again. */
const LEADS_TO_ANOTHER =
  /_STATE_DIR|state folder|pg_dump|\bmv |start over|(?:move|put|rename|delete|remove|throw) (?:it|them|the (?:file|folder|journal)|[`\w.]*journal[`\w.]*) ?(?:away|aside|elsewhere)?|backup of the (?:database|journal)|restored? (?:a )?backup|(?:new|another|empty) database/i;

/** What names the consequence, or what fiatrail does about it. */
const CONSEQUENCE =
  /once key|another journal|journal of (?:its|their) own|own journal|has (?:its|an own) journal|what (?:it|was) recorded|ops verify --accept|sends? nothing|refuse|JOURNAL_|until (?:a person|you) accept/i;

/** Texts that match and lead to no other journal, each with the reason. */
const HARMLESS: Readonly<Record<string, string>> = {};

const PAGES = ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'scripts/man.ts'];

/** The files that people read, or that have what fiatrail says. */
function readTexts(): { readonly path: string; readonly text: string }[] {
  const below = (folder: string, ending: string) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ending))
      .map((name) => `${folder}/${name}`);
  const paths = [...PAGES, ...below('src', '.ts'), ...below('docs', '.md')];
  return paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** The lines of a page, and the strings of a program that are sentences. */
function saidIn({ path, text }: { readonly path: string; readonly text: string }): string[] {
  if (path.endsWith('.md')) return text.split('\n');
  return [...text.matchAll(/'[^'\n]* [^'\n]*'|`[^`]* [^`]*`/g)].map(([said]) => said);
}

test('nothing advises another state folder or an earlier journal without its consequence', () => {
  const found = readTexts().flatMap((file) =>
    saidIn(file)
      .filter((said) => LEADS_TO_ANOTHER.test(said) && !CONSEQUENCE.test(said))
      .map((said) => `${file.path}: ${said.trim().slice(0, 120)}`),
  );
  expect([...new Set(found)].sort()).toEqual(Object.keys(HARMLESS).sort());
});
