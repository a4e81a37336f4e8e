import type { Command } from './command.ts';

/** A first word and where its commands are: enough for help and completion without loading any of them. */
export interface Group {
  readonly name: string;
  readonly summary: string;
  load(): Promise<readonly Command[]>;
}

/** Every first word, in the order of the help. */
export const CATALOGUE: readonly Group[] = [
  {
    name: 'tour',
    summary: 'onboarding to payout on the embedded sandbox, every step shown as the command it is',
    load: async () => (await import('./tour.ts')).commands,
  },
  {
    name: 'status',
    summary: 'profile, reachability, balances, withdrawable fees',
    load: async () => (await import('./status.ts')).commands,
  },
  {
    name: 'users',
    summary: 'onboard, show and list the users of the account',
    load: async () => (await import('./users.ts')).commands,
  },
  {
    name: 'onramp',
    summary: 'Naira from a bank to cNGN in a wallet',
    load: async () => (await import('./onramp.ts')).commands,
  },
  {
    name: 'offramp',
    summary: "a user's cNGN to Naira in a bank account",
    load: async () => (await import('./offramp.ts')).commands,
  },
  {
    name: 'wallets',
    summary: "the account's wallets and its users'",
    load: async () => (await import('./wallets.ts')).commands,
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
  { name: 'fees', summary: 'fee settings and fees earned', load: async () => (await import('./fees.ts')).commands },
  { name: 'ops', summary: 'the journal of money operations', load: async () => (await import('./ops.ts')).commands },
  {
    name: 'sandbox',
    summary: 'the service itself, for trying things out',
    load: async () => (await import('./sandbox.ts')).commands,
  },
  { name: 'api', summary: 'any endpoint, signed in', load: async () => (await import('./api.ts')).commands },
];
