import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/service/context.ts';
import {
  type AccountRef,
  accountId,
  BANK,
  balanceOf,
  chain,
  checkLedger,
  fintechFees,
  INCOMING,
  platformFees,
  post,
  REFUNDS,
  RESERVE,
  SUPPLY,
  VAULT,
  walletAccount,
} from '../../src/service/ledger.ts';
import type { Database } from '../../src/sqlite/database.ts';
import { openSandbox } from '../support/sandbox.ts';

const MAX_INTEGER = 2n ** 63n - 1n;
const NEW_SET = 900n;
const SEEDED_SET = 1n;

/** Inserts a posting with plain SQL, bypassing post() and its checks. */
function postRaw({ store }: Context, set: bigint, account: AccountRef, minor: bigint | number): void {
  const id = accountId(store, account);
  store.run('INSERT INTO posting (posting_set, account, minor) VALUES (?, ?, ?)', set, id, minor);
}

function closeRaw({ store }: Context, set: bigint): void {
  store.run(`INSERT INTO posting_set (id, event, subject, created_at) VALUES (?, 'test', 'test', 0)`, set);
}

/** Ordered by when the database detects the error: at the statement, at the closing of the set, at the commit. */
const refused: [what: string, work: (context: Context) => void, message: RegExp][] = [
  ['a zero posting', (context) => postRaw(context, NEW_SET, BANK, 0n), /CHECK constraint failed: minor <> 0/],
  ['a posting of half a kobo', (context) => postRaw(context, NEW_SET, BANK, 0.5), /cannot store REAL/],
  [
    'a posting on an unknown account',
    ({ store }) => store.run(`INSERT INTO posting (posting_set, account, minor) VALUES (900, 99999, 1)`),
    /FOREIGN KEY constraint failed/,
  ],
  [
    'an account with an unknown asset',
    ({ store }) => store.run(`INSERT INTO account (code, asset, may_be_negative) VALUES ('x', 'EUR', 0)`),
    /CHECK constraint failed/,
  ],
  [
    'two postings of one set on one account',
    (context) => {
      postRaw(context, NEW_SET, BANK, 1n);
      postRaw(context, NEW_SET, BANK, 2n);
    },
    /UNIQUE constraint failed/,
  ],
  [
    'a balance beyond 64 bits',
    (context) => {
      postRaw(context, NEW_SET, RESERVE, MAX_INTEGER);
    },
    /cannot store REAL/,
  ],
  ['adding to a closed set', (context) => postRaw(context, SEEDED_SET, INCOMING, 1n), /the posting set is closed/],
  [
    'adding to a set closed in the same transaction',
    (context) => {
      postRaw(context, NEW_SET, BANK, -1n);
      postRaw(context, NEW_SET, RESERVE, 1n);
      closeRaw(context, NEW_SET);
      postRaw(context, NEW_SET, INCOMING, 1n);
    },
    /the posting set is closed/,
  ],
  ['changing a posting', ({ store }) => store.run('UPDATE posting SET minor = minor + 1'), /postings are final/],
  ['deleting a posting', ({ store }) => store.run('DELETE FROM posting'), /postings are final/],
  ['changing a set', ({ store }) => store.run(`UPDATE posting_set SET event = 'x'`), /posting sets are final/],
  ['deleting a set', ({ store }) => store.run('DELETE FROM posting_set'), /posting sets are final/],
  ['an empty set', (context) => closeRaw(context, NEW_SET), /the posting set is empty/],
  [
    'a one-sided set',
    (context) => {
      postRaw(context, NEW_SET, BANK, 1n);
      closeRaw(context, NEW_SET);
    },
    /does not sum to zero/,
  ],
  [
    'a set off by one',
    (context) => {
      postRaw(context, NEW_SET, BANK, -100n);
      postRaw(context, NEW_SET, RESERVE, 99n);
      closeRaw(context, NEW_SET);
    },
    /does not sum to zero/,
  ],
  [
    'a set that sums to zero only across assets',
    (context) => {
      postRaw(context, NEW_SET, RESERVE, 1n);
      postRaw(context, NEW_SET, SUPPLY, -1n);
      closeRaw(context, NEW_SET);
    },
    /does not sum to zero/,
  ],
  [
    'postings whose set is never closed (at commit)',
    (context) => {
      postRaw(context, NEW_SET, BANK, -1n);
      postRaw(context, NEW_SET, RESERVE, 1n);
    },
    /FOREIGN KEY constraint failed/,
  ],
];

describe('the database rejects', () => {
  test.each(refused)('%s', async (_what, work, message) => {
    await using box = await openSandbox();
    const before = await box.inside(({ store }) => dump(store), 'read');
    await expect(box.inside(work)).rejects.toThrow(message);
    expect(await box.inside(({ store }) => dump(store), 'read')).toEqual(before);
  });

  test('replacing a closed set', async () => {
    await using box = await openSandbox();
    const replace = `INSERT OR REPLACE INTO posting_set (id, event, subject, created_at) VALUES (1, 'forged', 'x', 0)`;
    await expect(box.inside(({ store }) => store.run(replace))).rejects.toThrow(/final/);
  });
});

