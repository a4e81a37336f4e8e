import { describe, expect, onTestFinished, test } from 'vitest';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/base/world.ts';
import { type AnswerFormName, answerFormsOf } from '../../src/contract/answer-forms.ts';
import { main } from '../../src/main.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/app.ts';
import { GROUPS, type MoneyLine } from '../faults/money-groups.ts';
import { journalRows } from '../support/journal.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { ACCOUNT, type FakeWorld, fakeWorld } from '../support/world.ts';
import { furnished } from './furnished.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ADD_FAULT = 'INSERT INTO fault_rule (endpoint, kind, times, created_at) VALUES (?, ?, 1, ?)';

/** The rows of a list, as the service has them, and what its page shows. `sentMs` is when our request was sent. */
type OddPage = (rows: readonly Row[], asked: Asked, nowMs: number, sentMs: number) => readonly Row[];
type Row = Readonly<Record<string, unknown>> & { readonly createdAt: string };

interface Asked {
  /** Whether it is the first page. */
  readonly isFirst: boolean;
}

const atOf = ({ createdAt }: Row) => Date.parse(createdAt);
const oldestFirst = (rows: readonly Row[]) => rows.toSorted((one, other) => atOf(one) - atOf(other));
const newest = (rows: readonly Row[], count: number) => oldestFirst(rows).toReversed().slice(0, count);

const ODD: Readonly<Record<string, OddPage>> = {
  'cut to its 3 newest rows': (rows, { isFirst }) => (isFirst ? newest(rows, 3) : []),
  'cut to its 3 oldest rows': (rows, { isFirst }) => (isFirst ? oldestFirst(rows).slice(0, 3) : []),
  'emptied after the request': (rows, _asked, _nowMs, sentMs) =>
    rows.filter((row) => atOf(row) > sentMs + 2 * MINUTE_MS),
  empty: () => [],
  'late by 3 hours as a whole': (rows, _asked, nowMs) => rows.filter((row) => atOf(row) < nowMs - 3 * HOUR_MS),
  'without what is of the last half hour, and shuffled': (rows, _asked, nowMs) =>
    rows
      .filter((row) => atOf(row) < nowMs - HOUR_MS / 2)
      .toSorted(
        (one, other) => Number(String(one.createdAt).slice(-7, -4)) - Number(String(other.createdAt).slice(-7, -4)),
      ),
  'without what is from half an hour before the request to two minutes after it': (rows, _asked, _nowMs, sentMs) =>
    rows.filter((row) => atOf(row) < sentMs - HOUR_MS / 2 || atOf(row) > sentMs + 2 * MINUTE_MS),
  'oldest first': oldestFirst,
  shuffled: (rows) => rows.filter((_row, index) => index % 2).concat(rows.filter((_row, index) => index % 2 === 0)),
};

/** The rows that a list has before the request, where it must have some: what is added to their amounts, and how many minutes pass after each. */
const EARLIER: Readonly<Record<string, readonly (readonly [more: number, minutes: number])[]>> = {
  'late by 3 hours as a whole': [[1, 240]],
  'without what is from half an hour before the request to two minutes after it': [
    [1, 240],
    [8, 10],
  ],
};

/** What says how many rows a list has; an odd list does not say it. */
const COUNTS: readonly string[] = ['total', 'count', 'totalCount', 'hasMore', 'totalPages', 'totalItems'];

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && typeof (value as Row).createdAt === 'string';

function odd(value: unknown, page: (rows: readonly Row[]) => readonly Row[]): unknown {
  if (Array.isArray(value)) return value.length > 0 && value.every(isRow) ? page(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !COUNTS.includes(name));
  return Object.fromEntries(entries.map(([name, each]) => [name, odd(each, page)]));
}

function askedIn({ url }: HttpRequest): Asked {
  const { searchParams } = new URL(url);
  const isLater = ['offset', 'page', 'startAfter'].some((name) => !['0', '1', null].includes(searchParams.get(name)));
  return { isFirst: !isLater };
}

