import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { ROOT } from '../support/built.ts';

/** What may lead to another journal, or to an earlier one: there, idempotency keys that were used are free again. */
const LEADS_TO_ANOTHER =
  /_STATE_DIR|\bpg_dump|\bmv |start over|\brm .*journal|\b(move|rename) (it|that file|the (file|folder|journal)|journal\.db)\b|(delete|remove) (the journal|journal\.db)|backup of the (database|journal)|(new|another|empty) database/i;

/** What names the consequence, or what fiatrail does about it. */
const CONSEQUENCE = /idempotency keys?\b|another journal|recorded is lost|verify --accept/i;

/** What matches and leads to no other journal. Each begins like this. */
const HARMLESS: Readonly<Record<string, string>> = {
  "src/commands/sync.ts: 'use pg_dump": 'a copy loses nothing',
  'docs/cookbook.md: mv "$HOME/dashboard': 'a report of a script',
  'docs/stored-where.md: | `STATE` |': 'says where the folder is',
  "src/terminal/show/failures.ts: 'use another database": 'this one has no journal',
  "src/terminal/show/failures.ts: 'restore a backup of the database'": 'a local copy or an inbox, which have no keys',
  "src/terminal/show/failures.ts: 'a file is in the place of a folder":
    'the file is no journal: it is in the way of its folder',
  "src/commands/agent.ts: 'move it away": 'a skill, or settings of an agent',
  "src/commands/completion/index.ts: 'move it away": 'a completion script',
  'src/commands/doctor/machine.ts: `mv ${': 'the file is no journal: it is in the way of its folder',
  "src/terminal/show/failures.ts: 'export it with that version": 'the journal is moved whole',
  'src/files/inspect.ts: `a file is in the place of a folder': 'the file is no journal: it is in the way of its folder',
  "src/files/part-file.ts: 'move it away": 'an unfinished list',
  'src/files/part-file.ts: `move it away': 'an unfinished list',
  "src/files/private-folder.ts: 'move it away": 'what is in the way is no file of fiatrail',
  'src/files/versioned-file.ts: `fix it': 'a profile or settings',
};

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
  return [...text.matchAll(/'[^'\n]* [^'\n]*'|`[^`\n]* [^`\n]*`/g)].map(([said]) => said);
}

test('nothing advises another state folder or an earlier journal without its consequence', () => {
  const found = readTexts().flatMap((file) =>
    saidIn(file)
      .filter((said) => LEADS_TO_ANOTHER.test(said) && !CONSEQUENCE.test(said))
      .map((said) => `${file.path}: ${said.trim()}`),
  );
  const isHarmless = (said: string) => Object.keys(HARMLESS).some((start) => said.startsWith(start));
  expect(found.filter((said) => !isHarmless(said))).toEqual([]);
  // An exception that is no longer needed must go.
  expect(Object.keys(HARMLESS).filter((start) => !found.some((said) => said.startsWith(start)))).toEqual([]);
});

/** The commands that move money. */
const MOVING = [...new Set(endpoints.flatMap(({ moves }) => moves?.command ?? []))];

/** What may lead to a second movement: a command that moves money, or a way to have one done again. */
const LEADS_TO_MOVEMENT = new RegExp(
  `fiatrail (${MOVING.join('|')})\\b|--again\\b|--once KEY|another (idempotency )?key\\b`,
);

/** Every sentence of the program that may, outside of help: the error code that it is a hint of, if any, and why it moves nothing twice. */
const MOVES_ONCE: Readonly<Record<string, readonly [code: string | undefined, why: string]>> = {
  'src/contract/faults.ts: `fund the user first': ['NO_FUNDED_WALLET', 'nothing was done, and it brings money in'],
  'src/contract/endpoints/virtual-accounts.ts: `start a new onramp': ['VALIDATION_ERROR', 'the account has expired'],
  "src/engine/guard.ts: 'use another key, or the input": ['ONCE_KEY_TAKEN', 'the input is another one'],

  "src/engine/guard.ts: 'to repeat it, add --again": ['REPEATED', 'the first one is known to be done'],
  "src/engine/sending/once.ts: 'use another idempotency key": ['USAGE', 'nothing was sent'],
  "src/engine/evidence/recorded.ts: 'this is final": ['FAILED', 'the work is known to have failed'],
  "src/commands/fees/sweep.ts: 'this is final": ['FAILED', 'the work is known to have failed'],
  "src/commands/fees/sweep.ts: 'for the rest": ['REJECTED', 'the part that stopped it is known to be undone'],
  'src/commands/fx/prices.ts: `run it again later': ['PRICE_LIMIT', 'nothing was sent'],
  "src/engine/rules/verdicts.ts: 'add --once KEY": ['RULE_ONCE_KEY', 'nothing was sent'],
  'src/terminal/parse/field-options.ts: `get its price': ['VALIDATION_ERROR', 'nothing was sent'],
  'src/commands/fx/index.ts: `the quote is valid': [undefined, 'a quote moves nothing'],
  "src/commands/api.ts: 'Fields are sent as given": [undefined, 'help of a command'],
  'src/commands/fees/withdraw.ts: \'"max" withdraws everything': [undefined, 'help of a command'],
  "src/crypto/sealed-box.ts: 'encrypted for another key": [undefined, 'a key that opens responses'],
  "src/engine/rotation/resume.ts: 'another key works": [undefined, 'an API key'],
};

test('no sentence leads to a second movement, whatever its error code', () => {
  const found = readTexts()
    .filter(({ path }) => path.startsWith('src/') && !path.startsWith('src/terminal/help/'))
    .flatMap((file) =>
      saidIn(file)
        // An example of a command's help begins with the command.
        .filter((said) => LEADS_TO_MOVEMENT.test(said) && !/^['`]fiatrail /.test(said))
        .map((said) => `${file.path}: ${said.trim()}`),
    );
  expect(found.filter((said) => !Object.keys(MOVES_ONCE).some((start) => said.startsWith(start)))).toEqual([]);
  // An exception that is no longer needed must go, and a code must be one that is documented.
  const codes = Object.values(MOVES_ONCE).flatMap(([code]) => code ?? []);
  const documented = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8');
  expect(codes.filter((code) => !documented.includes(`\`${code}\``))).toEqual([]);
  expect(Object.keys(MOVES_ONCE).filter((start) => !found.some((said) => said.startsWith(start)))).toEqual([]);
});
