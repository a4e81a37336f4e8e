/**
 * Forty things that people of a treasury, of operations and developers may type after `fiatrail help`, and the pages of which one
 * must be among the first three. Written down before the index was built. The words are not for tuning: a table of synonyms that
 * names one of them makes the figure worthless.
 */
export const UNSEEN: readonly (readonly [typed: string, ...pages: string[]])[] = [
  // Treasury
  ['vendor payments', 'payout create', 'help send', 'bank-accounts add', 'history payouts'],
  ['month end', 'report', 'docs/data.md', 'history transactions'],
  ['bank charges', 'fees show', 'fees preview', 'report fees', 'fees set'],
  ['insufficient funds', 'wallets deposit-account', 'balances account', 'help receive'],
  ['bounced transfer', 'help wrong-payment', 'help refund', 'help stuck', 'history payouts', 'payout status'],
  ['segregation of duties', 'help approval', 'plans approve', 'profiles approvers add'],
  ['spending cap', 'help limits', 'profiles rules set'],
  ['four eyes', 'help approval', 'plans approve', 'profiles approvers add', 'profiles approval-threshold set'],
  ['exchange rate', 'fx quote', 'fx stats', 'fx book'],
  ['sell dollars', 'fx trade', 'fx quote', 'help send'],
  ['general ledger', 'ops list', 'ops journal verify', 'history transactions', 'report', 'docs/data.md'],
  ['audit trail', 'ops list', 'ops show', 'ops journal verify'],
  ['commission income', 'report fees', 'fees earned'],
  ['sweep fees nightly', 'fees withdraw', 'help scripts', 'docs/cookbook.md'],
  ['proof of payment', 'ops show', 'history payouts', 'find', 'payout status'],
  ['unmatched deposit', 'help refund', 'help wrong-payment', 'find', 'history deposits', 'report accept'],
  ['treasury position', 'balances account', 'status', 'report balance'],
  ['liabilities to customers', 'report owed'],
  // Operations
  ['offboarding staff', 'profiles approvers remove', 'help leaked-key', 'keys rotate'],
  ['healthcheck', 'doctor', 'status', 'docs/webhooks.md'],
  ['disaster recovery', 'ops journal backup', 'ops journal import'],
  ['cronjob failing', 'help scripts', 'help exit-codes', 'docs/errors.md', 'docs/cookbook.md'],
  ['throttled', 'help limits', 'help exit-codes', 'docs/errors.md', 'docs/exit-codes.md', 'docs/troubleshooting.md'],
  ['corporate proxy', 'docs/install.md', 'doctor', 'docs/errors.md', 'docs/troubleshooting.md', 'explain'],
  ['systemd', 'docs/webhooks.md', 'docs/install.md', 'webhooks listen'],
  ['postgres', 'profiles journal set', 'profiles inbox set', 'profiles copy set', 'docs/money.md', 'docs/webhooks.md'],
  ['locked out', 'ip check', 'ip list', 'ip add', 'help login'],
  ['clock skew', 'doctor', 'docs/errors.md', 'docs/exit-codes.md', 'docs/troubleshooting.md', 'webhooks verify'],
  ['disk full', 'doctor', 'docs/errors.md', 'docs/exit-codes.md', 'docs/troubleshooting.md'],
  ['share journal between servers', 'profiles journal set', 'docs/money.md', 'ops journal export'],
  // Developers
  ['expired quote', 'fx quote', 'fx trade'],
  ['hmac', 'webhooks verify', 'docs/webhooks.md'],
  ['tunnel to localhost', 'webhooks listen', 'webhooks trigger', 'docs/webhooks.md'],
  ['node sdk', 'docs/client.md'],
  ['pagination cursor', 'docs/scripting.md', 'docs/cookbook.md', 'help scripts', 'help search'],
  ['fake bank transfer', 'sandbox pay'],
  ['time travel', 'sandbox advance', 'sandbox clock'],
  ['chaos testing', 'sandbox fault add'],
  ['decimal places', 'help units'],
  ['ci pipeline', 'help scripts', 'docs/scripting.md', 'docs/sandbox.md'],
];
