import { describe, expect, test } from 'vitest';
import { CATEGORIES, CliError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import type { HttpRequest } from '../../src/base/world.ts';
import { encryptedExchange, replyOf } from '../../src/client/client.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { createPathMatcher } from '../../src/contract/paths.ts';
import { json } from '../support/exchange.ts';
import { bench, ROTATE } from '../support/rotation-bench.ts';
import { lineOf, run, runOverHttp, SERVICE, UNSHOWN } from './answer-commands.ts';
import { type DocumentedAnswer, exitsMeant, exitsOf, missingFacts, readAnswers } from './answers.ts';
import { answerDeviations } from './deviations.ts';
import { FURTHER_ANSWERS } from './further-answers.ts';

const ANSWERS = readAnswers(SERVICE);

const isSealed = ({ request }: DocumentedAnswer) => request?.['sealedTo'] !== undefined;

const shown = ANSWERS.filter((answer) => lineOf(answer.endpoint) !== undefined && !isSealed(answer));

describe('the table of commands', () => {
  test('has one for each endpoint that a command calls and an answer is documented for', () => {
    const others = ANSWERS.filter(({ endpoint }) => lineOf(endpoint) === undefined).map(({ endpoint }) => endpoint);
    expect([...new Set(others)].toSorted()).toEqual(UNSHOWN);
  });
});

async function expectRight(answer: DocumentedAnswer, exits: readonly number[]) {
  const { code, asked, printed, err } = await run(answer);
  const missing = code === 0 ? missingFacts(answer, printed, '') : missingFacts(answer, printed, err);
  const told = { code, err: code === 0 ? '' : err };
  expect({ wasAsked: asked > 0, isRight: exits.includes(code ?? -1), missing, ...told }).toEqual({
    wasAsked: true,
    isRight: true,
    missing: [],
    ...told,
  });
}

describe('a documented answer', () => {
  test.each(shown)('$id has the exit code of what it means, and all its facts are shown', async (answer) => {
    await expectRight(answer, exitsOf(answer));
  });
});

describe('a documented answer over HTTP', () => {
  // A service on this machine is no address of a sandbox.
  const served = shown.filter(({ endpoint }) => endpoint !== 'POST /createsandboxapikey');
  // What comes over a connection is read in one place, so one answer of each endpoint and one of each status is enough unless all are wanted.
  const isLong = process.env['FIATRAIL_SOAK_ANSWERS'] !== undefined;
  const some = new Set([
    ...new Map(served.map((each) => [each.endpoint, each])).values(),
    ...new Map(served.map((each) => [each.http, each])).values(),
  ]);

  test.each(isLong ? served : [...some])('$id is read as it is without a server', async (answer) => {
    const { code, asked, printed, err } = await runOverHttp(answer);
    expect({ wasAsked: asked > 0, isRight: exitsOf(answer).includes(code ?? -1) }).toEqual({
      wasAsked: true,
      isRight: true,
    });
    expect(missingFacts(answer, printed, code === 0 ? '' : err)).toEqual([]);
  });
});

describe('an answer in a form that is documented for another endpoint', () => {
  test.each(FURTHER_ANSWERS)(
    '$id ($endpoint) has the exit code of what it means, and all its facts are shown',
    async (answer) => {
      await expectRight(answer, answer.exits ?? exitsOf(answer));
    },
  );
});

test('the documented answer to a key rotation stores the new key', async () => {
  const rotated = ANSWERS.filter(({ endpoint }) => UNSHOWN.includes(endpoint));
  expect(rotated.map(({ expect: { apiKey } }) => apiKey)).toEqual(['key-h9inventedq7w8e9r0']);
  for (const { http, body, expect: facts } of rotated) {
    const on = await bench();
    on.service.regenerate = () => {
      on.service.live = String(facts['apiKey']);
      return json(http, body);
    };
    expect({ code: (await on.run(ROTATE)).code, stored: on.storedKey() }).toEqual({
      code: 0,
      stored: facts['apiKey'],
    });
  }
});

describe('the reader', () => {
  const paths = createPathMatcher(endpoints);

  /** Reads an answer without a command. */
  function read({ endpoint, http, body, request = {} }: DocumentedAnswer) {
    const [method = '', path = ''] = endpoint.split(' ');
    const found = paths.match(method, `/v1${path.replace(/:\w+/g, 'x')}`)?.endpoint;
    if (!found) throw new Error(`no endpoint for ${endpoint}`);
    const sent = { response: { status: http, headers: {}, body } };
    try {
      return {
        data: replyOf(found, request as never, sent, new Secret('the-key-of-this-account')).data,
        exit: 0,
        error: '',
      };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return { data: {}, exit: CATEGORIES[error.category].exit, error: `${error.message} ${error.responseCode}` };
    }
  }

  test.each(ANSWERS.filter((answer) => !isSealed(answer)))('takes $id for what it means', (answer) => {
    const { exit } = read(answer);
    // The state of a piece of work is for the command to judge.
    const expected = answer.means === 'failed' && answer.http < 300 ? [0] : exitsOf(answer);
    expect({ exit, isRight: expected.includes(exit) }).toEqual({ exit, isRight: true });
  });

  test.each(answerDeviations)('takes $answer for something else, as is listed', ({ endpoint, answer: id }) => {
    const answer = ANSWERS.find((each) => each.id === id);
    if (!answer) throw new Error(`no documented answer ${id}`);
    const [method = '', path = ''] = answer.endpoint.split(' ');
    expect(paths.match(method, `/v1${path}`)?.endpoint.id).toBe(endpoint);
    expect(exitsMeant(answer)).not.toContain(read(answer).exit);
  });

  test.each(ANSWERS.filter(isSealed))('opens $id', async (answer) => {
    const { sealedTo } = answer.request as { readonly sealedTo: { readonly privateKey: string } };
    const exchange = encryptedExchange(async () => ({ status: answer.http, headers: {}, body: answer.body }), {
      platformKeyHex: undefined,
      privateKeys: async () => [new Secret(sealedTo.privateKey)],
    });
    const request: HttpRequest = { method: 'GET', url: 'https://service.test/v1/x', headers: {}, body: undefined };
    const { body } = await exchange(request, new AbortController().signal);
    const { data } = read({ ...answer, body });
    expect(missingFacts(answer, data, '')).toEqual([]);
  });
});

describe('a documented answer with one field changed', () => {
  const SOAK = Number(process.env['FIATRAIL_SOAK_RUNS'] ?? 0) > 0;
  /** In the suite, one of so many is tried. */
  const STEP = SOAK ? 1 : 23;

  type Path = readonly (string | number)[];

  /** The paths of everything in a body, of lists the first item. */
  function pathsIn(value: unknown, at: Path = []): Path[] {
    const own = at.length > 0 ? [at] : [];
    if (Array.isArray(value))
      return [...own, ...value.slice(0, 1).flatMap((each, index) => pathsIn(each, [...at, index]))];
    if (typeof value !== 'object' || value === null) return own;
    return [...own, ...Object.entries(value).flatMap(([name, each]) => pathsIn(each, [...at, name]))];
  }

  const WRONG: Readonly<Record<string, unknown>> = { string: { x: 1 }, number: 'abc', boolean: 'maybe', object: 7 };

  function changed(body: string, path: Path, how: string): string {
    const json = JSON.parse(body);
    const last = path.at(-1) as string;
    const parent = path.slice(0, -1).reduce((at, key) => at[key], json);
    if (how === 'null') parent[last] = null;
    else if (how === 'wrong') parent[last] = WRONG[typeof parent[last]] ?? 7;
    else if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete parent[last];
    return JSON.stringify(json);
  }

  const cases = shown
    .flatMap((answer) =>
      pathsIn(JSON.parse(answer.body)).flatMap((path) =>
        ['missing', 'null', 'wrong'].map((how) => ({
          answer,
          path,
          how,
          name: `${answer.id}: ${path.join('.')} ${how}`,
        })),
      ),
    )
    .filter((_, index) => index % STEP === 0);

  test.each(cases)('$name never breaks the command', async ({ answer, path, how }) => {
    const { code, asked } = await run({ ...answer, body: changed(answer.body, path, how) });
    // 1 would be a bug, and 2 would blame the caller for what came after sending.
    expect({ asked: asked > 0, isBug: code === 1 || code === 2 }).toEqual({ asked: true, isBug: false });
  });
});
