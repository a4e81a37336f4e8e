import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { HttpRequest } from '../../src/base/world.ts';
import { parseExactJson } from '../../src/money/decimal.ts';
import { lineOf, run, SERVICE, UNSHOWN } from './answer-commands.ts';
import { type DocumentedAnswer, exitsOf, missingFacts, readAnswers } from './answers.ts';
import { failuresOf } from './failures.ts';
import { generatedAnswer } from './generated-answers.ts';
import { type Mistake, mistakesIn } from './oracle.ts';
import { aligned } from './repeats.ts';
import { refusalsOf, type Variation, variationsOf } from './variations.ts';
import { WITNESS, witnessOf } from './wire.ts';

/** All of them; otherwise so many that each kind and each endpoint is tried. */
const IS_LONG = Number(process.env['FIATRAIL_SOAK_ANSWERS'] ?? 0) > 0;
/** Of each kind, one of so many is tried, and of an endpoint that moves money, one of half as many. */
const STEP = 320;
/** There are many more failures than all else, and how one is read depends little on the endpoint. */
const FAILURE_STEP = 960;

type Outcome = Awaited<ReturnType<typeof run>>;

// A read is retried a few times. No wait between two attempts takes time here.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }).setTimerTickMode('nextTimerAsync');
});
afterEach(() => {
  vi.useRealTimers();
});

const DOCUMENTED = readAnswers(SERVICE).filter(
  ({ endpoint, request }) =>
    lineOf(endpoint) !== undefined && !UNSHOWN.includes(endpoint) && request?.['sealedTo'] === undefined,
);
const GENERATED = [...WITNESS.values()].flatMap((witness) => {
  const like = DOCUMENTED.find((answer) => witnessOf(answer.endpoint).id === witness.id && isSuccess(answer));
  return generatedAnswer(witness, like?.request) ?? [];
});
const ANSWERS = [...DOCUMENTED, ...GENERATED];
const ENDPOINTS = [...new Set(ANSWERS.map(({ endpoint }) => endpoint))];
/** What the answers of `api` mean is for whoever calls it. */
const isForPeople = (answer: DocumentedAnswer) => lineOf(answer.endpoint)?.(answer.request ?? {})[0] !== 'api';

function effectOf({ endpoint, request }: DocumentedAnswer) {
  const { effect } = witnessOf(endpoint);
  const isReading = /^(list|check)$/.test(String(request?.['action']));
  return isReading ? 'read' : (effect as 'read' | 'write' | 'destructive' | 'money');
}

/** The fields of a request: of its body, its query and its path. */
function sentIn({ endpoint }: DocumentedAnswer, { url, body }: HttpRequest): Readonly<Record<string, unknown>> {
  const { pathname, searchParams } = new URL(url);
  const parts = (endpoint.split(' ')[1] ?? '').split('/');
  const values = pathname.replace(/^\/v1/, '').split('/');
  const inPath = parts.flatMap((part, index) => (part.startsWith(':') ? [[part.slice(1), values[index]]] : []));
  const inBody = (body ? parseExactJson(body) : {}) as Readonly<Record<string, unknown>>;
  const { orderType, baseCurrency, quoteCurrency } = inBody;
  const asOrder = orderType
    ? { side: orderType, pair: `${String(baseCurrency).toUpperCase()}-${String(quoteCurrency).toUpperCase()}` }
    : {};
  return { ...asOrder, ...inBody, ...Object.fromEntries(searchParams), ...Object.fromEntries(inPath) };
}

const COUNTS = [
  'wrong amounts',
  'wrong assets',
  'wrong states or exits',
  'contradictions unnoticed',
  'false contradictions',
] as const;
type Count = (typeof COUNTS)[number];

interface Case {
  readonly kind: string;
  readonly endpoint: string;
  readonly name: string;
  judge(): Promise<readonly (readonly [Count, string])[]>;
}

const countOf: Readonly<Record<Mistake['of'], Count>> = { amount: 'wrong amounts', asset: 'wrong assets' };

/** The facts of a documented answer that its command shows. */
function shownFacts(answer: DocumentedAnswer, { code, printed, err }: Outcome): DocumentedAnswer {
  const missing = missingFacts(answer, printed, code === 0 ? '' : err);
  const facts = Object.entries(answer.expect).filter(([name]) => !missing.includes(name));
  // A state that the contract does not know keeps its case.
  return { ...answer, expect: Object.fromEntries(facts.map(([name, value]) => [name, lower(value)])) };
}

function lower<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).toLowerCase());
}

