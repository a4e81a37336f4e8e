import { beforeAll, describe, expect, test } from 'vitest';
import { answerFormsOf } from '../../src/contract/answer-forms.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { createPathMatcher } from '../../src/contract/paths.ts';
import { rowsOf } from '../../src/contract/rows.ts';
import type { Act } from '../service/operations/rows/group.ts';
import { groups } from '../service/operations/rows/index.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { isSingle, run } from './answer-commands.ts';
import { type DocumentedAnswer, readAnswers } from './answers.ts';
import { type Recorded, recordAnswers } from './recorded.ts';

const SERVICE = 'acme';
const FORMS = ['public', 'public-older'] as const;
type Form = (typeof FORMS)[number];

const GUIDE = 'a guide shows less than the page of the endpoint';

/** Documented answers that the sandbox does not give, because their endpoint has another one of the same form. */
const UNSERVED: Readonly<Record<string, string>> = {
  'bridge-status-with-reference': 'the page of the endpoint leaves the reference out',
  'fx-order-created-decimal': GUIDE,
  'fx-trade-flat': GUIDE,
  'onramp-accepted-no-envelope': GUIDE,
  'onramp-accepted-test-guide': GUIDE,
  'sealed-answer-urlsafe': 'sealed: what is inside is an answer like the others',
  'transactions-generic-items': 'no page of an endpoint shows lists like this',
  'users-details-no-envelope': GUIDE,
  'users-onboard-accepted-short': GUIDE,
  'va-fintech-list': 'a second shape of the page',
  'va-fintech-no-envelope': GUIDE,
  'va-flat': GUIDE,
  'wallets-fintech-guide': GUIDE,
  'wallets-fintech-short': GUIDE,
  'onramp-bad-amount-object': 'no page of an endpoint shows errors like this',
};

const LABEL = 'only if a label was set';
const OTHER_TOKEN = 'the pair decides which token is named, and the example has the other one';
const FAILED = 'of a failed onboarding, which a public client saw';
const GATEWAY = 'only of an onramp with a gateway fee, which the newer examples do not have';
const OF_USERS = 'of the deposits of users, which a public client saw; the example is a deposit of the account';
const OTHER_FILTERS = 'a response repeats the filters that were sent; the example sent others';

/** Fields that the sandbox sends and the documented answers do not have. A name covers the fields below it. */
const MORE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'banks.get': { 'data.accounts[].label': LABEL },
  'banks.list': { 'data.accounts[].label': LABEL },
  'bridge.history': { 'data.transactions[]': 'the example is an empty list' },
  'fees.get': { 'data.feeConfiguration.offrampFee': 'the example never set it' },
  'fees.manage': { 'data.feeConfiguration.offrampFee': 'the example never set it' },
  'fx.list-trades': { 'data.trades[].usdtAmount': OTHER_TOKEN },
  'fx.market-order': { 'data.trade.usdtAmount': OTHER_TOKEN },
  'fx.quote': {
    'data.quote.matchedOrders[].usdcAmount': OTHER_TOKEN,
    'data.quote.matchedOrders[].usdtAmount': OTHER_TOKEN,
    'data.quote.usdcAmount': OTHER_TOKEN,
    'data.quote.usdtAmount': OTHER_TOKEN,
  },
  'fx.trade': { 'data.trade.usdtAmount': OTHER_TOKEN },
  'fx.trade-status': { 'data.trade.usdtAmount': OTHER_TOKEN },
  'transactions.list': {
    'data.filters': OTHER_FILTERS,
    'data.transactions[].acmeFee': OF_USERS,
    'data.transactions[].fundingAmount': OF_USERS,
    'data.transactions[].userId': OF_USERS,
  },
  'transactions.list-payouts': { 'data.filters': OTHER_FILTERS },
  'transactions.list-deposits': {
    'data.filters': OTHER_FILTERS,
    'data.deposits[].acmeFee': OF_USERS,
    'data.deposits[].fundingAmount': OF_USERS,
    'data.deposits[].userId': OF_USERS,
  },
  'transactions.onramp': { 'data.feeBreakdown.breakdown': GATEWAY, 'data.feeBreakdown.gatewayFee': GATEWAY },
  'users.get-default-wallet': { 'data.defaultWallet': 'the example has none' },
  'users.onboard-status': { 'data.details': FAILED, 'data.retryable': FAILED },
  'virtual-accounts.get': {
    'data.virtualAccount.feeBreakdown.gatewayFeeAmount': GATEWAY,
    'data.virtualAccount.feeBreakdown.gatewayFeePercentage': GATEWAY,
  },
};

/** Fields that the documented answers have and the sandbox does not send. A name covers the fields below it. */
const LESS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'fees.manage': {
    'data.exampleCalculation': 'the older example has a gateway fee, which the sandbox charges on one amount only',
  },
  'wallets.get-fintech': { 'data.mpcVault': 'an account may have no vault' },
};

const paths = createPathMatcher(endpoints);

