/** The names that commands had before, with those that they have now. A journal, a rule and a habit may still have the former. */
export const RENAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    withdraw: 'withdrawals start',
    transfer: 'transfers start',
    'auto-signing show': 'approvals show',
    'balances fintech': 'balances account',
    'banks list': 'banks',
    'fees verify': 'fees withdrawals status',
    'fees withdraw': 'fees withdrawals start',
    'fees withdrawals': 'fees withdrawals list',
    'fx auto-signing status': 'fx auto-signing show',
    'fx auto-signing threshold': 'fx auto-signing set',
    'fx book': 'fx book show',
    'fx book-token': 'fx book token',
    'fx market-order': 'fx market-orders start',
    'fx mpc register': 'fx vault set',
    'fx orders create': 'fx orders add',
    'fx settings': 'fx vault show',
    'fx trade': 'fx trades start',
    'fx trade-status': 'fx trades status',
    'fx trades': 'fx trades list',
    'keys aes': 'keys aes show',
    'keys encryption status': 'keys encryption show',
    'keys platform': 'keys platform show',
    'keys sandbox': 'keys sandbox add',
    'profiles journal': 'profiles journal show',
    'profiles operators sign-above': 'profiles sign-above set',
    'swaps trigger': 'swaps wallets start',
    'users onboard': 'users onboarding start',
    'users onboarding': 'users onboarding status',
    'users onramp-asset': 'users onramp-asset set',
    'wallets user': 'wallets list',
  }),
);

/** Groups that are gone, with the command that prints what they were about. */
export const FORMER_GROUPS: ReadonlyMap<string, string> = new Map(
  Object.entries({ 'auto-signing': 'approvals show', 'fx mpc': 'fx vault show' }),
);

/** The names that flags had before, with those that they have now, where a command has the latter and not the former. */
export const RENAMED_FLAGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '--at': '--base-url',
    '--auto-swap': '--enabled',
    '--before': '--after',
    '--direction': '--operation',
    '--forwarding': '--status',
    '--from': '--sender',
    '--key': '--idempotency-key',
    '--kind': '--fault',
    '--offset': '--after',
    '--order': '--sort-order',
    '--page': '--after',
    '--public-key': '--public-key-file',
    '--resume': '--after',
    '--state': '--status',
    '--status': '--set-status',
    '--to': '--target',
    '--type': '--wallet-type',
  }),
);

/** Returns the name that a command has now. */
export const commandNow = (name: string): string => RENAMED.get(name) ?? name;

const formerNames = (name: string) => [...RENAMED].filter(([, now]) => now === name).map(([before]) => before);

/** Returns the name that a command had first. Digests of what was typed have it, so that idempotency keys outlive a new name. */
export const firstName = (name: string): string => formerNames(name)[0] ?? name;

/** Returns every name that a command has or had. */
export const namesOfCommand = (name: string): readonly string[] => [name, ...formerNames(name)];