function dump(store: Database) {
  return ['account', 'posting', 'posting_set'].map((table) => store.all(`SELECT * FROM ${table}`));
}

describe('an account that must not be negative', () => {
  const accounts: [name: string, account: AccountRef][] = [
    ['a wallet', walletAccount(77n, 'base', 'CNGN')],
    ['the reserve', RESERVE],
    ['incoming', INCOMING],
    ['refunds', REFUNDS],
    ['the vault', VAULT],
    ['platform fees', platformFees('onramp')],
    ["a fintech's fees", fintechFees(1n, 'offramp')],
  ];

  test.each(accounts)('%s cannot go one unit below zero', async (_name, account) => {
    await using box = await openSandbox();
    const world: AccountRef = account.asset === 'NGN' ? BANK : SUPPLY;
    const move = (minor: bigint) => (context: Context) =>
      post(context, 'test', 'test', [
        { account, minor },
        { account: world, minor: -minor },
      ]);
    await box.inside(move(10n));
    const held = await box.inside(({ store }) => balanceOf(store, account), 'read');
    await expect(box.inside(move(-held - 1n))).rejects.toThrow(/CHECK constraint failed/);
    await box.inside(move(-held));
    expect(await box.inside(({ store }) => balanceOf(store, account), 'read')).toBe(0n);
  });

  test('lets the outside accounts go negative without limit', async () => {
    await using box = await openSandbox();
    await box.inside((context) =>
      post(context, 'test', 'test', [
        { account: chain('USDC'), minor: -(10n ** 17n) },
        { account: walletAccount(1n, 'base', 'USDC'), minor: 10n ** 17n },
      ]),
    );
    expect(await box.inside(({ store }) => checkLedger(store).balanced, 'read')).toBe(true);
  });
});

describe('post', () => {
  test('adds up postings on one account and omits zero totals', async () => {
    await using box = await openSandbox();
    const { set, made } = await box.inside((context) => {
      const unused = walletAccount(99n, 'base', 'CNGN');
      post(context, 'merge', 'test', [
        { account: RESERVE, minor: 3n },
        { account: BANK, minor: -5n },
        { account: RESERVE, minor: 2n },
        { account: INCOMING, minor: 7n },
        { account: INCOMING, minor: -7n },
        { account: unused, minor: 0n },
      ]);
      return { set: newestSet(context), made: balanceOf(context.store, unused) };
    });
    expect(set).toEqual({ bank: -5n, reserve: 5n });
    expect(made).toBe(0n);
  });

  test('creates no account for a zero posting', async () => {
    await using box = await openSandbox();
    const count = ({ store }: Context) => checkLedger(store).accounts;
    const before = await box.inside(count, 'read');
    await box.inside((context) =>
      post(context, 'zero', 'test', [
        { account: walletAccount(99n, 'base', 'CNGN'), minor: 0n },
        { account: BANK, minor: -1n },
        { account: RESERVE, minor: 1n },
      ]),
    );
    expect(await box.inside(count, 'read')).toBe(before);
  });

  test.each([
    ['nothing', []],
    ['only zeros', [{ account: BANK, minor: 0n }]],
  ])('refuses %s', async (_what, postings) => {
    await using box = await openSandbox();
    await expect(box.inside((context) => post(context, 'none', 'test', postings))).rejects.toThrow(/is empty/);
  });

  test('rejects an unbalanced set and keeps none of it', async () => {
    await using box = await openSandbox();
    const before = await box.inside(({ store }) => dump(store), 'read');
    const lopsided = [
      { account: BANK, minor: -5n },
      { account: RESERVE, minor: 4n },
    ];
    await expect(box.inside((context) => post(context, 'lopsided', 'test', lopsided))).rejects.toThrow(/sum to zero/);
    expect(await box.inside(({ store }) => dump(store), 'read')).toEqual(before);
  });
});

function newestSet({ store }: Context): Record<string, bigint> {
  const rows = store.all<{ code: string; minor: bigint }>(
    `SELECT code, minor FROM posting JOIN account ON account.id = posting.account
     WHERE posting_set = (SELECT MAX(id) FROM posting_set) ORDER BY code`,
  );
  return Object.fromEntries(rows.map(({ code, minor }) => [code, minor]));
}