/** What is wrong with how a command ended for a variation. */
function judged(
  variation: Variation,
  known: DocumentedAnswer,
  outcome: Outcome,
  request: Readonly<Record<string, unknown>>,
) {
  const { answer, must, contradictedAt } = variation;
  const { code = -1, printed, err, asked } = outcome;
  const said = `exit ${code} ${err.split('\n').findLast((line) => line !== '') ?? ''}`;
  const exchanged = { endpoint: answer.endpoint, request, body: answer.body, contradictedAt };
  // Of an answer to another request, no figure is right.
  const mistakes = must === 'contradiction' ? [] : mistakesIn(exchanged, printed);
  const found: (readonly [Count, string])[] = mistakes.map(({ of, what }) => [countOf[of], what]);
  const unusable = effectOf(answer) === 'read' ? 5 : 6;
  const isDocumented = exitsOf(answer).includes(code);
  if (asked === 0) found.push(['wrong states or exits', 'was not asked']);
  if (must === 'contradiction' && code !== unusable)
    found.push([code === 0 ? 'contradictions unnoticed' : 'wrong states or exits', said]);
  if (must === 'success' && code !== 0)
    found.push([code === unusable ? 'false contradictions' : 'wrong states or exits', said]);
  if (must === 'failed' && code !== 3) found.push(['wrong states or exits', said]);
  if (must === 'no wrong amount' && !isDocumented && code !== unusable && code !== 3)
    found.push(['wrong states or exits', said]);
  if (must.startsWith('refused')) {
    const effect = must === 'refused' ? 'read' : effectOf(answer);
    const isRight = (effect !== 'money' && isDocumented) || (code === 6 && /^(money|destructive)$/.test(effect));
    if (!isRight) found.push(['wrong states or exits', said]);
    // Without a code of the service, the one of the HTTP status is shown.
    const { code: _, ...facts } = answer.expect;
    const missing = missingFacts({ ...answer, expect: facts }, printed, err);
    if (missing.length > 0) found.push(['wrong states or exits', `does not show ${missing.join(', ')}`]);
  }
  if (must === 'same' && !isDocumented)
    found.push([code === unusable ? 'false contradictions' : 'wrong states or exits', said]);
  if (must === 'same' && isDocumented) {
    const missing = missingFacts(known, lower(printed), code === 0 ? '' : lower(err));
    if (missing.length > 0) found.push(['wrong states or exits', `does not show ${missing.join(', ')}`]);
  }
  return found;
}

/** The variations of a documented success, once its command has said what it sends. */
async function casesOf(documented: DocumentedAnswer): Promise<Case[]> {
  const { endpoint, id } = documented;
  const before = await run(documented, '60s');
  if (!before.sent) throw new Error(`${id}: nothing was sent`);
  const request = sentIn(documented, before.sent);
  const { answer, repeated } = aligned(documented, request);
  let known: DocumentedAnswer | undefined;
  const factsKnown = async () => {
    known ??= shownFacts(answer, await run(answer, '60s'));
    return known;
  };
  const variations = isForPeople(documented) ? variationsOf(answer, repeated) : [];
  return variations.map((variation, index) => ({
    kind: variation.kind,
    endpoint,
    name: `${id} ${variation.kind} ${index}`,
    judge: async () => {
      const facts = variation.must === 'same' ? await factsKnown() : answer;
      return judged(variation, facts, await run(variation.answer, '60s'), request);
    },
  }));
}

/** A refusal with code 05 and no name may be any; the failures below have it. */
const isRefusal = ({ http, body }: DocumentedAnswer) => http >= 400 && http < 500 && !/"05"/.test(body);

function refusalCases(answer: DocumentedAnswer): Case[] {
  return refusalsOf(answer).map((variation) => ({
    kind: variation.kind,
    endpoint: answer.endpoint,
    name: `${answer.id} ${variation.kind}`,
    judge: async () => judged(variation, answer, await run(variation.answer, '60s'), {}),
  }));
}

function failureCases(answer: DocumentedAnswer): Case[] {
  return failuresOf(answer.endpoint, effectOf(answer)).map(({ kind, http, body, exits }) => ({
    kind,
    endpoint: answer.endpoint,
    name: `${answer.endpoint} ${kind} under ${http}`,
    judge: async () => {
      const { code = -1, asked } = await run({ ...answer, http, body }, '60s');
      const isRight = asked > 0 && exits.includes(code);
      return isRight ? [] : [['wrong states or exits', `exit ${code}, not ${exits.join(' or ')}`] as const];
    },
  }));
}

function isSuccess({ http, means }: DocumentedAnswer): boolean {
  return http === 200 && (means === 'success' || means === 'pending');
}

/** A number that is always the same for a text and alike for none, so that a sample is neither random nor regular. */
function lot(text: string): number {
  let hash = 2_166_136_261;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  return hash >>> 0;
}

