import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CATEGORIES, type Category } from '../../src/base/errors.ts';
import { conditionOf, FAULTS, type FaultName } from '../../src/contract/faults.ts';
import { REASONS } from '../../src/copy/questions/reasons.ts';
import { CONDITIONS } from '../commands/conditions.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** The exit codes of each error code, from the table. */
const CELLS = [...read('docs/errors.md').matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \| ([\d, to]+) \|/gm)].flatMap(
  ([, codes = '', exits = '']) =>
    codes.split(', ').map((code) => [code.replaceAll('`', ''), exits.trim().split(', ').map(Number)] as const),
);
const TABLE = new Map(CELLS);

/** A code in the source, and the category of the error that it is given to, if that stands in front of it. */
interface Found {
  readonly code: string;
  readonly category: Category | undefined;
}

/** Folders whose codes are the service's, not those of an error that is printed. */
const OF_THE_SERVICE = /^(contract|service|sandbox|derive|money)\//;
/** Codes that only the kit throws, when a handler has it read a request. */
const OF_HANDLERS = ['TOO_LARGE', 'TOO_SLOW', 'INCOMPLETE'];
/** Codes of errors of Node, which are not printed. */
const OF_NODE = ['ABORT_ERR', 'ADDRESS_REFUSED', 'BODY_TOO_LARGE', 'PROXY_TOO_LONG', 'ENOSPC'];

function codesIn(text: string): Found[] {
  return [...text.matchAll(/\bcode: ((?:[^,}'\n]|'[^']*')*)/g)].flatMap(({ 1: value = '', index }) => {
    const before = text.slice(Math.max(0, index - 600), index);
    const category = [...before.matchAll(/new CliError\(\s*(?:'([a-z-]+)'|\w)/g)].at(-1)?.[1] as Category | undefined;
    const nearest = Math.max(before.lastIndexOf('unfinishedRotation('), before.lastIndexOf('withDetails('));
    const isOurs = nearest < before.lastIndexOf('new CliError(');
    return [...value.matchAll(/'([A-Z][A-Z_]+)'/g)].map(([, code = '']) => ({
      code,
      category: isOurs ? category : undefined,
    }));
  });
}

/** Codes that the source puts together from parts. */
function builtCodes(): string[] {
  const stores = read('src/account/stores/command-store.ts');
  const keyring = read('src/account/stores/keyring-store.ts');
  const problems = /STATE_PROBLEMS.*?\n\};/s.exec(read('src/terminal/show/failures.ts'))?.[0] ?? '';
  const servers = /SERVER_PROBLEMS.*?\n\};/s.exec(read('src/terminal/show/failures.ts'))?.[0] ?? '';
  const categories: readonly Category[] = [
    'usage',
    'rejected',
    'failed',
    'network',
    'pending',
    'declined',
    'interrupted',
    'internal',
  ];
  return [
    ...[...stores.matchAll(/refuse\(\s*'([A-Z_]+)'/g)].map(([, code]) => `COMMAND_${code}`),
    ...[...keyring.matchAll(/'(KEYRING_[A-Z]+)'/g)].map(([, code = '']) => code),
    ...[...problems.matchAll(/^ {2}(\w+): \(path/gm)].map(([, problem = '']) => `STATE_${problem.toUpperCase()}`),
    ...[...servers.matchAll(/^ {2}(\w+): \(server(, of)?/gm)].flatMap(([, problem = '', ofAll]) =>
      ['JOURNAL', ...(ofAll ? ['COPY', 'INBOX'] : [])].map((of) => `${of}_${problem.toUpperCase()}`),
    ),
    ...[...read('src/client/client.ts').matchAll(/return '([A-Z_]+)'|: '([A-Z_]+)',$/gm)].map(
      ([, one, other]) => one ?? other ?? '',
    ),
    // An error without a code has the name of its category.
    ...categories.map((category) => category.toUpperCase()),
    ...CONDITIONS.map(({ code }) => code),
    // Of a refusal: the name of its condition.
    ...Object.keys(FAULTS).map((fault) => conditionOf(fault as FaultName)),
    // Why a webhook delivery is refused: a code of the kit, which the command line passes on.
    ...[...read('src/webhooks/error.ts').matchAll(/^ {2}([A-Z_]+): \d{3},$/gm)]
      .map(([, code = '']) => code)
      .filter((code) => !OF_HANDLERS.includes(code)),
  ];
}

const sources = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !OF_THE_SERVICE.test(path))
  .map((path) => read(`src/${path}`));

/** Reasons for which a figure is not known have a table of their own. */
const isReason = (code: string) => Object.hasOwn(REASONS, code);

const found = sources.flatMap(codesIn).filter(({ code }) => !OF_NODE.includes(code) && !isReason(code));
/** Codes that have a name of their own: `export const RESPONSE_NOT_DECRYPTED = 'RESPONSE_NOT_DECRYPTED'`. */
const named = sources.flatMap((text) =>
  [...text.matchAll(/^(?:export )?const ([A-Z_]+) = '\1';/gm)]
    .map(([, code = '']) => code)
    .filter((code) => !isReason(code)),
);

test('docs/errors.md lists every error code, and no other', () => {
  const all = new Set([...found.map(({ code }) => code), ...named, ...builtCodes()]);
  expect([...TABLE.keys()].toSorted()).toEqual([...all].toSorted());
  expect(all.size).toBeGreaterThan(80);
});

test('docs/errors.md has one row for a code', () => {
  const codes = CELLS.map(([code]) => code);
  expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
});

test('docs/errors.md lists the exit codes that each error code comes with', () => {
  const wrong = found.flatMap(({ code, category }) => {
    const exit = category && CATEGORIES[category].exit;
    return exit === undefined || TABLE.get(code)?.includes(exit) ? [] : [`${code} with ${exit}`];
  });
  expect(wrong).toEqual([]);
});
