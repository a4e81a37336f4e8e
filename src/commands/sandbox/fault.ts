import { CliError } from '../../base/errors.ts';
import { sandboxFaultAdd, sandboxFaultClear, sandboxFaultList } from '../../contract/control.ts';
import { eventOf } from '../../contract/events.ts';
import { FAULT_KINDS, FAULT_MEANINGS, type FaultKind, REQUEST_FAULTS, WEBHOOK_FAULTS } from '../../contract/sandbox.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { printable } from '../../money/amount.ts';
import { type Command, command, type Group } from '../../terminal/command.ts';
import { wholeList } from '../../terminal/list-command.ts';
import { oneOf, option, plainText, required, wholeNumber, word } from '../../terminal/parse/parameters.ts';
import { requireSandbox } from './require-sandbox.ts';

const COLUMNS = [
  { field: 'endpoint', title: 'Endpoint' },
  { field: 'kind', title: 'Kind' },
  { field: 'name', title: 'Name' },
  { field: 'times', title: 'Times', align: 'right' },
] as const;

export function faultCommands(catalogue: readonly Group[]): readonly Command[] {
  const addCommand = command({
    words: ['sandbox', 'fault', 'add'],
    summary: 'Inject a fault into the next requests to an endpoint',
    details: KINDS(),
    examples: [
      'fiatrail sandbox fault add --on fees.withdraw --fault lost-response',
      'fiatrail sandbox fault add --on "offramp create" --fault payout-fails --times 2',
      'fiatrail sandbox fault add --on fx.trade --fault reject --name INVALID_QUOTE',
    ],
    endpoints: [sandboxFaultAdd.id],
    prints: { response: sandboxFaultAdd },
    parameters: {
      on: required(
        '--on <endpoint>',
        'endpoint id such as fees.withdraw, or a command such as "fees withdraw"',
        word,
        'Endpoint:',
      ),
      kind: required('--fault <kind>', 'kind of fault, as listed above', oneOf(...FAULT_KINDS), 'Kind of fault:'),
      name: option('--name <name>', 'error to return with reject, from: fiatrail endpoints ENDPOINT', plainText),
      times: option('--times <count>', 'number of requests to affect (default 1)', wholeNumber(1, 1_000_000)),
    },
    fields: { endpoint: 'on' },
    run: async (account, _terminal, { on, kind, name, times }) => {
      requireSandbox(account);
      const endpoint = await endpointOf(on, catalogue);
      return outcomeOf(account, sandboxFaultAdd, await account.call(sandboxFaultAdd, { endpoint, kind, name, times }));
    },
  });
  const listCommand = wholeList(
    command({
      words: ['sandbox', 'fault', 'list'],
      summary: 'List injected faults and how many requests each still affects',
      examples: ['fiatrail sandbox fault list', 'fiatrail sandbox fault list -o json'],
      endpoints: [sandboxFaultList.id],
      prints: { response: sandboxFaultList },
      parameters: {},
      run: async (account) => {
        requireSandbox(account);
        return outcomeOf(account, sandboxFaultList, await account.call(sandboxFaultList, {}), { columns: COLUMNS });
      },
    }),
    { names: { called: 'endpoint or kind', fields: ['endpoint', 'kind'] } },
  );
  const clearCommand = command({
    words: ['sandbox', 'fault', 'clear'],
    summary: 'Remove all injected faults',
    examples: ['fiatrail sandbox fault clear', 'fiatrail sandbox fault clear -o json --query cleared'],
    endpoints: [sandboxFaultClear.id],
    prints: { response: sandboxFaultClear },
    parameters: {},
    run: async (account) => {
      requireSandbox(account);
      return outcomeOf(account, sandboxFaultClear, await account.call(sandboxFaultClear, {}));
    },
  });
  return [addCommand, listCommand, clearCommand];
}

const invalidEndpoint = (message: string, hint: string) => new CliError('usage', `--on: ${message}`, { hint });

/**
 * Returns the id of the endpoint named by an id or a command. If a command calls several, the one that changes something
 * is meant. Throws CliError usage.
 */
async function endpointOf(text: string, catalogue: readonly Group[]): Promise<string> {
  const { endpoints } = await import('../../contract/endpoints/index.ts');
  if (endpoints.some(({ id }) => id === text) || text === 'webhooks' || eventOf(text)) return text;
  const words = text.split(/\s+/).filter((each) => each !== '' && each !== 'fiatrail');
  const commands = (await catalogue.find(({ name }) => name === words[0])?.load()) ?? [];
  const found = commands.find((each) => each.words.join(' ') === words.join(' '));
  const called = endpoints.filter(({ id }) => found?.endpoints.includes(id));
  if (called.length === 0) {
    const what = found ? 'the command calls no endpoint' : 'expected an endpoint id or a command';
    throw invalidEndpoint(
      `invalid endpoint "${printable(text)}"; ${what}`,
      'list the endpoints with: fiatrail endpoints',
    );
  }
  const changing = called.filter(({ effect }) => effect !== 'read');
  const [only, ...others] = called.length === 1 ? called : changing;
  if (only && others.length === 0) return only.id;
  throw invalidEndpoint(
    `${words.join(' ')} calls several endpoints`,
    `use one of ${called.map(({ id }) => id).join(', ')}`,
  );
}

const described = (kinds: readonly FaultKind[], width: number) =>
  kinds.map((kind) => `  ${kind.padEnd(width)}${FAULT_MEANINGS[kind]}`).join('\n');

/** Describes each kind, for the help. */
const KINDS = () => `Kinds:
${described(REQUEST_FAULTS, 19)}

Kinds for webhooks, with --on webhooks or --on EVENT:
${described(WEBHOOK_FAULTS, 25)}`;
