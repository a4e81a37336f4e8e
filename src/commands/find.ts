import * as z from 'zod/mini';
import { advice, joined } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { Findings } from '../copy/questions/find.ts';
import type { Story } from '../copy/questions/story.ts';
import type { Account } from '../engine/account.ts';
import { DEFAULT_LIMIT } from '../engine/lists/pages.ts';
import type { Outcome } from '../engine/outcome.ts';
import { paginationSchema } from '../present/prints.ts';
import type { Column } from '../present/result.ts';
import { command } from '../terminal/command.ts';
import { pageOptions } from '../terminal/list-command.ts';
import { missingError } from '../terminal/parse/missing.ts';
import { someArguments, switchOn, word } from '../terminal/parse/parameters.ts';
import { factsIn } from '../things/fields.ts';
import { thingNamed } from '../things/index.ts';
import type { Thing } from '../things/thing.ts';

const time = () => z.nullable(z.iso.datetime());
const text = () => z.nullable(z.string());

/** What is printed of one thing, and of several or none. */
const storySchema = () =>
  z.object({
    kind: z.string(),
    id: z.string(),
    status: text(),
    means: text(),
    amount: z.nullable(z.unknown()),
    user: z.nullable(z.object({ userId: z.string(), name: text() })),
    row: z.unknown(),
    asOf: time(),
    timeline: z.array(
      z.object({ at: time(), what: z.string(), source: z.enum(['journal', 'service', 'copy', 'inbox']) }),
    ),
    next: z.array(z.object({ command: z.string() })),
  });
const matchesSchema = () =>
  z.object({
    matches: z.array(
      z.object({
        kind: z.string(),
        id: z.string(),
        status: text(),
        who: text(),
        at: time(),
        amount: z.nullable(z.unknown()),
        matchedBy: z.array(z.string()),
      }),
    ),
    pagination: paginationSchema(),
    looked: z.array(z.object({ place: z.enum(['copy', 'journal', 'inbox', 'service']), says: z.string() })),
    widen: z.array(z.string()),
  });

const MATCH_COLUMNS: readonly Column[] = [
  { field: 'kind', title: 'Kind' },
  { field: 'id', title: 'ID' },
  { field: 'status', title: 'Status' },
  { field: 'amount', title: 'Amount' },
  { field: 'who', title: 'Who' },
  { field: 'at', title: 'Time', isBrief: true },
];

/** The fields of a story for people: what is known of this kind of thing, then its timeline and what can be run next. */
function storyColumns(thing: Thing, { row, status, means, amount, user, asOf, next }: Story): readonly Column[] {
  const known = factsIn(thing, row).map(({ title, field }) => ({ field: `row.${field}`, title }));
  return [
    { field: 'kind', title: 'Kind' },
    { field: 'id', title: 'ID' },
    ...(status === null ? [] : [{ field: 'status', title: 'Status' }]),
    ...(means === null ? [] : [{ field: 'means', title: 'Meaning' }]),
    ...(amount === null ? [] : [{ field: 'amount', title: 'Amount' }]),
    ...(user
      ? [{ field: 'user.name', title: 'User' } as const, { field: 'user.userId', title: 'User ID' } as const]
      : []),
    ...known,
    ...(asOf === null ? [] : [{ field: 'asOf', title: 'As of' }]),
    {
      field: 'timeline',
      title: 'Timeline',
      columns: [
        { field: 'at', title: 'Time' },
        { field: 'what', title: 'What happened' },
        { field: 'source', title: 'Known from', isWide: true },
      ],
    },
    ...(next.length > 0
      ? [{ field: 'next', title: 'Next', columns: [{ field: 'command', title: 'Command' }] } as const]
      : []),
  ];
}

