import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isOnlyOnce } from '../../src/client/refusals.ts';
import { isSingle, run, SERVICE } from './answer-commands.ts';
import { type DocumentedAnswer, effectOfAnswer, exitsOf, readAnswers } from './answers.ts';

const SOAK = Number(process.env['FIATRAIL_SOAK_RUNS'] ?? 0) > 0;
/** In the suite, one of so many is tried. */
const sample = <T>(all: readonly T[], step: number) => (SOAK ? all : all.filter((_, index) => index % step === 0));

/** Answers that a command gets with one request, so that its exit code is about nothing else. */
const ANSWERS = readAnswers(SERVICE).filter(({ endpoint, request }) => isSingle(endpoint) && !request?.['sealedTo']);

/** The exit code for an answer that nobody can use: 5 for a read, 6 for a change. */
const unusableExit = (answer: DocumentedAnswer) => (effectOfAnswer(answer) === 'read' ? 5 : 6);

// A read is retried a few times. No wait between two attempts takes time here, and the limit of them all is so long that
// a machine that stands still for a while does not reach it before the first request.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }).setTimerTickMode('nextTimerAsync');
});
afterEach(() => {
  vi.useRealTimers();
});

async function exitOf(answer: DocumentedAnswer): Promise<number | undefined> {
  const { code, asked } = await run(answer, '60s');
  expect(asked).toBeGreaterThan(0);
  return code;
}

const isSuccess = ({ means, http }: DocumentedAnswer) => http < 300 && (means === 'success' || means === 'pending');
const isRefusal = ({ http }: DocumentedAnswer) => http >= 400 && http < 500;

/** The answer with each code in its envelope replaced. */
function coded(answer: DocumentedAnswer, code: string, http: number): DocumentedAnswer {
  const envelope = JSON.parse(answer.body) as Record<string, unknown>;
  const { data, ...rest } = envelope;
  const isCode = (name: string) => /^(response_?code|code)$/i.test(name) || (name === 'status' && rest[name] === '00');
  const kept = Object.fromEntries(Object.entries(rest).filter(([name]) => !isCode(name)));
  return { ...answer, http, body: JSON.stringify({ ...kept, response_code: code, ...(data ? { data } : {}) }) };
}

describe('a documented answer that is cut off', () => {
  const cuts = ANSWERS.filter(isSuccess).flatMap((answer) =>
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((tenth) => ({ id: answer.id, tenth, answer })),
  );

  test.each(sample(cuts, 37))('$id after $tenth tenths is unusable', async ({ answer, tenth }) => {
    const body = answer.body.slice(0, Math.floor((answer.body.length * tenth) / 10));
    expect(await exitOf({ ...answer, body })).toBe(unusableExit(answer));
  });
});

describe('a documented answer whose status and code contradict each other', () => {
  const successes = ANSWERS.filter(isSuccess);

  test.each(sample(successes, 7))('$id with HTTP 400 and code 00 is unclear', async (answer) => {
    expect(await exitOf(coded(answer, '00', 400))).toBe(unusableExit(answer));
  });

  // Where money moves, the word of a success beside the code leaves it unknown.
  test.each(sample(successes, 7))('$id with HTTP 200 and code 02 is a refusal', async (answer) => {
    const isUnproven = isOnlyOnce(effectOfAnswer(answer)) && /"(status|success)": *("success|true)/i.test(answer.body);
    expect(await exitOf(coded(answer, '02', 200))).toBe(isUnproven ? 6 : 3);
  });

  test.each(sample(successes, 7))('$id with HTTP 200 and code 77 is unclear', async (answer) => {
    expect(await exitOf(coded(answer, '77', 200))).toBe(unusableExit(answer));
  });

  test.each(sample(successes, 7))('$id with HTTP 500 is unusable', async (answer) => {
    expect(await exitOf({ ...answer, http: 500 })).toBe(unusableExit(answer));
  });

  test.each(ANSWERS.filter(isRefusal))('$id with HTTP 200 is the same refusal', async (answer) => {
    expect(exitsOf(answer)).toContain(await exitOf({ ...answer, http: 200 }));
  });
});

describe('a documented answer with a key that is there twice', () => {
  const doubled = ANSWERS.filter(isSuccess).flatMap((answer) => {
    const keys = [...answer.body.matchAll(/"(\w+)": (?=["\d])/g)];
    return keys.map(([text, key = ''], index) => ({ id: answer.id, key, text, at: keys[index]?.index ?? 0, answer }));
  });

  test.each(sample(doubled, 47))('$id: $key with two values is unusable', async ({ answer, text, at }) => {
    const body = `${answer.body.slice(0, at)}${text}"another value", ${answer.body.slice(at)}`;
    expect(await exitOf({ ...answer, body })).toBe(unusableExit(answer));
  });

  test.each(sample(doubled, 47))('$id: $key with one value is as good as once', async ({ answer, text, at }) => {
    const [value = ''] = /^("[^"]*"|[\d.]+)/.exec(answer.body.slice(at + text.length)) ?? [];
    const body = `${answer.body.slice(0, at)}${text}${value}, ${answer.body.slice(at)}`;
    expect(exitsOf(answer)).toContain(await exitOf({ ...answer, body }));
  });
});
