import type { Group } from '../terminal/command.ts';

/** The command groups, in the order the help lists them. */
export const CATALOGUE: readonly Group[] = [
  {
    name: 'init',
    summary: 'Set up a profile step by step',
    load: async () => (await import('./init.ts')).commands,
  },
  {
    name: 'tour',
    summary: 'Walk through onboarding, onramp and payout on the embedded sandbox',
    load: async () => (await import('./tour.ts')).commands,
  },
  {
    name: 'status',
    summary: 'Show reachability, balances, withdrawable fees and pending work',
    load: async () => (await import('./status.ts')).commands,
  },
  {
    name: 'whoami',
    summary: 'Show the profile, its account and who operates it',
    load: async () => (await import('./whoami.ts')).commands,
  },
  {
    name: 'explain',
    summary: 'Show which flag, variable or file chose each setting',
    load: async () => (await import('./explain.ts')).commands,
  },
  {
    name: 'doctor',
    summary: 'Diagnose problems and show the command that fixes each',
    load: async () => (await import('./doctor/index.ts')).commands,
  },
  {
    name: 'profiles',
    summary: 'Manage profiles',
    parts: {
      rules: 'Manage the rules that every change must meet',
      operators: 'Manage the people who may sign plans',
      'sign-above': 'Manage the amounts from which on a command needs the signature of another operator',
      journal: 'Manage where a profile keeps its journal',
    },
    load: async () => (await import('./profiles/index.ts')).commands,
  },
  {
    name: 'keys',
    summary: 'Manage API keys and encryption keys',
    parts: {
      encryption: 'Manage end-to-end encryption of requests and responses',
      sandbox: 'Manage the keys of the account’s sandbox',
      aes: 'Show the account’s AES key',
      platform: 'Show or accept the service’s public key',
    },
    load: async () => (await import('./keys/index.ts')).commands,
  },
  {
    name: 'ip',
    summary: 'Manage the IP allowlist',
    load: async () => (await import('./ip/index.ts')).commands,
  },
  {
    name: 'users',
    summary: 'Manage users',
    parts: {
      onboarding: 'Verify a BVN, which creates a user',
      'default-wallet': 'Manage the external wallet that receives a user’s cNGN',
      'onramp-asset': 'Manage what a user’s onramps are swapped for',
    },
    load: async () => (await import('./users/index.ts')).commands,
  },
  {
    name: 'onramp',
    summary: 'Convert Naira to cNGN',
    load: async () => (await import('./onramp/index.ts')).commands,
  },
  {
    name: 'offramp',
    summary: 'Convert a user’s cNGN to Naira in a bank account',
    load: async () => (await import('./offramp.ts')).commands,
  },
  {
    name: 'payout',
    summary: 'Convert the account’s own cNGN to Naira in one of its bank accounts',
    load: async () => (await import('./payout.ts')).commands,
  },
  {
    name: 'withdrawals',
    summary: 'Send a user’s tokens to an external address',
    load: async () => (await import('./withdrawals.ts')).commands,
  },
  {
    name: 'transfers',
    summary: 'Send the account’s own tokens to a registered wallet',
    load: async () => (await import('./transfers.ts')).commands,
  },
  {
    name: 'recover',
    summary: 'Recover a stuck request',
    load: async () => (await import('./recover.ts')).commands,
  },
  {
    name: 'swaps',
    summary: 'Swap one token for another',
    load: async () => (await import('./swaps.ts')).commands,
  },
  {
    name: 'bridge',
    summary: 'Move cNGN between networks',
    load: async () => (await import('./bridge.ts')).commands,
  },
  {
    name: 'wallets',
    summary: 'Show wallets and manage external wallets',
    parts: { external: 'Manage the external wallets that can receive transfers' },
    load: async () => (await import('./wallets/index.ts')).commands,
  },
  {
    name: 'balances',
    summary: 'Show token balances',
    load: async () => (await import('./balances.ts')).commands,
  },
  {
    name: 'banks',
    summary: 'List Nigerian banks and their NIBSS codes',
    load: async () => (await import('./banks.ts')).commands,
  },
  {
    name: 'bank-accounts',
    summary: 'Manage the bank accounts that receive payouts',
    load: async () => (await import('./bank-accounts.ts')).commands,
  },
  {
    name: 'fees',
    summary: 'Set fees, show earnings and withdraw them',
    parts: { withdrawals: 'Withdraw earned fees to a bank account' },
    load: async () => (await import('./fees/index.ts')).commands,
  },
  {
    name: 'fx',
    summary: 'Trade cNGN for stablecoins and manage orders',
    parts: {
      trades: 'Trade at the prices of the order book',
      book: 'Show the order book',
      orders: 'Manage your orders on the order book',
      'auto-signing': 'Manage automatic signing of trades',
      vault: 'Manage the MPC vault that holds the stablecoins',
    },
    load: async () => (await import('./fx/index.ts')).commands,
  },
  {
    name: 'approvals',
    summary: 'Show from which amount on the account’s cNGN needs a manual signature',
    load: async () => (await import('./approvals.ts')).commands,
  },
  {
    name: 'webhooks',
    summary: 'Set up, receive and replay webhooks',
    parts: { inbox: 'Show received events, and replay them' },
    load: async () => (await import('./webhooks/index.ts')).commands,
  },
  {
    name: 'history',
    summary: 'List deposits, payouts and withdrawals',
    load: async () => (await import('./history.ts')).commands,
  },
  {
    name: 'ops',
    summary: 'Inspect the journal of money operations',
    load: async () => (await import('./ops/index.ts')).commands,
  },
  {
    name: 'sandbox',
    summary: 'Run and control the sandbox',
    parts: { fault: 'Inject faults into sandbox requests', events: 'Show the sandbox’s events and their deliveries' },
    load: async () => (await import('./sandbox/index.ts')).commandsOf(CATALOGUE),
  },
  {
    name: 'api',
    summary: 'Make an authenticated API request',
    load: async () => (await import('./api.ts')).commands,
  },
  {
    name: 'endpoints',
    summary: 'List the API endpoints and describe each',
    load: async () => (await import('./endpoints.ts')).commandsOf(CATALOGUE),
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of what a command prints',
    load: async () => (await import('./schema/index.ts')).commandsOf(CATALOGUE),
  },
  {
    name: 'openapi',
    summary: 'Print the API contract as OpenAPI 3.1',
    load: async () => (await import('./openapi.ts')).commands,
  },
  {
    name: 'version',
    summary: 'Print the version',
    load: async () => (await import('./version.ts')).commands,
  },
  {
    name: 'completion',
    summary: 'Install shell completion and manage its cache',
    parts: { cache: 'Manage what completion remembers of an account' },
    load: async () => (await import('./completion/index.ts')).commands,
  },
];