async function printed(account: Account, findings: Findings, size: number): Promise<Outcome> {
  const { matches, offset, after, isAlike, isTooCommon, story, looked, widen } = findings;
  if (isAlike) await account.notices.say('note: no name has what was typed; this is one letter off');
  if (story)
    return {
      result: {
        data: { ...story, next: story.next.map((each) => ({ command: each })) },
        columns: storyColumns(thingNamed(story.kind), story),
      },
    };
  const { matchRow } = await import('../copy/questions/choose.ts');
  const data = { matches: matches.map(matchRow), looked, widen };
  const isWhole = offset === 0 && after === null;
  const position = { limit: Number.isFinite(size) ? size : null, offset, hasMore: after !== null, after };
  const list = { isWhole, ...(isWhole ? {} : { position }) };
  const below = {
    title: 'Looked in',
    rows: looked.map(({ place, says }) => ({ place, says })),
    columns: [
      { field: 'place', title: 'Where' },
      { field: 'says', title: 'How far' },
    ],
  };
  const result = { data, lists: 'matches', list, columns: MATCH_COLUMNS, ...(looked.length > 0 ? { below } : {}) };
  if (isTooCommon)
    return {
      result,
      error: new CliError('usage', 'too many names have this part', {
        code: 'TOO_COMMON',
        hint: 'type more of the name',
      }),
    };
  if (matches.length > 0 || offset > 0) return { result };
  const hint =
    widen.length > 0
      ? advice`to look further, run: ${joined(
          widen.map((line) => advice`[fiatrail ${line.replace('fiatrail ', '').split(' ')}]`),
          ', or: ',
        )}`
      : undefined;
  return { result, error: new CliError('rejected', 'nothing was found', { code: 'NOT_FOUND', hint }) };
}

/** Reads what to look for. Throws CliError usage. */
async function typedIn(account: Account, words: readonly string[] | undefined, isPhone: boolean) {
  const given = words?.join(' ') ?? '';
  if (given === '')
    throw missingError(['<anything>'], {
      expected: 'an id, a hash, an address, a number, an amount or a name',
      hint: advice`for example: [fiatrail find 20400]`,
    });
  const { mayBeBvn, typedAs } = await import('../copy/questions/typed.ts');
  const isAsked = account.notices.isInteractive && mayBeBvn(given) && !isPhone;
  const isNumber =
    isAsked &&
    (await (
      await account.world.prompter()
    ).select('Are these 11 digits a phone number or a BVN?', [
      { name: 'a phone number', value: true },
      { name: 'a BVN', value: false },
    ]));
  return typedAs({ text: given, isPhone: isPhone || isNumber });
}

const findCommand = command({
  words: ['find'],
  summary: 'Find anything by id, hash, address, number, amount or name',
  details:
    'Searches the copy of the account’s lists (fiatrail sync), the journal and the inbox, and asks the service about ids that it can look up. Shows the history of what it finds on one timeline, and what you can run next. An amount may have a unit: 5,100, ₦5,100.00, N5.1k or "20 USDC". The first 6 characters of an id or a hash are enough. If no name matches, it finds names that differ by one letter. Eleven digits could be a BVN, which must not be on a command line, so a phone number needs --phone.',
  examples: [
    'fiatrail find REQUEST_ID',
    'fiatrail find ₦5,100.00',
    'fiatrail find "ifeoma obi"',
    'fiatrail find --bvn-stdin < bvn.txt',
  ],
  endpoints: [],
  prints: () => z.union([storySchema(), matchesSchema()]),
  parameters: {
    anything: {
      ...someArguments(
        'anything',
        'id or hash or its start, address, account number, bank reference, amount, or part of a name, label or narration',
        word,
        'What do you look for?',
      ),
      required: false,
    },
    phone: switchOn('--phone', 'treat eleven digits as a phone number'),
    bvnStdin: switchOn('--bvn-stdin', 'read a BVN from standard input, and find its onboarding'),
    ...pageOptions(),
  },
  asks: ({ bvnStdin }) => (bvnStdin ? [] : ['anything']),
  run: async (account, terminal, { anything, phone, bvnStdin, limit, after, all }) => {
    const { findAnything, findBvn } = await import('../copy/questions/find.ts');
    const { chooser } = await import('../copy/questions/choose.ts');
    const choose = chooser(account, terminal.globals.zone);
    const size = all ? Number.POSITIVE_INFINITY : (limit ?? DEFAULT_LIMIT);
    const typed = bvnStdin ? undefined : await typedIn(account, anything, phone);
    if (typed) return printed(account, await findAnything(account, typed, choose, { size, after }), size);
    if ((anything ?? []).length > 0)
      throw new CliError('usage', '<anything> cannot be combined with --bvn-stdin', { hint: 'remove one of them' });
    const bvn = (await account.world.stdin.readAll(1000)).replace(/\s/g, '');
    if (!/^\d{11}$/.test(bvn))
      throw new CliError('usage', 'invalid BVN on standard input; expected 11 digits', { code: 'VALIDATION_ERROR' });
    return printed(account, await findBvn(account, new Secret(bvn), choose), size);
  },
});

export const commands = [findCommand];