/** Removes every constraint that protects the ledger, leaving only the audit. */
function disarm(store: Database): void {
  store.exec('PRAGMA foreign_keys = OFF');
  store.exec('PRAGMA ignore_check_constraints = ON');
  for (const { name } of store.all<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`))
    store.exec(`DROP TRIGGER ${name}`);
}

const ofBank = `(SELECT id FROM account WHERE code = 'bank')`;
const ofReserve = `(SELECT id FROM account WHERE code = 'reserve')`;

const corruptions: [what: string, sql: string][] = [
  ['a balance without a posting', `UPDATE account SET balance = balance + 1 WHERE code = 'reserve'`],
  [
    'two wrong balances that cancel each other out',
    `UPDATE account SET balance = balance + 1 WHERE code = 'reserve'; UPDATE account SET balance = balance - 1 WHERE code = 'bank'`,
  ],
  ['a posting changed behind its balance', `UPDATE posting SET minor = minor + 1 WHERE account = ${ofReserve}`],
  [
    'two sets off by one, with correct balances and sums',
    `UPDATE posting SET minor = minor - 1 WHERE account = ${ofBank} AND posting_set = 1;
     UPDATE posting SET minor = minor + 1 WHERE account = ${ofBank} AND posting_set = 2`,
  ],
  [
    'a posting deleted along with its balance',
    `DELETE FROM posting WHERE account = ${ofReserve} AND posting_set = 1; UPDATE account SET balance = 0 WHERE code = 'reserve'`,
  ],
  ['a set deleted without its postings', 'DELETE FROM posting_set WHERE id = 1'],
  [
    'a wallet below zero in a balanced set',
    `INSERT INTO account (id, code, asset, may_be_negative, balance) VALUES (901, 'wallet/9/base', 'CNGN', 0, -5);
     INSERT INTO posting VALUES (900, 901, -5);
     INSERT INTO posting SELECT 900, id, 5 FROM account WHERE code = 'supply';
     UPDATE account SET balance = balance + 5 WHERE code = 'supply';
     INSERT INTO posting_set VALUES (900, 'x', 'x', 0)`,
  ],
  ['an account moved to another asset', `UPDATE account SET asset = 'USDC' WHERE code = 'reserve'`],
  ['an account deleted along with its balance', `DELETE FROM account WHERE code = 'reserve'`],
];

describe('checkLedger', () => {
  test('reports a fresh seed as balanced, with zero sums', async () => {
    await using box = await openSandbox();
    const check = await box.inside(({ store }) => checkLedger(store), 'read');
    expect(check).toMatchObject({ balanced: true, sums: { NGN: 0n, CNGN: 0n, USDC: 0n, USDT: 0n } });
    expect(check.postingSets).toBeGreaterThan(0);
    expect(check.accounts).toBeGreaterThan(0);
  });

  test('reports a disarmed but intact database as balanced', async () => {
    await using box = await openSandbox();
    disarm(box.service.store);
    expect(checkLedger(box.service.store).balanced).toBe(true);
  });

  test.each(corruptions)('detects %s', async (_what, sql) => {
    await using box = await openSandbox();
    disarm(box.service.store);
    box.service.store.exec(sql);
    expect(checkLedger(box.service.store).balanced).toBe(false);
  });

  test('detects an event without postings', async () => {
    await using box = await openSandbox();
    const { store } = box.service;
    await box.inside((context) =>
      post(context, 'gone', 'test', [
        { account: BANK, minor: -5n },
        { account: RESERVE, minor: 5n },
      ]),
    );
    disarm(store);
    store.exec(`DELETE FROM posting WHERE posting_set = (SELECT MAX(id) FROM posting_set);
      UPDATE account SET balance = balance + 5 WHERE code = 'bank'; UPDATE account SET balance = balance - 5 WHERE code = 'reserve'`);
    expect(checkLedger(store).balanced).toBe(false);
  });

  test('checks only the newest posting sets of a longer ledger', async () => {
    await using box = await openSandbox();
    const { store } = box.service;
    const post5 = () =>
      box.inside((context) =>
        post(context, 'gone', 'test', [
          { account: BANK, minor: -5n },
          { account: RESERVE, minor: 5n },
        ]),
      );
    for (let set = 0; set < 3; set++) await post5();
    disarm(store);
    const whole = checkLedger(store);
    expect(checkLedger(store, whole.postingSets)).toEqual(whole);
    expect(checkLedger(store, 2)).toEqual(whole);
    for (const change of [
      'DELETE FROM posting WHERE posting_set = (SELECT MAX(id) - 1 FROM posting_set)',
      'INSERT INTO posting (posting_set, account, minor) SELECT MAX(id) + 1, 1, 5 FROM posting_set',
      'UPDATE posting SET minor = 6 WHERE minor = 5 AND posting_set = (SELECT MAX(id) - 1 FROM posting_set)',
    ]) {
      store.exec('SAVEPOINT change; PRAGMA defer_foreign_keys = ON');
      store.exec(change);
      expect({ change, newest: checkLedger(store, 2).balanced }).toEqual({ change, newest: false });
      expect({ change, older: checkLedger(store, 1).balanced }).toEqual({
        change,
        older: change.startsWith('D') || change.startsWith('U'),
      });
      store.exec('ROLLBACK TO change; RELEASE change');
    }
  });

  test('reports the wrong sum', async () => {
    await using box = await openSandbox();
    disarm(box.service.store);
    box.service.store.exec(`UPDATE account SET balance = balance + 3 WHERE code = 'supply'`);
    expect(checkLedger(box.service.store).sums).toEqual({ NGN: 0n, CNGN: 3n, USDC: 0n, USDT: 0n });
  });
});
