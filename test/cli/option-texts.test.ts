import { expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';

const COMMANDS = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();

/** Flags with more than one meaning, which docs/contributing/naming.md allows, or whose text names what it is about: how many texts they have. */
const SEVERAL: Readonly<Record<string, number>> = {
  // Of what: Naira, tokens, max or all, tokens to sell, or either side of a pair.
  '--amount': 5,
  // Pages, operations with an unknown outcome, accepted operations, plans.
  '--all': 4,
  '--to': 7,
  '--from': 3,
  '--reason': 7,
  '--accept': 3,
  '--check': 2,
  '--save-to': 2,
  '--base-url': 2,
  '--bvn-stdin': 2,
  '--by': 4,
  // Figures of a report, a statement, income and profit.
  '--rows': 4,
  // Rows of a file, or things of a sandbox.
  '--count': 2,
  '--default': 2,
  '--days': 2,
  '--event': 2,
  '--every': 2,
  '--from-network': 2,
  '--checkpoint': 2,
  '--here': 2,
  '--keep': 2,
  '--kind': 2,
  '--late': 2,
  '--limit': 3,
  '--note': 2,
  '--once': 3,
  '--pair': 2,
  '--port': 2,
  '--print-key': 2,
  '--private-key-stdin': 2,
  '--request-id': 2,
  '--secret-stdin': 2,
  '--service-name': 2,
  '--slippage': 2,
  '--target': 2,
  '--to-network': 2,
  // Of a list, a period; of a simulation, its last day.
  '--until': 2,
  '--users': 2,
  // For whom it is allowed to begin, which is no work that finishes.
  '--wait': 2,
};

/** What the text of a flag has in every list, around what only that list has. */
const FORMS: Readonly<Record<string, RegExp>> = {
  '--status': /^[a-z_-]+(, [a-z_-]+)+ \(default all\)$/,
  '--type': /^[a-z_]+(, [a-z_]+)+ \(default all\)$/,
  '--search': /^only rows whose [^;]* contains this(, such as .*)?$/,
};

const options = COMMANDS.flatMap(({ parameters }) =>
  Object.values(parameters).flatMap(({ kind, name, help }) =>
    kind === 'option' ? [{ flag: /--[\w-]+/.exec(name)?.[0] ?? name, help }] : [],
  ),
);

/** A text without what differs with the command: its default, and the flag that it goes with. */
const meaningOf = (help: string) => help.replace(/ \(default [^)]*\)$/, '').replace(/^with --[a-z-]+: /, '');

/** A choice is listed with `or` where one is needed, and with commas where a list is filtered by it. */
const isChoice = (help: string) => / \(default all\)$/.test(help);

test('an option of one meaning has one text', () => {
  const texts = Map.groupBy(
    options.filter(({ flag, help }) => FORMS[flag] === undefined && !isChoice(help)),
    ({ flag }) => flag,
  );
  const found = [...texts].flatMap(([flag, each]) => {
    const own = new Set(each.map(({ help }) => meaningOf(help)));
    return own.size === (SEVERAL[flag] ?? 1) ? [] : [{ flag, texts: [...own] }];
  });
  expect(found).toEqual([]);
  expect(Object.keys(SEVERAL).filter((flag) => !texts.has(flag))).toEqual([]);
});

test('an option that filters a list has the form of its flag', () => {
  expect(options.filter(({ flag, help }) => FORMS[flag] !== undefined && !FORMS[flag].test(help))).toEqual([]);
});

test('a default stands at the end, and what can be repeated is said in one place', () => {
  const all = COMMANDS.flatMap(({ parameters }) => Object.values(parameters).map(({ help }) => help));
  expect(all.filter((help) => /\((default\)|default:? [^)]*\) \w)|by default|; default\b/.test(help))).toEqual([]);
  expect(all.filter((help) => /\b(can|may) be (repeated|given more than once)/.test(help))).toEqual([]);
  expect(all.filter((help) => help.includes("'s") || /\.$/.test(help))).toEqual([]);
});
