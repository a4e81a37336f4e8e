/** The names that commands had before, with those that they have now. A journal, a rule and a habit may still have the former. */
export const RENAMED: Readonly<Record<string, string>> = {
  withdraw: 'withdrawals start',
  transfer: 'transfers start',
  'auto-signing show': 'approvals show',
  'balances fintech': 'balances account',
  'banks list': 'banks',
  'completion cache': 'completion cache show',
  'fees verify': 'fees withdrawals status',
  'fees withdraw': 'fees withdrawals start',
  'fees withdrawals': 'fees withdrawals list',
  'fx auto-signing status': 'fx auto-signing show',
  'fx auto-signing threshold': 'fx auto-signing set',
  'fx book': 'fx book show',
  'fx book-token': 'fx book token',
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
  'users onboard': 'users onboarding start',
  'users onboarding': 'users onboarding status',
  'users onramp-asset': 'users onramp-asset set',
  'wallets user': 'wallets list',
};

/** Returns the name that a command has now. */
export const commandNow = (name: string): string => RENAMED[name] ?? name;

/** Returns the name that a command had first. Digests of what was typed have it, so that idempotency keys outlive a new name. */
export const firstName = (name: string): string =>
  Object.keys(RENAMED).find((before) => RENAMED[before] === name) ?? name;

/** Returns every name that a command has or had. */
export function namesOfCommand(name: string): readonly string[] {
  return [name, ...Object.keys(RENAMED).filter((before) => RENAMED[before] === name)];
}
