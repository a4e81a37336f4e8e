import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import { consentsOf, type Endpoint, effectOf, fieldsSentIn } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints/index.ts';
import { regenerateApiKey } from '../contract/endpoints/management.ts';
import { createPathMatcher, type PathMatch, VERSION_PREFIX } from '../contract/paths.ts';
import { redact } from '../contract/redact.ts';
import { rowsOf } from '../contract/rows.ts';
import type { Account } from '../engine/account.ts';
import { outcomeOf } from '../engine/outcome.ts';
import { guardOf, plain, requireUnused } from '../engine/sending/once.ts';
import { printable } from '../money/amount.ts';
import { isWireNumber, parseJson } from '../money/decimal.ts';
import { command } from '../terminal/command.ts';
import { nearest } from '../terminal/parse/nearest.ts';
import { argument, MONEY_OPTIONS, option, repeated, word } from '../terminal/parse/parameters.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { change, guardedBy, serviceIdempotencyKey } from '../terminal/terminal.ts';

const MAX_INPUT_BYTES = 1024 * 1024;

interface Called {
  readonly endpoint: Endpoint;
  readonly path: Record<string, string>;
}

/** Finds the endpoint for a method and path, and reads the path parameters. Throws CliError usage. */
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
  throw new CliError('usage', `unknown endpoint ${printable(method)} ${printable(path)}`, {
    hint: advice`${meant.length > 0 ? `did you mean ${meant.join(' or ')}? ` : ''}list the endpoints with: [fiatrail endpoints]`,
  });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new CliError('usage', `invalid percent-encoding in "${printable(part)}"`, {
      hint: 'write a literal percent sign as %25',
    });
  }
}

/** Parses `key=value`, with the type that the contract gives the field; text if the contract has no such field. */
function typedField(endpoint: Endpoint, text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1)
    throw new CliError('usage', `invalid field "${printable(text)}"; expected key=value`, {
      hint: 'for example -f amount=5000',
    });
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  const type = rowsOf(endpoint.request()).find((row) => row.name === name)?.type ?? 'string';
  if (type === 'string' || type === 'uuid' || type === 'datetime' || type.startsWith('enum')) return [name, value];
  try {
    return [name, parseJson(value)];
  } catch {
    return [name, value];
  }
}

async function bodyOf(account: Account, data: string | undefined): Promise<Record<string, unknown>> {
  if (data === undefined) return {};
  const text = await textOf(account, data);
  try {
    const body = parseJson(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body) && !isWireNumber(body)) {
      return body as Record<string, unknown>;
    }
  } catch {
    // Reported below, like JSON that is not an object or is nested too deeply.
  }
  throw new CliError('usage', 'invalid data; expected one JSON object', {
    hint: `use -d '{"userId":"…"}', -d @file.json, or -d - for standard input`,
  });
}

async function textOf({ world }: Account, data: string): Promise<string> {
  if (data === '-' || data === '@-') return world.stdin.readAll(MAX_INPUT_BYTES);
  if (!data.startsWith('@')) return data;
  const path = data.slice(1);
  return world.readFile(path, MAX_INPUT_BYTES).catch((error: { code?: unknown }) => {
    if (error instanceof CliError) throw error;
    throw new CliError(
      'usage',
      `cannot read ${printable(path)}${typeof error.code === 'string' ? ` (${error.code})` : ''}`,
      {
        hint: 'give the path of a file that contains a JSON object',
      },
    );
  });
}

/** Requests that are often repeated on purpose, or that move nothing before someone else acts; their own commands are not guarded either. */
const UNGUARDED: readonly string[] = [
  'transactions.onramp',
  'fx.trade',
  'fx.market-order',
  'fx.create-order',
  'fx.create-limit-order',
];

/** The request that changes an order says what the order offers from now on: repeating it moves nothing twice. */
const REPEATABLE = 'fx.update-limit-order';

/** The field in which some endpoints take a key for a request that they do at most once. */
const KEY_FIELD = 'idempotencyKey';

/** A request, and the terminal whose consent guards it. */
interface Guarded {
  readonly terminal: Terminal;
  readonly request: Readonly<Record<string, unknown>>;
}

/**
 * Guards a request that moves money as its own command would: waits for or reports what was done under its idempotency key, and fills in
 * the service's idempotency key. Throws CliError usage for another request with --once or --again.
 */
