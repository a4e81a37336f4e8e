import type { Group } from '../cli/command.ts';

/** Every first word, in the order of the help. */
export const CATALOGUE: readonly Group[] = [
  {
    name: 'init',
    summary: 'a first profile, guided',
    load: async () => (await import('./init.ts')).commands,
  },
  {
    name: 'tour',
    summary: 'onboarding to payout on the embedded sandbox, every step shown as the command it is',
    load: async () => (await import('./tour.ts')).commands,
  },
  {
    name: 'status',
    summary: 'profile, reachability, balances, withdrawable fees, what is pending',
    load: async () => (await import('./status.ts')).commands,
  },
  {
    name: 'explain',
    summary: 'which flag, variable or file decided profile, address, key and output',
    load: async () => (await import('./explain.ts')).commands,
  },
  {
    name: 'doctor',
    summary: 'what could keep fiatrail from working, and what to type against it',
    load: async () => (await import('./doctor/index.ts')).commands,
  },
  {
    name: 'profiles',
    summary: 'the accounts this machine knows',
    load: async () => (await import('./profiles/index.ts')).commands,
  },
  {
    name: 'keys',
    summary: 'the keys of the account',
    parts: { encryption: 'what is sealed, and which keys open it' },
    load: async () => (await import('./keys/index.ts')).commands,
  },
  {
    name: 'ip',
    summary: 'the addresses that may call',
    load: async () => (await import('./ip/index.ts')).commands,
  },
  {
    name: 'users',
    summary: 'onboard, show and manage the users of the account',
    parts: { 'default-wallet': 'the external wallet that a user’s cNGN is delivered to' },
    load: async () => (await import('./users/index.ts')).commands,
  },
  {
    name: 'onramp',
    summary: 'Naira from a bank to cNGN in a wallet',
    load: async () => (await import('./onramp/index.ts')).commands,
  },
  {
    name: 'offramp',
    summary: "a user's cNGN to Naira in a bank account",
    load: async () => (await import('./offramp.ts')).commands,
  },
  {
    name: 'payout',
    summary: "the account's own cNGN to Naira in one of its bank accounts",
    load: async () => (await import('./payout.ts')).commands,
  },
  {
    name: 'withdraw',
    summary: "a user's tokens to an external address",
    load: async () => (await import('./withdraw.ts')).commands,
  },
  {
    name: 'transfer',
    summary: "the account's own tokens to a registered wallet",
    load: async () => (await import('./transfer.ts')).commands,
  },
  {
    name: 'recover',
    summary: 'a request that is stuck',
    load: async () => (await import('./recover.ts')).commands,
  },
  {
    name: 'swaps',
    summary: 'one token for another',
    load: async () => (await import('./swaps.ts')).commands,
  },
  {
    name: 'bridge',
    summary: 'cNGN from one network to another',
    load: async () => (await import('./bridge.ts')).commands,
  },
  {
    name: 'wallets',
    summary: "the account's wallets and its users'",
    parts: { external: 'wallets elsewhere that may receive transfers' },
    load: async () => (await import('./wallets/index.ts')).commands,
  },
  {
    name: 'balances',
    summary: 'what the account and its users hold',
    load: async () => (await import('./balances.ts')).commands,
  },
  {
    name: 'banks',
    summary: 'Nigerian banks and their NIBSS codes',
    load: async () => (await import('./banks.ts')).commands,
  },
  {
    name: 'bank-accounts',
    summary: "the account's own payout accounts",
    load: async () => (await import('./bank-accounts.ts')).commands,
  },
  {
    name: 'fees',
    summary: 'fee settings, fees earned and their withdrawal',
    load: async () => (await import('./fees/index.ts')).commands,
  },
  {
    name: 'fx',
    summary: 'trades between cNGN and stablecoins, and the order book',
    parts: {
      orders: 'your orders on the book',
      'auto-signing': 'trades signed without a person',
      mpc: 'the vault that holds the stablecoins',
    },
    load: async () => (await import('./fx/index.ts')).commands,
  },
  {
    name: 'auto-signing',
    summary: 'up to which amount cNGN is approved without a person',
    load: async () => (await import('./auto-signing.ts')).commands,
  },
  {
    name: 'history',
    summary: 'deposits, payouts and withdrawals',
    load: async () => (await import('./history.ts')).commands,
  },
  {
    name: 'ops',
    summary: 'the journal of money operations',
    load: async () => (await import('./ops.ts')).commands,
  },
  {
    name: 'sandbox',
    summary: 'the service itself, for trying things out',
    parts: { fault: 'what is to go wrong on purpose' },
    load: async () => (await import('./sandbox/index.ts')).commandsOf(CATALOGUE),
  },
  {
    name: 'api',
    summary: 'any endpoint, signed in',
    load: async () => (await import('./api.ts')).commands,
  },
  {
    name: 'endpoints',
    summary: 'the contract, for reading',
    load: async () => (await import('./endpoints.ts')).commandsOf(CATALOGUE),
  },
  {
    name: 'openapi',
    summary: 'the contract as OpenAPI 3.1',
    load: async () => (await import('./openapi.ts')).commands,
  },
  {
    name: 'completion',
    summary: 'completion for bash, zsh and fish',
    load: async () => (await import('./completion/index.ts')).commands,
  },
];