/** Draws the same from every choice. */
const always = (index: number) => ({
  one: <T>(of: readonly T[]): T => of[Math.min(index, of.length - 1)] as T,
  below: () => index,
  percent: () => false,
});

const LIVE = 'live-key-of-the-same-account';
const LIVE_ENV = { FIATRAIL_BASE_URL: 'http://127.0.0.1:9/v1', FIATRAIL_JOURNAL_ID: ACCOUNT.FIATRAIL_JOURNAL_ID };

/** Runs a command of a program in an account, confirmed. */
const run = (world: FakeWorld, argv: readonly string[]) => main([...argv, '--yes', '-q'], world);

/** A program in an account, which sends its requests through `network`. */
const worldIn = ({ clock }: TestSandbox, key: string, network: Exchange) =>
  fakeWorld({ clock, network, env: { ...LIVE_ENV, FIATRAIL_API_KEY: key } });

/** Sends a request of an account, whatever key its program has. */
function sentTo(box: TestSandbox, sandbox: Sandbox, request: HttpRequest): Promise<HttpResponse> {
  const given = request.headers['x-api-key'];
  return sandbox.fetch(request, { apiKey: given === LIVE ? box.apiKey : given, address: '127.0.0.1' });
}

/** What the commands of another program sent to move money. They send the same to each copy of the account. */
const recorded = new Map<string, readonly HttpRequest[]>();

/** Has another program in the account run a command: for real the first time, and then what it sent. */
function otherIn(box: TestSandbox) {
  let sent: HttpRequest[] = [];
  const send = async (request: HttpRequest) => {
    const answer = await sentTo(box, box.sandbox, request);
    if (answer.status !== 200) throw new Error(`another program: ${request.body}: ${answer.body}`);
    return answer;
  };
  const network: Exchange = (request, _signal, isRead) => {
    if (!isRead) sent.push(request);
    return isRead ? sentTo(box, box.sandbox, request) : send(request);
  };
  const world = worldIn(box, box.apiKey, network);
  return async (argv: readonly string[]) => {
    const known = recorded.get(argv.join(' '));
    for (const request of known ?? []) await send(request);
    if (known) return;
    sent = [];
    const exit = await run(world, argv);
    if (exit !== 0 || sent.length !== 1)
      throw new Error(`${argv.join(' ')}: exit ${exit}, ${sent.length} requests: ${world.stderr.text()}`);
    recorded.set(argv.join(' '), sent);
  };
}

/** A live account whose lists become odd, and another program that uses it too. */
async function rig(page: OddPage, form: AnswerFormName) {
  const { place, beginning } = await furnished();
  const box = await openSandbox({ beginning });
  onTestFinished(() => box.close());
  const formed = createSandbox(box.service, { forms: answerFormsOf(form) });
  const now = { sentMs: 0, isOdd: false };
  const network: Exchange = async (request, _signal, isRead) => {
    const answer = await sentTo(box, formed, request);
    const shown = (rows: readonly Row[]) => page(rows, askedIn(request), box.clock.now(), now.sentMs);
    const isOdd = isRead && now.isOdd && request.method === 'GET';
    return isOdd ? { ...answer, body: JSON.stringify(odd(JSON.parse(answer.body), shown)) } : answer;
  };
  return { box, own: worldIn(box, LIVE, network), other: otherIn(box), place, now };
}

const GROUPS_LISTED = GROUPS.filter(({ hasKeys }) => hasKeys);

const IS_LONG = process.env['FIATRAIL_SOAK_CAMPAIGN'] !== undefined;

/** The forms of answers that each list is tried in. */
const formsFor = (name: string): readonly AnswerFormName[] => [
  'interface',
  ...(IS_LONG || name === 'cut to its 3 newest rows' ? (['public'] as const) : []),
  ...(IS_LONG || name === 'emptied after the request' ? (['public-older'] as const) : []),
];

