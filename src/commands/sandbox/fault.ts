import { CliError } from '../../base/errors.ts';
import { type Command, command, type Group } from '../../cli/command.ts';
import { oneOf, option, required, wholeNumber, word } from '../../cli/parameters.ts';
import { outcomeOf } from '../../cli/session.ts';
import { FAULT_KINDS, sandboxFaultAdd, sandboxFaultClear, sandboxFaultList } from '../../contract/control.ts';
import { printable } from '../../money/amount.ts';
import { requireSandbox } from './only.ts';

const COLUMNS = [
  { field: 'endpoint', title: 'Endpoint' },
  { field: 'kind', title: 'Kind' },
  { field: 'times', title: 'Times', align: 'right' },
] as const;

const unclear = (message: string, hint: string) => new CliError('usage', `--on: ${message}`, { hint });

/**
 * The endpoint that a text means: its id, or a command that calls it. Of a command's several the one that changes something.
 * Throws CliError usage.
 */
async function endpointOf(text: string, catalogue: readonly Group[]): Promise<string> {
  const { endpoints } = await import('../../contract/endpoints/index.ts');
  if (endpoints.some(({ id }) => id === text)) return text;
  const words = text.split(/\s+/).filter((each) => each !== '' && each !== 'fiatrail');
  const commands = (await catalogue.find(({ name }) => name === words[0])?.load()) ?? [];
  const found = commands.find((each) => each.words.join(' ') === words.join(' '));
  const called = endpoints.filter(({ id }) => found?.endpoints.includes(id));
  if (called.length === 0) {
    const what = found ? 'calls no endpoint of the service' : 'is neither an endpoint nor a command';
    throw unclear(`"${printable(text)}" ${what}`, 'see them all with: fiatrail endpoints');
  }
  const changing = called.filter(({ effect }) => effect !== 'read');
  const [only, ...others] = called.length === 1 ? called : changing;
  if (only && others.length === 0) return only.id;
  throw unclear(`${words.join(' ')} calls several endpoints`, `name one of ${called.map(({ id }) => id).join(', ')}`);
}

/** What each kind does, for the help. */
const KINDS = `What can go wrong:
  lost-request       nothing is done, and the line drops
  lost-response      it is done, and then the line drops
  slow               the answer takes three seconds longer
  http-500           nothing is done, HTTP 500
  http-500-after     it is done, HTTP 500
  http-502-html      nothing is done, HTTP 502 with a page for people
  rate-limit         nothing is done, HTTP 429; try again in a second
  malformed-json     it is done, and the answer is broken JSON
  truncated          it is done, and half of the answer arrives
  payout-fails       the bank does not accept the next payout
  duplicate-webhook  kept until events are delivered: the next one comes twice
  late-webhook       kept until events are delivered: the next one comes late`;

export function faultCommands(catalogue: readonly Group[]): readonly Command[] {
  const addCommand = command({
    words: ['sandbox', 'fault', 'add'],
    summary: 'Let the next requests of an endpoint go wrong on purpose',
    details: KINDS,
    examples: [
      'fiatrail sandbox fault add --on fees.withdraw --kind lost-response',
      'fiatrail sandbox fault add --on "offramp start" --kind payout-fails --times 2',
    ],
    endpoints: [sandboxFaultAdd.id],
    parameters: {
      on: required(
        '--on <endpoint>',
        'an endpoint id such as fees.withdraw, or a command such as "fees withdraw"',
        word,
        'Endpoint:',
      ),
      kind: required('--kind <kind>', 'one of those above', oneOf(...FAULT_KINDS), 'What goes wrong:'),
      times: option('--times <count>', 'how many requests (default 1)', wholeNumber(1, 1_000_000)),
    },
    run: async (session, { on, kind, times }) => {
      requireSandbox(session);
      const endpoint = await endpointOf(on, catalogue);
      return outcomeOf(session, sandboxFaultAdd, await session.call(sandboxFaultAdd, { endpoint, kind, times }));
    },
  });
  const listCommand = command({
    words: ['sandbox', 'fault', 'list'],
    summary: 'List what is to go wrong, and how often still',
    examples: ['fiatrail sandbox fault list', 'fiatrail sandbox fault list -o json'],
    endpoints: [sandboxFaultList.id],
    parameters: {},
    run: async (session) => {
      requireSandbox(session);
      return outcomeOf(session, sandboxFaultList, await session.call(sandboxFaultList, {}), { columns: COLUMNS });
    },
  });
  const clearCommand = command({
    words: ['sandbox', 'fault', 'clear'],
    summary: 'Let nothing more go wrong on purpose',
    examples: ['fiatrail sandbox fault clear', 'fiatrail sandbox fault clear -o json --query cleared'],
    endpoints: [sandboxFaultClear.id],
    parameters: {},
    run: async (session) => {
      requireSandbox(session);
      return outcomeOf(session, sandboxFaultClear, await session.call(sandboxFaultClear, {}));
    },
  });
  return [addCommand, listCommand, clearCommand];
}
