import { describe, expect, test } from 'vitest';
import { isOnlyOnce } from '../../src/client/refusals.ts';
import { isSingle, run, SERVICE } from './answer-commands.ts';
import { type DocumentedAnswer, effectOfAnswer, exitsOf, missingFacts, readAnswers } from './answers.ts';

const SOAK = Number(process.env['FIATRAIL_SOAK_RUNS'] ?? 0) > 0;
/** In the suite, one of so many is tried. */
const STEP = SOAK ? 1 : 13;

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Successes with data in an envelope: what the forms below change. */
const ANSWERS = readAnswers(SERVICE)
  .filter(({ endpoint, request, http }) => isSingle(endpoint) && http === 200 && !request?.['sealedTo'])
  .filter(({ body }) => isObject(JSON.parse(body).data) && JSON.parse(body).message !== undefined);

/** Rewrites every object, innermost first, and every other value. */
function rewritten(
  value: unknown,
  object: (fields: Json) => Json,
  leaf: (value: unknown, name: string) => unknown,
  name = '',
): unknown {
  if (Array.isArray(value)) return value.map((each) => rewritten(each, object, leaf, name));
  if (!isObject(value)) return leaf(value, name);
  return object(
    Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rewritten(each, object, leaf, key)])),
  );
}

const same = (value: unknown) => value;
const renamed = (rename: (name: string) => string) => (fields: Json) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [rename(name), value]));
const snake = (name: string) => name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** The same answer in another form. The data of a list endpoint stays a list. */
const FORMS: Readonly<Record<string, (envelope: Json, data: Json) => unknown>> = {
  'snake_case data': (envelope, data) => ({ ...envelope, data: rewritten(data, renamed(snake), same) }),
  'PascalCase everywhere': (envelope) => rewritten(envelope, renamed(pascal), same),
  'numbers as text': (envelope, data) => ({
    ...envelope,
    data: rewritten(
      data,
      (fields) => fields,
      (value) => (typeof value === 'number' ? String(value) : value),
    ),
  }),
  'states in capitals': (envelope, data) => ({
    ...envelope,
    data: rewritten(
      data,
      (fields) => fields,
      (value, name) => (name === 'status' && typeof value === 'string' ? value.toUpperCase() : value),
    ),
  }),
  'unknown fields in every object': (envelope) =>
    rewritten(envelope, (fields) => ({ ...fields, xTrace: { span: 7 }, xLabels: ['a'], xNothing: null }), same),
  'data in data': (envelope, data) => ({ ...envelope, data: { data } }),
  'data in result': (envelope, data) => ({ ...envelope, data: { result: data } }),
  'no data, but its fields': (envelope, data) => {
    const { data: _, status: _status, message: _message, ...codes } = envelope;
    return { ...codes, ...data };
  },
  'data without a code': (_, data) => ({ data }),
  'a number as code': (_, data) => ({ response_code: 0, message: 'ok', data }),
  'an HTTP status as code': (_, data) => ({ code: 200, message: 'ok', data }),
  'the code in status': (_, data) => ({ status: '00', message: 'ok', data }),
  'the other spelling of the code': (_, data) => ({ responseCode: '00', responseMessage: 'ok', data }),
  'only the word success': (_, data) => ({ success: true, data }),
};

interface Case {
  readonly id: string;
  readonly form: string;
  readonly answer: DocumentedAnswer;
}

const CASES: readonly Case[] = ANSWERS.flatMap((answer) =>
  Object.entries(FORMS).map(([form, write]) => {
    const envelope = JSON.parse(answer.body) as Json;
    return {
      id: answer.id,
      form,
      answer: { ...answer, body: JSON.stringify(write(envelope, envelope['data'] as Json)) },
    };
  }),
);

describe('a documented answer in another form', () => {
  test.each(CASES.filter((_, index) => index % STEP === 0))('$id with $form says the same', async ({ answer }) => {
    const { code, printed, err } = await run(answer);
    const facts = withoutCase(answer);
    const shown = JSON.parse(JSON.stringify(printed).toLowerCase());
    expect({ isRight: exitsOf(answer).includes(code ?? -1), code, err: code === 0 ? '' : err }).toMatchObject({
      isRight: true,
    });
    expect(missingFacts(facts, shown, code === 0 ? '' : err)).toEqual([]);
  });
});

/** The facts in lower case: a state that the contract does not know keeps its case. */
function withoutCase(answer: DocumentedAnswer): DocumentedAnswer {
  const facts = Object.entries(answer.expect).map(([name, value]) => [
    name,
    JSON.parse(JSON.stringify(value).toLowerCase()),
  ]);
  return { ...answer, expect: Object.fromEntries(facts) };
}

/** Refusals that say more than their code. */
const REFUSALS = readAnswers(SERVICE)
  .filter(({ endpoint, http }) => isSingle(endpoint) && http >= 400 && http < 500)
  .filter(({ body }) => isObject(JSON.parse(body)));

const withoutCodes = (envelope: Json): Json =>
  Object.fromEntries(Object.entries(envelope).filter(([name]) => !/^(response_?code|code|status)$/i.test(name)));

/** The same refusal in another form. */
const REFUSAL_FORMS: Readonly<Record<string, (envelope: Json, http: number) => unknown>> = {
  'the HTTP status as code': (envelope, http) => ({ code: http, ...withoutCodes(envelope) }),
  'the HTTP status as text in status': (envelope, http) => ({ status: String(http), ...withoutCodes(envelope) }),
  'a word of failure and no code': (envelope) => ({ status: 'error', ...withoutCodes(envelope) }),
  'success false and no code': (envelope) => ({ success: false, ...withoutCodes(envelope) }),
  'PascalCase everywhere': (envelope) => rewritten(envelope, renamed(pascal), same),
  'unknown fields in every object': (envelope) =>
    rewritten(envelope, (fields) => ({ ...fields, xTrace: { span: 7 }, xNothing: null }), same),
};

/** Those whose code is not the service's own, so that they do not prove that nothing was done. */
const UNPROVEN: ReadonlySet<string> = new Set(Object.keys(REFUSAL_FORMS).slice(0, 4));

const REFUSAL_CASES = REFUSALS.flatMap((answer) =>
  Object.entries(REFUSAL_FORMS).map(([form, write]) => {
    const body = JSON.stringify(write(JSON.parse(answer.body) as Json, answer.http));
    const isUnproven = UNPROVEN.has(form) && isOnlyOnce(effectOfAnswer(answer));
    return { id: answer.id, form, answer: { ...answer, body }, exits: isUnproven ? [6] : exitsOf(answer) };
  }),
);

describe('a documented refusal in another form', () => {
  test.each(REFUSAL_CASES.filter((_, index) => index % STEP === 0))(
    '$id with $form says the same',
    async ({ answer, exits }) => {
      const { code, printed, err } = await run(answer);
      // Without a code of the service, the one of the HTTP status is shown.
      const { code: _, ...facts } = answer.expect;
      expect({ isRight: exits.includes(code ?? -1), code, err }).toMatchObject({ isRight: true });
      expect(missingFacts({ ...answer, expect: facts }, printed, err)).toEqual([]);
    },
  );
});