/** A sample in which every kind and every endpoint is, and more of what moves money. */
function sampled(all: readonly Case[]): readonly Case[] {
  if (IS_LONG) return all;
  const lots = new Map(all.map((each) => [each, lot(each.name)]));
  const drawn = all.toSorted((a, b) => Number(lots.get(a)) - Number(lots.get(b)));
  const seen = new Set<string>();
  const isFirst = (...names: string[]) => {
    const isNew = names.some((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    return isNew;
  };
  return drawn.filter(({ kind, endpoint, name }) => {
    const usual = kind.startsWith('failure') ? FAILURE_STEP : STEP;
    const step = witnessOf(endpoint).effect === 'money' ? usual / 2 : usual;
    const isMoney = witnessOf(endpoint).effect === 'money' ? [`money ${kind}`] : [];
    return isFirst(kind, `${endpoint} ${kind.split(':')[0]}`, ...isMoney) || lot(`${name}.`) % step === 0;
  });
}

let prepared: Promise<readonly Case[]> | undefined;

async function prepare(): Promise<readonly Case[]> {
  const all: Case[] = [];
  for (const answer of ANSWERS.filter(isSuccess)) all.push(...(await casesOf(answer)));
  for (const answer of ANSWERS.filter(isRefusal)) all.push(...refusalCases(answer));
  for (const endpoint of ENDPOINTS) {
    const answer = ANSWERS.find((each) => each.endpoint === endpoint && isSuccess(each));
    if (answer) all.push(...failureCases(answer));
  }
  return sampled(all);
}

type Row = Record<Count | 'tried', number>;
const table = new Map<string, Row>();

const NO_COUNT: Row = {
  tried: 0,
  'wrong amounts': 0,
  'wrong assets': 0,
  'wrong states or exits': 0,
  'contradictions unnoticed': 0,
  'false contradictions': 0,
};

afterAll(() => {
  if (!IS_LONG) return;
  const columns = ['tried', ...COUNTS] as const;
  const lines = [...table]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([kind, row]) => [kind, ...columns.map((name) => row[name])].join(' | '));
  const sums = columns.map((name) => [...table.values()].reduce((sum, row) => sum + row[name], 0));
  console.log([['variation', ...columns].join(' | '), ...lines, ['all', ...sums].join(' | ')].join('\n'));
});

describe('the judge', () => {
  const swap = (amountOut: string, more: object = {}) => ({
    endpoint: 'GET /swapstatus',
    request: {},
    contradictedAt: undefined,
    body: JSON.stringify({ response_code: '00', data: { requestId: 's', status: 'completed', amountOut, ...more } }),
  });
  const figure = { value: '7.000000', unit: 'unknown' };

  test.each([
    ['base units', swap('7000000'), { amountOut: { value: '7.000000', asset: null } }, []],
    ['base units as tokens', swap('7000000'), { amountOut: { value: '7000000.000000', asset: null } }, ['amount']],
    ['tokens as base units', swap('7.000000'), { amountOut: { value: '0.000007', asset: null } }, ['amount']],
    ['a mark', swap('7.000000'), { amountOut: figure }, []],
    ['a mark beside other digits', swap('7.500000'), { amountOut: figure }, ['amount']],
    ['an asset that nothing names', swap('7000000'), { amountOut: { value: '7.000000', asset: 'USDC' } }, ['asset']],
    [
      'an asset that is named',
      swap('7000000', { buyToken: 'USDC' }),
      { amountOut: { value: '7.000000', asset: 'USDC' } },
      [],
    ],
    ['text that is no number', swap('7,000'), { amountOut: { value: '7,000', asset: null } }, ['amount']],
    [
      'a doubted asset',
      { ...swap('7000000'), contradictedAt: ['data'] },
      { amountOut: { value: '7.000000', asset: 'CNGN' } },
      ['asset'],
    ],
  ] as const)('finds what is wrong in %s', (_, exchanged, printed, wrong) => {
    expect(mistakesIn(exchanged, printed).map(({ of }) => of)).toEqual(wrong);
  });
});

describe('a variation of a documented answer', () => {
  test.each(ENDPOINTS)(
    '%s: shows no wrong amount, hides no failure, and contradicts nothing unnoticed',
    async (endpoint) => {
      prepared ??= prepare();
      const found: string[] = [];
      for (const { kind, name, judge } of (await prepared).filter((each) => each.endpoint === endpoint)) {
        const row = table.get(kind) ?? { ...NO_COUNT };
        table.set(kind, row);
        row.tried += 1;
        for (const [count, what] of await judge()) {
          row[count] += 1;
          found.push(`${name}: ${count}: ${what}`);
        }
      }
      expect(found).toEqual([]);
    },
  );
});
