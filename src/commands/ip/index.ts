import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { command } from '../../terminal/command.ts';
import { addCommand } from './add.ts';
import { removeCommand } from './remove.ts';
import { replaceCommand } from './replace.ts';

const COLUMNS = [
  { field: 'index', title: 'Index', align: 'right' },
  { field: 'ip', title: 'Address' },
  { field: 'description', title: 'Label' },
] as const;

const listCommand = command({
  words: ['ip', 'list'],
  summary: 'List the addresses on the allowlist',
  examples: ['fiatrail ip list', 'fiatrail ip list -o json --query "ipAddresses[].ip"'],
  endpoints: [ipAllowlist.id],
  prints: { response: ipAllowlist, lists: 'ipAddresses' },
  parameters: {},
  run: async (session) => {
    const { result } = await outcomeOf(session, ipAllowlist, await session.call(ipAllowlist, { action: 'list' }), {
      columns: COLUMNS,
    });
    return result ? { result: { ...result, lists: 'ipAddresses', list: { isWhole: true } } } : {};
  },
});

const CHECKED = [
  { field: 'yourIp', title: 'Your address' },
  { field: 'isAllowed', title: 'Allowed' },
  { field: 'matchedRule', title: 'Matched entry' },
  { field: 'totalConfiguredIps', title: 'Entries' },
  { field: 'note', title: 'Note' },
] as const;

const checkCommand = command({
  words: ['ip', 'check'],
  summary: 'Show the address this machine calls from and whether it is allowed',
  examples: ['fiatrail ip check', 'fiatrail ip check -o json --query isAllowed'],
  endpoints: [ipAllowlist.id],
  prints: { response: ipAllowlist },
  parameters: {},
  run: async (session) =>
    outcomeOf(session, ipAllowlist, await session.call(ipAllowlist, { action: 'check' }), { columns: CHECKED }),
});

export const commands = [listCommand, addCommand, removeCommand, replaceCommand, checkCommand];
