import { CliError } from '../base/errors.ts';
import { command } from '../cli/command.ts';
import { nearest } from '../cli/nearest.ts';
import { argument, option, repeated, word } from '../cli/parameters.ts';
import { outcomeOf, type Session } from '../cli/session.ts';
import { type Endpoint, effectOf, placeOf } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints/index.ts';
import { regenerateApiKey } from '../contract/endpoints/management.ts';
import { createPathMatcher, type PathMatch, VERSION_PREFIX } from '../contract/paths.ts';
import { redact } from '../contract/redact.ts';
import { rowsOf } from '../contract/rows.ts';
import { printable } from '../money/amount.ts';
import { isWireNumber, parseJson } from '../money/decimal.ts';

const MAX_INPUT_BYTES = 1024 * 1024;

interface Called {
  readonly endpoint: Endpoint;
  readonly path: Record<string, string>;
}

/** The endpoint of a method and path; path parameters are taken from the path as typed. Throws CliError usage. */
function endpointFor(method: string, path: string): Called {
  const whole = path.startsWith(`${VERSION_PREFIX}/`) ? path : VERSION_PREFIX + path;
  const isComplete = ({ parameters }: PathMatch) => !Object.values(parameters).includes('');
  const matches = createPathMatcher(endpoints).matchesAt(whole).filter(isComplete);
  const found = matches.find(({ spelling }) => spelling.method === method.toUpperCase());
  if (found) {
    const { endpoint, spelling, parameters } = found;
    const named = Object.entries(parameters).map(([name, part]) => [name, decoded(part)]);
    return { endpoint: { ...endpoint, ...spelling }, path: Object.fromEntries(named) };
  }
  const [otherMethod] = matches;
  const near = nearest(
    path,
    endpoints.map((each) => each.path),
  );
  const meant = otherMethod ? [`${otherMethod.spelling.method} ${path}`] : near;
  throw new CliError('usage', `no endpoint is ${printable(method)} ${printable(path)}`, {
    hint: `${meant.length > 0 ? `did you mean ${meant.join(' or ')}? ` : ''}see them all with: fiatrail endpoints`,
  });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new CliError('usage', `"${printable(part)}" is not well encoded`, { hint: 'write a percent sign as %25' });
  }
}

/** `key=value` with the type the contract gives the field; text where it knows none. */
function typedField(endpoint: Endpoint, text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw new CliError('usage', `"${printable(text)}" is no field`, { hint: 'write -f key=value' });
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  const type = rowsOf(endpoint.request()).find((row) => row.name === name)?.type ?? 'string';
  if (type === 'string' || type === 'uuid' || type === 'datetime' || type.startsWith('enum')) return [name, value];
  try {
    return [name, parseJson(value)];
  } catch {
    return [name, value];
  }
}

async function bodyOf(session: Session, data: string | undefined): Promise<Record<string, unknown>> {
  if (data === undefined) return {};
  const text = await textOf(session, data);
  try {
    const body = parseJson(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body) && !isWireNumber(body)) {
      return body as Record<string, unknown>;
    }
  } catch {
    // Said below, in the same words as for JSON of another shape, or nested too deep.
  }
  throw new CliError('usage', 'the data is not one JSON object', {
    hint: `write -d '{"userId":"…"}', -d @file.json, or -d - for standard input`,
  });
}

async function textOf({ world }: Session, data: string): Promise<string> {
  if (data === '-' || data === '@-') return world.stdin.readAll(MAX_INPUT_BYTES);
  if (!data.startsWith('@')) return data;
  const path = data.slice(1);
  return world.readFile(path, MAX_INPUT_BYTES).catch((error: { code?: unknown }) => {
    if (error instanceof CliError) throw error;
    throw new CliError(
      'usage',
      `${printable(path)} cannot be read${typeof error.code === 'string' ? ` (${error.code})` : ''}`,
      {
        hint: 'give the path of a file with a JSON object',
      },
    );
  });
}

const apiCommand = command({
  words: ['api'],
  summary: 'Call any endpoint, signed in, in the units of the wire',
  details:
    'Fields are sent as given, without checks of ours: the refusals are the service’s. Money still asks first and goes through the journal.',
  examples: ['fiatrail api GET /getfees', 'fiatrail api POST /cngnonramp -f userId=4f1c… -f amount=5000 --yes -o raw'],
  endpoints: [],
  parameters: {
    method: argument('method', 'GET, POST, PUT or DELETE', word, 'Method:'),
    path: argument('path', 'below the base URL, such as /getfees', word, 'Path:'),
    fields: repeated('-f, --field <key=value>', 'a field, typed by the contract; may be repeated', word),
    data: option('-d, --data <json>', 'a JSON object, @FILE, or - for standard input', word),
  },
  run: async (session, { method, path, fields, data }) => {
    const { endpoint, path: inPath } = endpointFor(method, path.split('?')[0] ?? '');
    if (path.includes('?'))
      throw new CliError('usage', 'the path has a query', { hint: 'give query fields with -f key=value' });
    if (endpoint.id === regenerateApiKey.id) {
      throw new CliError(
        'usage',
        'api does not replace the key: the new one would only be printed, and the old one is dead at once',
        {
          hint: 'replace it, and keep the new one, with: fiatrail keys rotate',
        },
      );
    }
    const input = {
      ...(await bodyOf(session, data)),
      ...Object.fromEntries((fields ?? []).map((field) => typedField(endpoint, field))),
      ...inPath,
    };
    const effect = effectOf(endpoint, input);
    const reply =
      effect === 'read' || effect === 'write'
        ? await session.call(endpoint, input as never, { unchecked: true })
        : await session.change(
            endpoint,
            input as never,
            {
              summary: `${endpoint.method} ${endpoint.path}`,
              lines: [[placeOf(endpoint), JSON.stringify(redact(endpoint.request(), input))]],
            },
            { unchecked: true },
          );
    return outcomeOf(session, endpoint, reply);
  },
});

export const commands = [apiCommand];
