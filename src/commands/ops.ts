import { CliError } from '../base/errors.ts';
import { command } from '../cli/command.ts';
import { argument, id, option, wholeNumber } from '../cli/parameters.ts';
import { endpoints } from '../contract/endpoints/index.ts';
import type { Operation } from '../journal/journal.ts';
import { parseExactJson } from '../money/decimal.ts';
import { toPlain } from '../present/plain.ts';

/** What to do about an operation in each state. */
const ADVICE: Readonly<Record<Operation['state'], string>> = {
  prepared: 'nothing was sent',
  sent: 'the command ended before a response arrived; the outcome is unknown, so check the account before you repeat it',
  accepted: 'the service accepted it; follow it by its request id',
  refused: 'the service rejected it; nothing was done',
  unknown: 'it was sent, but no usable response arrived; check the account before you repeat it',
};

/** An operation as printed: the amounts of its request are not in wire units. */
function shown(operation: Operation) {
  const endpoint = endpoints.find(({ id }) => id === operation.endpoint);
  const request = toPlain(parseExactJson(operation.request), endpoint?.request());
  return { ...operation, request, advice: ADVICE[operation.state] };
}

const COLUMNS = [
  { field: 'operationId', title: 'Operation' },
  { field: 'state', title: 'State' },
  { field: 'summary', title: 'Summary' },
  { field: 'createdAt', title: 'When' },
] as const;

const listCommand = command({
  words: ['ops', 'list'],
  summary: 'List the money operations of this machine, newest first',
  examples: ['fiatrail ops list', `fiatrail ops list -o json --query "operations[?state=='unknown'].operationId"`],
  endpoints: [],
  isLocal: true,
  parameters: { limit: option('--limit <count>', 'maximum number of operations (default 20)', wholeNumber(1, 10_000)) },
  run: async (session, { limit }) => {
    const journal = await session.journal();
    const request = { limit: limit ?? 20 };
    const data = { operations: journal.list(request.limit).map(shown), total: journal.count() };
    return { result: { data, request, lists: 'operations', list: { isWhole: false }, columns: COLUMNS } };
  },
});

const showCommand = command({
  words: ['ops', 'show'],
  summary: 'Show a money operation',
  details: 'Prints the request, its state and what to do next.',
  examples: [
    'fiatrail ops show 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de',
    'fiatrail ops show 0198c1f2 -o json --query state',
  ],
  endpoints: [],
  isLocal: true,
  parameters: { operationId: argument('operation-id', 'operation id, from ops list; a unique prefix is enough', id) },
  run: async (session, { operationId }) => {
    const found = (await session.journal()).find(operationId);
    const [operation] = found;
    if (!operation || found.length > 1) {
      const why = operation
        ? 'more than one operation matches this id prefix'
        : 'no operation on this machine has this id';
      throw new CliError('usage', why, { hint: 'list the ids with: fiatrail ops list' });
    }
    return { result: { data: shown(operation) } };
  },
});

export const commands = [listCommand, showCommand];
