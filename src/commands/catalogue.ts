import type { Command, Group } from '../terminal/command.ts';

type Row = Omit<Group, 'section'>;

/** What a group's module exports. Commands that are about all commands are made from the catalogue. */
type GroupModule =
  | { readonly commands: readonly Command[] }
  | { commandsOf(catalogue: readonly Group[]): readonly Command[] };

/** Left out of the first screen of help. */
const SELDOM = { isSeldomUsed: true };

/** The command groups by section, in the order that the help lists them. */
export const CATALOGUE: readonly Group[] = [
  ...section('Money in and out', [
    group('onramp', 'Convert Naira to cNGN', () => import('./onramp/index.ts')),
    group('offramp', 'Convert a user’s cNGN to Naira', () => import('./offramp.ts')),
    group('payout', 'Convert the account’s own cNGN to Naira', () => import('./payout.ts')),
    group('withdrawals', 'Send a user’s tokens to an external address', () => import('./withdrawals.ts')),
    group('transfers', 'Send the account’s own tokens to a wallet', () => import('./transfers.ts')),
    group('recover', 'Recover a stuck request', () => import('./recover.ts'), SELDOM),
    group('banks', 'List Nigerian banks and their NIBSS codes', () => import('./banks.ts'), SELDOM),
    group('bank-accounts', 'Manage the bank accounts that receive payouts', () => import('./bank-accounts.ts')),
    group('fees', 'Set fees, show earnings and withdraw them', () => import('./fees/index.ts'), {
      parts: { withdrawals: 'Follow the withdrawals of earned fees' },
    }),
  ]),
  ...section('Users', [
    group('users', 'Onboard and manage users', () => import('./users/index.ts'), {
      parts: {
        onboarding: 'Follow an onboarding',
        'default-wallet': 'Manage the external wallet that receives a user’s cNGN',
        'onramp-asset': 'Set the asset that a user’s onramps deliver',
      },
    }),
    group('wallets', 'Show wallets and manage external wallets', () => import('./wallets/index.ts'), {
      parts: {
        external: 'Manage the external wallets that can receive transfers',
        'auto-signing': 'Show what the account signs automatically',
      },
    }),
  ]),
  ...section('Market', [
    group('swaps', 'Swap one token for another', () => import('./swaps.ts')),
    group('bridge', 'Move cNGN between networks', () => import('./bridge.ts')),
    group('fx', 'Trade cNGN for stablecoins and manage orders', () => import('./fx/index.ts'), {
      parts: {
        trades: 'Follow trades',
        orders: 'Manage your orders on the order book',
        'auto-signing': 'Manage automatic signing of trades',
        vault: 'Manage the MPC vault that holds the stablecoins',
      },
    }),
  ]),
  ...section('Account and keys', [
    group('init', 'Set up a profile step by step', () => import('./init.ts')),
    group('whoami', 'Show the profile, its account and who runs it here', () => import('./whoami.ts'), SELDOM),
    group('explain', 'Show which flag, variable or file chose each setting', () => import('./explain.ts'), SELDOM),
    group('profiles', 'Manage profiles, rules and approvers', () => import('./profiles/index.ts'), {
      parts: {
        rules: 'Manage the rules that every change must meet',
        approvers: 'Manage the people who may approve plans',
        'approval-threshold': 'Set the amounts above which someone else must approve',
        plans: 'Manage what is told about plans',
        journal: 'Manage where a profile keeps its journal',
        copy: 'Manage where a profile keeps the copy of its account’s lists',
        inbox: 'Manage where a profile keeps the webhooks that it received',
      },
    }),
    group('keys', 'Manage API keys and encryption keys', () => import('./keys/index.ts'), {
      parts: {
        encryption: 'Manage end-to-end encryption of requests and responses',
        sandbox: 'Manage the keys of the account’s sandbox',
        aes: 'Show the account’s AES key',
        platform: 'Show or accept the service’s public key',
      },
    }),
    group('ip', 'Manage the IP allowlist', () => import('./ip/index.ts')),
  ]),
  ...section('Look and search', [
    group('status', 'Show balances, fees and open work', () => import('./status.ts')),
    group('sync', 'Copy the account’s lists to this machine', () => import('./sync.ts')),
    group('find', 'Find anything by id, hash, amount or name', () => import('./find.ts')),
    group('receipt', 'Prove a payout or an onramp to a customer', () => import('./receipt.ts'), SELDOM),
    group('inspect', 'See what was done and what arrived on a web page', () => import('./inspect.ts'), SELDOM),
    group('report', 'Summarize what came in and went out', () => import('./report/index.ts')),
    group('sql', 'Query the copied lists with SQL', () => import('./sql.ts'), SELDOM),
    group('doctor', 'Diagnose problems and show what fixes them', () => import('./doctor/index.ts'), SELDOM),
    group('balances', 'Show token balances', () => import('./balances.ts')),
    group('history', 'List deposits, payouts and withdrawals', () => import('./history.ts')),
  ]),
  ...section('Automation', [
    group('webhooks', 'Set up, receive and replay webhooks', () => import('./webhooks/index.ts'), {
      parts: { inbox: 'Show received events, and replay them' },
    }),
    group('bulk', 'Check and send a file of many rows', () => import('./bulk/index.ts'), SELDOM),
    group('ops', 'Find out what was sent and how it ended', () => import('./ops/index.ts'), {
      parts: { journal: 'Check, export and back up the journal' },
    }),
    group('plans', 'List, approve, reject and apply plans', () => import('./plans/index.ts'), SELDOM),
    group('mcp', 'Let an agent look, and do what you allow', () => import('./mcp.ts'), SELDOM),
    group('agent', 'Teach an agent to use fiatrail', () => import('./agent.ts'), SELDOM),
  ]),
  ...section('Sandbox', [
    group('tour', 'Walk through onboarding, onramp and payout', () => import('./tour.ts')),
    group('sandbox', 'Run and control the sandbox', () => import('./sandbox/index.ts'), {
      parts: {
        fault: 'Inject faults into sandbox requests',
        events: 'Show the sandbox’s events and their deliveries',
      },
    }),
  ]),
  ...section('For developers', [
    group('api', 'Make an authenticated API request', () => import('./api.ts')),
    group('endpoints', 'List the API endpoints and describe each', () => import('./endpoints.ts'), SELDOM),
    group('schema', 'Print the JSON Schema of what a command prints', () => import('./schema.ts'), SELDOM),
    group('openapi', 'Print the API contract as OpenAPI 3.1', () => import('./openapi.ts'), SELDOM),
    group('version', 'Print the version', () => import('./version.ts'), SELDOM),
    group('completion', 'Install shell completion', () => import('./completion/index.ts'), SELDOM),
  ]),
];

function section(title: string, rows: readonly Row[]): readonly Group[] {
  return rows.map((row) => ({ ...row, section: title }));
}

function group(
  name: string,
  summary: string,
  load: () => Promise<GroupModule>,
  more: Pick<Group, 'isSeldomUsed' | 'parts'> = {},
): Row {
  const loadCommands = async () => {
    const module = await load();
    return 'commands' in module ? module.commands : module.commandsOf(CATALOGUE);
  };
  return { name, summary, load: loadCommands, ...more };
}