/** How many minutes pass before each look for what a request did: sooner or later than other requests would be seen. */
const waitsFor = (count: number): readonly number[] => {
  if (IS_LONG) return [1, 12, 65, 2];
  return count % 2 === 0 ? [1, 77] : [13, 67];
};

/** What is tried with a list: everything, or each second request in the form that all lists are tried in. */
const triedIn = <T>(all: readonly T[], name: string, form: AnswerFormName): readonly T[] => {
  const turn = Object.keys(ODD).indexOf(name);
  return IS_LONG || form !== 'interface' ? all : all.filter((_, index) => (index + turn) % 2 === 0);
};

describe.each(Object.entries(ODD))('a list that is %s', (name, page) => {
  test.each(formsFor(name))(
    'never shows that a request was not done which was, and nothing is done twice: %s',
    async (form) => {
      const { box, own, other, place, now } = await rig(page, form);
      const outcomes: Record<string, string> = {};
      const all = GROUPS_LISTED.flatMap((group) => {
        const lines = [0, 1, 2].map((index) => group.line(place, always(index), 0));
        return [...new Map(lines.map((line) => [line.endpoint, { group, line }])).values()];
      });
      expect(all.length).toBeGreaterThanOrEqual(11);
      const tried = triedIn(all, name, form);
      for (const { group, line } of tried) outcomes[line.endpoint] = await one(group, line);
      expect(outcomes).toEqual(Object.fromEntries(tried.map(({ line }) => [line.endpoint, 'once'])));

      /** Another program makes an equal request of another amount. */
      async function another({ like }: (typeof GROUPS)[number], line: MoneyLine, more: number): Promise<void> {
        const again = ['onramp', 'fx'].includes(line.argv[0] ?? '') ? [] : ['--again'];
        await other([...like(line, { more, tag: ' --no-tag' }).argv, ...again]);
      }

      /** Loses the response of a request, and looks for it as often as it can help. Returns how often it was done. */
      async function one(group: (typeof GROUPS)[number], line: MoneyLine): Promise<string> {
        const { work, like } = group;
        now.isOdd = false;
        box.clock.pass(5 * MINUTE_MS);
        for (const [more, minutes] of EARLIER[name] ?? []) {
          await another(group, line, more);
          box.clock.pass(minutes * MINUTE_MS);
        }
        const done = () => box.inside(({ store }) => store.all<{ id: string }>(work).map(({ id }) => id), 'read');
        const key = `${name} ${line.endpoint}`.replaceAll(' ', '-');
        await box.inside(({ store, nowMs }) => void store.run(ADD_FAULT, line.endpoint, 'lost-response', nowMs));
        const before = await done();
        now.sentMs = box.clock.now();
        const first = await run(own, [...line.argv, '--once', key]);
        const id = journalRows(own.stateDir).at(-1)?.id;
        const made = (await done()).filter((each) => !before.includes(each)).length;
        now.isOdd = true;
        for (let more = 2; more < 7; more++) {
          box.clock.pass(MINUTE_MS / 2);
          await another(group, line, more);
        }
        box.clock.pass(MINUTE_MS);
        const later = await run(own, [...like(line, { more: 7 }).argv, '--once', `${key}-later`]);
        for (const minutes of waitsFor(Object.keys(outcomes).length)) {
          box.clock.pass(minutes * MINUTE_MS);
          await run(own, ['ops', 'reconcile', String(id)]);
        }
        const middle = (await done()).length;
        const again = await run(own, [...line.argv, '--once', key]);
        const state = journalRows(own.stateDir).find((row) => row.id === id)?.state;
        const isRight =
          first === 6 &&
          made === 1 &&
          [0, 6].includes(later) &&
          (state === 'failed' ? again === 3 : [0, 6].includes(again));
        if (!isRight || (await done()).length !== middle || state === 'resolved')
          return `exit ${first}, ${later}, ${again}; made ${made}, then ${(await done()).length - middle}; ${state}`;
        return 'once';
      }
    },
  );
});