function endpointIdOf({ endpoint }: DocumentedAnswer): string {
  const [method = '', path = ''] = endpoint.split(' ');
  const found = paths.match(method, `/v1${path.replace(/:\w+/g, 'x')}`);
  if (!found) throw new Error(`no endpoint for ${endpoint}`);
  return found.endpoint.id;
}

/** Every field of a JSON value with its type: `data.users[].userId: string`. */
function shapeOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return [`${at}: array`, ...value.flatMap((each) => shapeOf(each, `${at}[]`))];
  if (typeof value !== 'object' || value === null) return [`${at}: ${value === null ? 'null' : typeof value}`];
  const fields = Object.entries(value).flatMap(([name, each]) => shapeOf(each, at === '' ? name : `${at}.${name}`));
  return at === '' ? fields : [`${at}: object`, ...fields];
}

const shapeOfBodies = (bodies: readonly string[]) => new Set(bodies.flatMap((body) => shapeOf(JSON.parse(body))));

const fieldOf = (row: string) => row.slice(0, row.indexOf(': '));

/** Returns the fields of `some` that `all` does not have with this type. Where one is null, the other may be anything. */
function beyond(some: ReadonlySet<string>, all: ReadonlySet<string>): string[] {
  const known = new Set([...all].map(fieldOf));
  const nullable = new Set([...some, ...all].filter((row) => row.endsWith(': null')).map(fieldOf));
  const rest = [...some].filter((row) => !all.has(row) && !(known.has(fieldOf(row)) && nullable.has(fieldOf(row))));
  return [...new Set(rest.map(fieldOf))];
}

