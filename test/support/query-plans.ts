import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { forgetSeeds } from './seeded.ts';

/** A statement that reads every row of a table, or of an index of it. */
interface Scan {
  readonly table: string;
  readonly using: string;
  readonly sql: string;
}

const EXPLAINED = /^\s*(?:SELECT|UPDATE|DELETE|WITH|INSERT)\b/i;

/** A search for all rows of a fintech, an account or a profile: most files have one of them. */
const ALL_OF_ONE = /^SEARCH (\w+)( USING .*)\((?:fintech|account|profile|mode|host|base_url)=\?\)$/;

/** Whether the program prepares a statement, and no test. */
function isOfProgram(): boolean {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = 20;
  // Only the files: finding the lines in the sources takes most of the time.
  Error.prepareStackTrace = (_error, calls) => calls.map((call) => call.getFileName() ?? '');
  const files = new Error().stack as unknown as readonly string[];
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  const callers = files.filter((file) => /\/(?:src|test)\//.test(file));
  const caller = callers.find((file) => !/\/sqlite\/|query-plans/.test(file)) ?? '';
  return caller.includes('/src/');
}

/** Whether a statement is of a local copy that a first sync fills: it makes the indexes when all rows are there. */
const isFilling = (prepare: DatabaseSync['prepare'], sql: string): boolean =>
  /\bstored_/.test(sql) && !prepare("SELECT 1 FROM sqlite_schema WHERE name = 'deposits_unsettled'").get();

/**
 * Asks SQLite how it runs every statement that is prepared from now on. Returns a function that ends this, and returns those that scan a table.
 * A scan in the order of an index that ends with the first rows (`LIMIT`) is none.
 */
function watchQueryPlans(): () => readonly Scan[] {
  const prepare = DatabaseSync.prototype.prepare;
  const seen = new Set<string>();
  const scans: Scan[] = [];
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
    const statement = prepare.call(this, sql);
    if (EXPLAINED.test(sql) && !seen.has(sql) && isOfProgram() && !isFilling(prepare.bind(this), sql)) {
      seen.add(sql);
      const plan = (prepare.call(this, `EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(
        ({ detail }) => detail,
      );
      // In the order of an index or of the rows, it ends with the first ones.
      const isFirstRows = /\bLIMIT\b/.test(sql) && !plan.some((step) => step.includes('TEMP B-TREE'));
      // Once: a report's statement has a hundred kilobytes, and a hundred steps.
      const text = sql.replace(/\s+/g, ' ');
      for (const step of plan) {
        // Rows that a statement itself has.
        if (step.endsWith('ROW VALUES CLAUSE') || step.endsWith('CONSTANT ROWS')) continue;
        const [, table, using = ''] = /^SCAN (\w+)(.*)$/.exec(step) ?? ALL_OF_ONE.exec(step) ?? [];
        const isOrdered = using.includes('INDEX') || /ORDER BY (?:id|sequence)\b/.test(sql);
        if (table !== undefined && table !== 'CONSTANT' && !(isFirstRows && isOrdered))
          scans.push({ table, using: using.trim(), sql: text });
      }
    }
    return statement;
  };
  return () => {
    DatabaseSync.prototype.prepare = prepare;
    return scans;
  };
}

/** Tables with a few rows, however long an account is used, and what is no table of a file. */
const SMALL: Readonly<Record<string, string>> = {
  sqlite_temp_schema: 'the views of the books that a connection was given',
  'account_name|rotation|spent|tally': 'of the journal: keys, rotations, sums of days',
  'api_key|fintech|fault_rule|setting|stuck|fx_vault': 'of the sandbox: its fintechs, settings and faults',
  'allowed_address|bank_account|external_wallet|fee_tally|movement_tally': 'of the sandbox: what a fintech has few of',
  'filler|stored_fee_schedules|stored_account_wallets|stored_forms':
    'of the local copy: who fills it, fees that were in force, the wallets of the account, and the forms of its rows',
  'listener|forwarding|event_tally|forward_tally': 'of the inbox: processes, targets and counts',
  'json_each|step|part|moved|ranked|more|less|computed|newest|pragma_database_list|sqlite_schema|main|snapshot':
    'no table',
};

/** Indexes of what is open only. */
const SMALL_INDEX = /INDEX \w+_(?:in_flight|open|unsettled)\b/;

/** Statements that read everything on purpose. */
const WHOLE: readonly (readonly [start: RegExp, why: string])[] = [
  [
    /EXCEPT|IS DISTINCT FROM|FROM tally WHERE|input_digest = |busy_until|^SELECT count\(\*\) AS (?:count|n) FROM (?:operation|entry)/,
    'ops journal verify compares everything',
  ],
  [
    /FROM entry (?:e )?WHERE (?:hash|subject LIKE)|name = 'account:'/,
    'ops journal verify, and the import of a journal',
  ],
  [/^SELECT DISTINCT file FROM file_row/, 'ops journal verify'],
  [/FROM stored_users WHERE created_at IS NOT NULL AND digest IS NOT NULL GROUP BY 1/, 'a chart counts all users'],
  [/FROM event WHERE quarantined IS NOT NULL/, 'the events that are quarantined'],
  [/^INSERT INTO (?:account_name|spent)|^DELETE FROM (?:entry|account_name)/, 'the import of a journal'],
  [
    /posting|SUM\(balance\)|FROM due$/,
    'sandbox status checks the ledger, of which it reads no more than 10,000 posting sets, and counts open work',
  ],
  [/FROM outbox o LEFT JOIN delivery/, 'sandbox events list counts them'],
  [/^UPDATE (?:forward|movement)|FROM forward WHERE event IN/, 'a replay of dead deliveries, or a seed'],
  [/^INSERT INTO wallet|^WITH RECURSIVE/, 'sandbox seed'],
  [/^SELECT users \+ \(SELECT COUNT/, 'sandbox simulate counts its users once a day'],
  [/FROM page|AS page|^SELECT (?:page|user)\./, 'a page of a list, which was cut before'],
  [/^SELECT COUNT\(\*\) AS n FROM (?:swap|bridge|withdrawal|user)\b.* WHERE \S*fintech = /, 'the total of a list'],
  [/FROM person_name WHERE (?:instr|strpos)\(/, 'find by a part of a name, which scans the names and not the rows'],
  [
    /FROM stored_\w+(?: WHERE (?:deleted_at IS NULL AND digest IS NOT NULL|pass = \d+))?$|^SELECT \(SELECT count\(\*\) FROM stored_\w+|^UPDATE stored_\w+ SET deleted_at/,
    'a sync counts the rows of each table, and marks what the service no longer shows',
  ],
  [
    /^DELETE FROM person_name|FROM stored_balance|FROM stored_owed|FROM stored_users WHERE deleted_at/,
    'the names, balances and users of a local copy',
  ],
  [
    /FROM stored_\w+ WHERE (?:type (?:=|<>) '|side = '|1 = 1)|FROM stored_deposits d/,
    'a report adds up the rows of a period; those of the account have indexes of their own',
  ],
  [/^UPDATE stored_\w+ SET own_fee_minor/, 'a sync settles the fees of every row when it has seen other ones in force'],
  [/FROM (?:\(SELECT \S+ AS at|book_entries)/, 'a report adds up the entries of a period'],
  [/^SELECT u\.id, min\(o\.at\)|^SELECT id, first_name AS first/, 'report owed and income name the users'],
  [/^SELECT direction, COUNT/, 'history transactions counts what a period has in each direction'],
  [/kind = '(?:fintech|fintech_permanent)'/, 'the only row that a partial index has of a fintech'],
];

/**
 * Fails if a statement that the tests of this file prepared reads all rows of a table that grows. Call it at the end of the file: it watches from
 * then on, which is before the first test runs.
 */
export function testQueryPlans(): void {
  // The statements of a seed are watched as well.
  forgetSeeds();
  const scansOf = watchQueryPlans();
  test('no statement reads all rows of a table that grows', () => {
    const small = new Set(Object.keys(SMALL).flatMap((names) => names.split('|')));
    const found = scansOf().filter(({ table, using }) => !small.has(table) && !SMALL_INDEX.test(using));
    const onPurpose = new Set(
      [...new Set(found.map(({ sql }) => sql))].filter((sql) => WHOLE.some(([start]) => start.test(sql))),
    );
    const scans = found.filter(({ sql }) => !onPurpose.has(sql));
    expect(scans).toEqual([]);
  });
}
