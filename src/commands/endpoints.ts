import * as z from 'zod/mini';
import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints/index.ts';
import { describeEndpoint, endpointsBySpecification, fieldSchema, requestFieldSchema } from '../derive/describe.ts';
import type { Outcome } from '../engine/outcome.ts';
import { printable } from '../money/amount.ts';
import type { Column } from '../present/result.ts';
import { type Command, command, commandFor, type Group } from '../terminal/command.ts';
import { nearest } from '../terminal/parse/nearest.ts';
import { id, optionalArgument } from '../terminal/parse/parameters.ts';

const COLUMNS = [
  { field: 'id', title: 'ID' },
  { field: 'method', title: 'Method' },
  { field: 'path', title: 'Path' },
  { field: 'effect', title: 'Effect' },
  { field: 'command', title: 'Command' },
] as const;

const fieldColumns = (always: string): readonly Column[] => [
  { field: 'name', title: 'Field' },
  { field: 'type', title: 'Type' },
  { field: 'required', title: always },
  { field: 'source', title: 'Source' },
  { field: 'meaning', title: 'Meaning' },
];

const REFUSAL_COLUMNS: readonly Column[] = [
  { field: 'code', title: 'Code' },
  { field: 'http', title: 'HTTP' },
  { field: 'name', title: 'Name' },
  { field: 'source', title: 'Source' },
  { field: 'when', title: 'When' },
  { field: 'remedy', title: 'Remedy' },
];

const aliasesSchema = () => z.array(z.object({ method: z.string(), path: z.string() }));
const effectSchema = () => z.enum(['read', 'write', 'money', 'destructive']);

const endpointsSchema = () =>
  z.array(
    z.object({
      id: z.string(),
      method: z.string(),
      path: z.string(),
      aliases: aliasesSchema(),
      effect: effectSchema(),
      command: z.string(),
    }),
  );

const endpointSchema = () =>
  z.object({
    id: z.string(),
    summary: z.string(),
    group: z.string(),
    method: z.string(),
    path: z.string(),
    aliases: aliasesSchema(),
    effect: effectSchema(),
    effects: z.nullable(z.object({ field: z.string(), of: z.unknown() })),
    effectWords: z.string(),
    source: z.string(),
    request: z.array(requestFieldSchema()),
    response: z.array(fieldSchema()),
    refusals: z.array(
      z.object({
        code: z.string(),
        http: z.int(),
        name: z.string(),
        when: z.string(),
        remedy: z.string(),
        source: z.string(),
      }),
    ),
    command: z.string(),
    rateLimit: z.object({ max: z.int(), windowSeconds: z.int(), text: z.string() }),
  });

function listOf(commands: readonly Command[]): Outcome {
  const all = endpointsBySpecification();
  const data = all.map((endpoint) => {
    const { id: endpointId, method, path, aliases = [], effect } = endpoint;
    return { id: endpointId, method, path, aliases, effect, command: commandFor(endpointId, commands) };
  });
  return { result: { data, columns: COLUMNS } };
}

async function pageOf(endpoint: Endpoint, commands: readonly Command[]): Promise<Outcome> {
  const { aboutField } = await import('../derive/about.ts');
  const { rateLimit, ...description } = describeEndpoint(endpoint, aboutField);
  const { max, windowSeconds } = rateLimit;
  const limit = { ...rateLimit, text: `${max} requests in ${windowSeconds} seconds` };
  const data = { ...description, command: commandFor(endpoint.id, commands), rateLimit: limit };
  const others = description.aliases.length > 0 ? [{ field: 'aliases', title: 'Aliases' }] : [];
  const columns: readonly Column[] = [
    { field: 'id', title: 'Endpoint' },
    { field: 'summary', title: 'Summary' },
    { field: 'method', title: 'Method' },
    { field: 'path', title: 'Path' },
    ...others,
    { field: 'effectWords', title: 'Effect' },
    { field: 'rateLimit.text', title: 'Rate limit' },
    { field: 'source', title: 'Source' },
    { field: 'command', title: 'Command' },
    { field: 'request', title: 'Request', columns: fieldColumns('Required') },
    { field: 'response', title: 'Response', columns: fieldColumns('Always') },
    { field: 'refusals', title: 'Errors', columns: REFUSAL_COLUMNS },
  ];
  return { result: { data, columns } };
}

function unknownId(text: string): CliError {
  const byPath = endpoints.filter(({ path, aliases = [] }) =>
    [path, ...aliases.map((each) => each.path)].includes(text),
  );
  const near =
    byPath.length > 0
      ? byPath.map((each) => each.id)
      : nearest(
          text,
          endpoints.map((each) => each.id),
        );
  return new CliError('usage', `unknown endpoint "${printable(text)}"`, {
    hint:
      near.length > 0 ? `did you mean ${near.join(' or ')}?` : advice`list the endpoints with: [fiatrail endpoints]`,
  });
}

/** Returns the commands of this group; they need the catalogue to name the command of each endpoint. */
export function commandsOf(catalogue: readonly Group[]): readonly Command[] {
  const endpointsCommand = command({
    words: ['endpoints'],
    summary: 'List the API endpoints, or describe one',
    details:
      'Effects are read, write, money (asks for confirmation and is journaled) and destructive (asks for confirmation). Sandbox controls are not listed.',
    examples: ['fiatrail endpoints', 'fiatrail endpoints fx.quote', 'fiatrail endpoints -o json --query "[].path"'],
    endpoints: [],
    prints: () => z.union([endpointsSchema(), endpointSchema()]),
    isLocal: true,
    parameters: { endpointId: optionalArgument('endpoint-id', 'endpoint to describe, such as fx.quote', id) },
    run: async (_account, _terminal, { endpointId }) => {
      const commands = (await Promise.all(catalogue.map((group) => group.load()))).flat();
      if (endpointId === undefined) return listOf(commands);
      const found = endpoints.find((endpoint) => endpoint.id === endpointId);
      if (!found) throw unknownId(endpointId);
      return pageOf(found, commands);
    },
  });
  return [endpointsCommand];
}