async function guardedInput(
  account: Account,
  terminal: Terminal,
  endpoint: Endpoint,
  input: Readonly<Record<string, unknown>>,
  {
    once,
    again,
    plan,
  }: { readonly once?: string | undefined; readonly again?: boolean; readonly plan?: string | true | undefined },
): Promise<Guarded> {
  if (endpoint.effect !== 'money' || endpoint.id === REPEATABLE) {
    if (once === undefined && !again && plan === undefined) return { terminal, request: input };
    const flag = once !== undefined ? '--once' : again ? '--again' : '--plan';
    throw new CliError(
      'usage',
      `${endpoint.method} ${endpoint.path} does not take ${flag}, which is for requests that may move money twice`,
      { hint: 'omit it' },
    );
  }
  await account.rules.requireForMoney(once !== undefined || terminal.consent.plan !== undefined);
  const typed = {
    isGuarded: !UNGUARDED.includes(endpoint.id),
    input: JSON.stringify(['api', endpoint.id, plain(redact(endpoint.request(), input))]),
  };
  const guard = await guardOf({ once, again }, typed, account.time.nowMs);
  await requireUnused(account, guard);
  const guarded = guardedBy(terminal, guard);
  const derived = serviceIdempotencyKey(guarded.consent);
  const takesKey = rowsOf(endpoint.request()).some(({ name }) => name === KEY_FIELD);
  const request = takesKey && derived !== undefined && !input[KEY_FIELD] ? { ...input, [KEY_FIELD]: derived } : input;
  return { terminal: guarded, request };
}

const apiCommand = command({
  words: ['api'],
  summary: 'Make an authenticated API request',
  details:
    'Fields are sent as given, in the units of the API, and are validated only by the service. Requests that move money, cannot be undone, or change a destination, a price or who has access still ask for confirmation. Those that move money are journaled, and take --once, --again and --plan.',
  examples: [
    'fiatrail api GET /getfees',
    'fiatrail api POST /cngnonramp -f userId=USER_ID -f amount=5000 --yes -o raw',
    'fiatrail api POST /fx/trade -f quoteId=QUOTE_ID --once hedge-{year}-{month}-{day} --yes',
  ],
  endpoints: [],
  parameters: {
    method: argument('method', 'GET, POST, PUT or DELETE', word, 'Method:'),
    path: argument('path', 'path below the base URL, such as /getfees', word, 'Path:'),
    fields: repeated('-f, --field <key=value>', 'request field, typed as in the contract', word),
    data: option('-d, --data <json>', 'request data: a JSON object, @FILE, or - for standard input', word),
    ...MONEY_OPTIONS,
  },
  run: async (account, terminal, { method, path, fields, data, ...flags }) => {
    const { endpoint, path: inPath } = endpointFor(method, path.split('?')[0] ?? '');
    if (path.includes('?'))
      throw new CliError('usage', 'the path contains a query string', { hint: 'pass query fields with -f key=value' });
    if (endpoint.id === regenerateApiKey.id) {
      throw new CliError(
        'usage',
        'fiatrail api cannot rotate the API key: the old key would stop working and the new one would only be printed',
        {
          hint: advice`rotate the key and store the new one with: [fiatrail keys rotate]`,
        },
      );
    }
    if (flags.plan !== undefined && /^(-$|@)/.test(data ?? ''))
      throw new CliError('usage', '--plan needs the data on the command line, where others can read it', {
        hint: 'give the JSON itself, or each field with -f key=value',
      });
    const input = {
      ...(await bodyOf(account, data)),
      ...Object.fromEntries((fields ?? []).map((field) => typedField(endpoint, field))),
      ...inPath,
    };
    const { request, terminal: guarded } = await guardedInput(account, terminal, endpoint, input, flags);
    const effect = effectOf(endpoint, input);
    const reply =
      effect === 'read' || (effect === 'write' && consentsOf(endpoint, request).length === 0)
        ? await account.call(endpoint, request as never, { unchecked: true })
        : await change(
            account,
            guarded,
            endpoint,
            request as never,
            {
              summary: `call ${endpoint.method} ${endpoint.path}`,
              lines: [[fieldsSentIn(endpoint), JSON.stringify(redact(endpoint.request(), request))]],
            },
            { unchecked: true },
          );
    return outcomeOf(account, endpoint, reply);
  },
});

export const commands = [apiCommand];
