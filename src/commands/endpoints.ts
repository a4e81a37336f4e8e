import { CliError } from '../base/errors.ts';
import { type Command, command, type Group } from '../cli/command.ts';
import { nearest } from '../cli/nearest.ts';
import type { Outcome } from '../cli/outcome.ts';
import { id, optionalArgument } from '../cli/parameters.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints/index.ts';
import { describeEndpoint, endpointsBySpecification } from '../derive/describe.ts';
import { printable } from '../money/amount.ts';
import type { Column } from '../present/result.ts';

/** Calls whatever no other command is for. */
const ANY = 'api';

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
  { field: 'meaning', title: 'What' },
];

const REFUSAL_COLUMNS: readonly Column[] = [
  { field: 'code', title: 'Code' },
  { field: 'http', title: 'HTTP' },
  { field: 'name', title: 'Name' },
  { field: 'source', title: 'Source' },
  { field: 'when', title: 'When' },
  { field: 'remedy', title: 'What to do' },
];

/**
 * The command that an endpoint is for: of those that name it first, the one that calls the fewest others, so that
 * neither a status that is waited for nor an overview claims it; nor one that is about this machine, and only tries it.
 */
export function commandFor(endpointId: string, commands: readonly Command[]): string {
  const [found] = commands
    .filter((each) => each.endpoints[0] === endpointId && !each.isLocal)
    .toSorted((a, b) => a.endpoints.length - b.endpoints.length);
  return found?.words.join(' ') ?? ANY;
}

function listOf(commands: readonly Command[]): Outcome {
  const all = endpointsBySpecification();
  const data = all.map((endpoint) => {
    const { id: endpointId, method, path, aliases = [], effect } = endpoint;
    return { id: endpointId, method, path, aliases, effect, command: commandFor(endpointId, commands) };
  });
  return { result: { data, columns: COLUMNS } };
}

function pageOf(endpoint: Endpoint, commands: readonly Command[]): Outcome {
  const { rateLimit, ...description } = describeEndpoint(endpoint);
  const { max, windowSeconds } = rateLimit;
  const limit = { ...rateLimit, text: `${max} requests in ${windowSeconds} seconds` };
  const data = { ...description, command: commandFor(endpoint.id, commands), rateLimit: limit };
  const others = description.aliases.length > 0 ? [{ field: 'aliases', title: 'Also as' }] : [];
  const columns: readonly Column[] = [
    { field: 'id', title: 'Endpoint' },
    { field: 'summary', title: 'What it does' },
    { field: 'method', title: 'Method' },
    { field: 'path', title: 'Path' },
    ...others,
    { field: 'effectWords', title: 'Effect' },
    { field: 'rateLimit.text', title: 'Rate limit' },
    { field: 'source', title: 'Source' },
    { field: 'command', title: 'Command' },
    { field: 'request', title: 'Request', columns: fieldColumns('Required') },
    { field: 'response', title: 'Answer', columns: fieldColumns('Always') },
    { field: 'refusals', title: 'Refusals', columns: REFUSAL_COLUMNS },
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
  return new CliError('usage', `no endpoint is called "${printable(text)}"`, {
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'see them all with: fiatrail endpoints',
  });
}

/** The commands of this group, which tell of all the others. */
export function commandsOf(catalogue: readonly Group[]): readonly Command[] {
  const endpointsCommand = command({
    words: ['endpoints'],
    summary: 'List the endpoints of the service, or show everything the contract knows of one',
    details:
      'Effects are read, write, money (asks first, is journaled) and destructive (asks first). The sandbox’s own controls are not listed.',
    examples: ['fiatrail endpoints', 'fiatrail endpoints fx.quote', 'fiatrail endpoints -o json --query "[].path"'],
    endpoints: [],
    isLocal: true,
    parameters: { endpointId: optionalArgument('endpoint-id', 'the endpoint to show, such as fx.quote', id) },
    run: async (_session, { endpointId }) => {
      const commands = (await Promise.all(catalogue.map((group) => group.load()))).flat();
      if (endpointId === undefined) return listOf(commands);
      const found = endpoints.find((endpoint) => endpoint.id === endpointId);
      if (!found) throw unknownId(endpointId);
      return pageOf(found, commands);
    },
  });
  return [endpointsCommand];
}
