import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Effect, effectOf } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { createPathMatcher } from '../../src/contract/paths.ts';
import { answerDeviations } from './deviations.ts';

const FOLDER = new URL('./answers/', import.meta.url);

/** How a documented answer ends for whoever asked. */
type Meaning =
  | 'success'
  | 'pending'
  | 'refused'
  | 'failed'
  | 'not-found'
  | 'unauthenticated'
  | 'not-allowlisted'
  | 'rate-limited';

/** A documented answer, as the data files have it (test/witness/answers/README.md). */
export interface DocumentedAnswer {
  readonly id: string;
  readonly endpoint: string;
  readonly shown_as: 'public' | 'public-older' | 'skill' | 'client';
  readonly request?: Readonly<Record<string, unknown>>;
  readonly http: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly means: Meaning;
  readonly expect: Readonly<Record<string, unknown>>;
}

/** The answers to requests, in the order of the files; webhooks are something else. */
export function readAnswers(service: string): readonly DocumentedAnswer[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml') && name !== 'webhooks.yaml')
    .flatMap((name) => parse(readFileSync(new URL(name, FOLDER), 'utf8')) as DocumentedAnswer[])
    .map((answer) => ({
      ...answer,
      endpoint: answer.endpoint.replaceAll('{service}', service),
      body: answer.body.replaceAll('{service}', service),
    }));
}

const paths = createPathMatcher(endpoints);

/** What the request does that a documented answer is about. */
export function effectOfAnswer({ endpoint, request }: DocumentedAnswer): Effect {
  const [method = '', path = ''] = endpoint.split(' ');
  const found = paths.match(method, `/v1${path.replace(/:\w+/g, 'x')}`)?.endpoint;
  if (!found) throw new Error(`no endpoint for ${endpoint}`);
  return effectOf(found, request ?? {});
}

/** The exit codes that say what an answer means. A 5xx is no usable answer to a read, and leaves a change unknown. */
export function exitsOf(answer: DocumentedAnswer): readonly number[] {
  const deviation = answerDeviations.find(({ answer: id }) => id === answer.id);
  return deviation ? [deviation.exit] : exitsMeant(answer);
}

/** The same without the deviations from what an answer's page means. */
export function exitsMeant({ means, http }: Pick<DocumentedAnswer, 'means' | 'http'>): readonly number[] {
  if (http >= 500) return [5, 6];
  if (means === 'success' || means === 'pending') return [0];
  if (means === 'unauthenticated' || means === 'not-allowlisted') return [4];
  return means === 'rate-limited' ? [7] : [3];
}

/** Every text and number in JSON, as text. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf);
  return [String(value)];
}

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** A decimal text without the zeros that do not change it. */
function plain(text: string): string {
  return DECIMAL.test(text) && text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Moves the point of a decimal text to the left. */
function shifted(text: string, places: number): string {
  const [whole = '', fraction = ''] = text.split('.');
  const digits = whole.padStart(places + 1, '0');
  return plain(`${digits.slice(0, -places)}.${digits.slice(-places)}${fraction}`);
}

/** The ways in which a fact may be shown: kobo may stand in Naira, base units in whole tokens. */
function formsOf(name: string, value: string): string[] {
  if (/Kobo$/.test(name)) return [plain(value), shifted(value, 2)];
  return /(Base|Token)$/.test(name) ? [plain(value), shifted(value, 6)] : [plain(value)];
}

/** Facts about a list that are counted, and facts that are told by the exit code or the error. */
const COUNTED = new Set([
  'count',
  'rows',
  'buy',
  'sell',
  'results',
  'tokens',
  'cngnNetworks',
  'all',
  'warnings',
  'externalWallets',
  'units',
]);

/** Returns the names of the facts that the output of a command does not have. */
export function missingFacts({ expect: facts }: DocumentedAnswer, printed: unknown, errorText: string): string[] {
  const leaves = new Set(leavesOf(printed).map(plain));
  const text = leavesOf(printed).join('\n') + errorText;
  return Object.entries(facts).flatMap(([name, value]) => {
    if (value === null || COUNTED.has(name) || (name === 'code' && errorText === '')) return [];
    const values = Array.isArray(value) ? value.map(String) : [String(value)];
    const isShown = values.every((each) =>
      name.endsWith('Contains') || errorText !== ''
        ? text.includes(each)
        : formsOf(name, each).some((form) => leaves.has(form)),
    );
    return isShown ? [] : [name];
  });
}