/** Removes the fields that a table has, with what is below them. */
function except(fields: readonly string[], table: Readonly<Record<string, string>> = {}): string[] {
  const isBelow = (field: string, name: string) => field === name || /^(\.|\[)/.test(field.slice(name.length));
  return fields.filter((field) => !Object.keys(table).some((name) => field.startsWith(name) && isBelow(field, name)));
}

/** The part of a request on which the form of the answer may depend. */
function askedBy(request: Readonly<Record<string, unknown>> = {}): string {
  return `${request['action'] ?? ''} ${request['walletAddress'] !== undefined}`;
}

const documented = readAnswers(SERVICE).filter(({ id }) => !Object.hasOwn(UNSERVED, id));
const successes = documented.filter(({ http }) => http === 200);
const inForm = (form: Form) => successes.filter(({ shown_as: shown }) => shown === form);
const cases = FORMS.flatMap((form) => inForm(form).map((answer) => ({ form, answer, id: answer.id })));

const recorded = new Map<string, readonly Recorded[]>();
beforeAll(async () => {
  for (const form of ['interface', ...FORMS] as const) recorded.set(form, await recordAnswers(form, SERVICE));
});

/** The answers of the sandbox to the same kind of request. */
function served(form: Form, answer: DocumentedAnswer): ReadonlySet<string> {
  const id = endpointIdOf(answer);
  const alike = (recorded.get(form) ?? []).filter(
    ({ endpoint, input }) => endpoint.id === id && askedBy(input) === askedBy(answer.request),
  );
  return shapeOfBodies(alike.map(({ body }) => body));
}

const missingIn = (form: Form, answer: DocumentedAnswer) => beyond(shapeOfBodies([answer.body]), served(form, answer));

function addedIn(form: Form, answer: DocumentedAnswer): string[] {
  const id = endpointIdOf(answer);
  const alike = inForm(form).filter(
    (each) => endpointIdOf(each) === id && askedBy(each.request) === askedBy(answer.request),
  );
  return beyond(served(form, answer), shapeOfBodies(alike.map(({ body }) => body)));
}

describe('a documented form', () => {
  test.each(cases)('$form: the sandbox answers like $id', ({ form, answer }) => {
    const id = endpointIdOf(answer);
    expect({
      missing: except(missingIn(form, answer), LESS[id]),
      added: except(addedIn(form, answer), MORE[id]),
    }).toEqual({ missing: [], added: [] });
  });

  test('has no exception that is not needed', () => {
    const used = (find: (form: Form, answer: DocumentedAnswer) => string[], table: typeof MORE) =>
      Object.entries(table).flatMap(([id, names]) => {
        const found = cases.filter(({ answer }) => endpointIdOf(answer) === id);
        const all = found.flatMap(({ form, answer }) => find(form, answer));
        return Object.keys(names).filter((name) => except(all, { [name]: '' }).length === all.length);
      });
    expect([used(missingIn, LESS), used(addedIn, MORE)]).toEqual([[], []]);
    const ids = new Set(readAnswers(SERVICE).map(({ id }) => id));
    expect(Object.keys(UNSERVED).filter((id) => !ids.has(id))).toEqual([]);
  });

  test.each(FORMS)('%s changes only endpoints and fields that the contract has', (form) => {
    const known = new Map(endpoints.map((each) => [each.id, new Set(rowsOf(each.response()).map(({ name }) => name))]));
    const { answers = {}, refusals = {} } = answerFormsOf(form) ?? {};
    const unknown = Object.entries(answers).flatMap(([id, forms]) =>
      forms.flatMap(({ writes, names = {}, without = [], only = [], echoes = [] }) => {
        const own = only.map((path) => Object.entries(names).reduce((so, [to, from]) => so.replace(to, from), path));
        const all = [...Object.keys(writes ?? {}), ...Object.values(names), ...without, ...own, ...echoes];
        return all.filter((path) => !known.get(id)?.has(path.replace(/\[\]$/, ''))).map((path) => `${id} ${path}`);
      }),
    );
    expect(unknown).toEqual([]);
    expect(Object.keys(refusals).filter((id) => !known.has(id))).toEqual([]);
  });
});

/** The values of an envelope that say what came of the request; the spelling of each is part of the form. */
function headOf(body: string): Readonly<Record<string, unknown>> {
  const { status, response_code, responseCode, code } = JSON.parse(body);
  return { status, response_code, responseCode, code };
}

describe('a documented envelope', () => {
  test.each(cases)('$form: $id is spelled like this', ({ form, answer }) => {
    const id = endpointIdOf(answer);
    const alike = (recorded.get(form) ?? []).filter(
      ({ endpoint, input }) => endpoint.id === id && askedBy(input) === askedBy(answer.request),
    );
    const heads = alike.map(({ body }) => JSON.stringify(headOf(body)));
    expect([...new Set(heads)]).toEqual([JSON.stringify(headOf(answer.body))]);
  });
});

describe('a documented refusal', () => {
  const refusals = documented
    .filter(({ http }) => http >= 400 && http < 500)
    .flatMap((answer) =>
      FORMS.filter((form) => answer.shown_as === form).map((form) => ({ form, answer, id: answer.id })),
    );

  const often = async (box: TestSandbox, path: string) => {
    await Promise.all(Array.from({ length: 300 }, () => box.call('GET', path)));
    return box.call('GET', path);
  };

  /** Refusals that every endpoint has. The others are those that the contract declares. */
  const COMMON: Readonly<Record<string, Act>> = {
    'wallets-fintech-no-key': (box) => box.call('GET', '/getfintechwallet', undefined, 'sandbox_nobody'),
    'wallets-fintech-ip-403': async (box) => {
      await box.call('POST', '/manageipallowlist', { action: 'add', ipAddress: '203.0.113.7' });
      box.clock.pass(60_000);
      return box.call('GET', '/getfintechwallet');
    },
    'va-fintech-rate-limited': (box) => often(box, '/getfintechvirtualaccount'),
    'transactions-rate-details-older': (box) => often(box, '/transactions'),
  };

  const declared = groups.flatMap((group) => group.declared);

  test.each(refusals)('$form: the sandbox refuses like $id', async ({ form, answer }) => {
    const own = COMMON[answer.id];
    const acts = own ? [own] : declared.filter(([id]) => id === endpointIdOf(answer)).map(([, , , act]) => act);
    const code = headOf(answer.body)['response_code'] ?? headOf(answer.body)['code'];
    const bodies: string[] = [];
    for (const act of acts) {
      await using box = await openSandbox({ rateLimits: own !== undefined, answers: { forms: answerFormsOf(form) } });
      const { status, envelope } = await act(box);
      const body = JSON.stringify(envelope);
      if (status === answer.http && (headOf(body)['response_code'] ?? headOf(body)['code']) === code) bodies.push(body);
    }
    const shapes = bodies.map((body) => ({ head: headOf(body), shape: shapeOf(JSON.parse(body)).toSorted() }));
    const expected = { head: headOf(answer.body), shape: shapeOf(JSON.parse(answer.body)).toSorted() };
    expect(shapes).toContainEqual(expected);
  });
});

describe('the client', () => {
  /** How commands ended by what was answered: the forms have many answers in common. */
  const ended = new Map<string, ReturnType<typeof run>>();

  /** The exit codes of the command that shows each recorded answer, in the order of the calls. */
  async function exitsUnder(form: Form | 'interface'): Promise<string[]> {
    const exits: string[] = [];
    for (const { endpoint, input, body } of recorded.get(form) ?? []) {
      const named = endpoint.path.replace('/platform/', `/${SERVICE}/`);
      const answer = { endpoint: `${endpoint.method} ${named}`, http: 200, body, request: input };
      if (!isSingle(answer.endpoint)) continue;
      const same = JSON.stringify(answer);
      const end = ended.get(same) ?? run({ ...answer, id: '', shown_as: 'public', means: 'success', expect: {} });
      ended.set(same, end);
      const { code, asked } = await end;
      exits.push(`${endpoint.id} ${JSON.stringify(input)} ${code} ${asked > 0}`);
    }
    return exits;
  }

  let known: string[] | undefined;

  test.each(FORMS)('%s: every command ends as it does under the form of the specification', async (form) => {
    known ??= await exitsUnder('interface');
    const usual = known;
    expect(usual.length).toBeGreaterThan(100);
    // No answer of the sandbox seems to be that of another request.
    expect(usual.filter((each) => / [56] true$/.test(each))).toEqual([]);
    expect(await exitsUnder(form)).toEqual(usual);
  });
});
