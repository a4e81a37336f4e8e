/** A change of a line that guards money, and the tests that must notice it. */
export interface Mutant {
  readonly file: string;
  /** Text that is in the file exactly once. */
  readonly line: string;
  readonly change: string;
  /** The test files that guard the line. */
  readonly tests: readonly string[];
  /** The least number of tests that must fail: two, unless said otherwise. */
  readonly failing?: number;
}

const CLAIMS = ['test/journal/claims.test.ts'];
const FLUSHED = ['test/sqlite/flushed.test.ts'];
const ASIDE = ['test/journal/aside.test.ts'];
const INBOX = ['test/webhooks/inbox.test.ts'];

/** Lines about money, keys, evidence and the order of writes. `npm run mutants` changes each. */
export const MUTANTS: readonly Mutant[] = [
  {
    file: 'src/journal/sqlite-store.ts',
    line: `synchronous: 'FULL'`,
    change: `synchronous: 'NORMAL'`,
    tests: FLUSHED,
  },
  {
    file: 'src/webhooks/inbox/inbox.ts',
    line: `synchronous: 'FULL'`,
    change: `synchronous: 'NORMAL'`,
    tests: FLUSHED,
  },
  {
    file: 'src/journal/moved.ts',
    line: 'ORDER BY created_at DESC, id DESC',
    change: 'ORDER BY created_at, id',
    tests: ['test/journal/moved.test.ts'],
  },
  {
    file: 'src/journal/moved.ts',
    line: 'ORDER BY created_at DESC, id DESC',
    change: 'ORDER BY created_at DESC, id',
    tests: ['test/journal/moved.test.ts'],
  },
  {
    file: 'src/journal/transitions.ts',
    line: 'createdAtMs: Number(createdAt)',
    change: 'createdAtMs: at',
    tests: ['test/journal/spending.test.ts'],
  },
  {
    file: 'src/journal/claims.ts',
    line: `(await newestMoved(looking, { ...like, state: 'may-have-moved', sinceMs: queries.now() - GUARD_MS })) ??`,
    change: `(await newestMoved(looking, { ...like, sinceMs: queries.now() - GUARD_MS })) ??`,
    tests: CLAIMS,
  },
  {
    file: 'src/journal/claims.ts',
    line: 'return newestMoved(looking, selection, operation);',
    change: 'return undefined;',
    tests: CLAIMS,
    failing: 1,
  },
  {
    file: 'src/journal/list-query.ts',
    line: `AND verdict IS DISTINCT FROM 'not-done'\`];`,
    change: '`];',
    tests: CLAIMS,
  },
  {
    file: 'src/journal/merge.ts',
    line: `        if (problem === undefined) merged.push(path);`,
    change: `        if (problem === undefined) { merged.push(path); removePrivateFile(path); }`,
    tests: ASIDE,
  },
  {
    file: 'src/journal/merge.ts',
    line: '&& (kept.requestId === undefined || kept.requestId === request_id)',
    change: '',
    tests: ASIDE,
  },
  {
    file: 'src/webhooks/inbox/inbox.ts',
    line: `state <> 'acknowledged'`,
    change: `state = 'waiting'`,
    tests: INBOX,
    failing: 1,
  },
  {
    file: 'src/contract/reading/pages.ts',
    line: ` && facts.nextCursor !== ''`,
    change: '',
    tests: ['test/contract/reading.test.ts', 'test/witness/answers.test.ts'],
  },
  {
    file: 'src/files/part-file.ts',
    line: '        fsyncSync(file);',
    change: '',
    tests: ['test/files/part-file.test.ts'],
  },
  {
    file: 'src/files/part-file.ts',
    line: '        ftruncateSync(file, bytes);',
    change: '',
    tests: ['test/files/part-file.test.ts'],
    failing: 1,
  },
  {
    file: 'src/plans/change.ts',
    line: '[typed.input, change.input]',
    change: '[typed.input]',
    tests: ['test/plans/apply.test.ts'],
  },
  {
    file: 'src/cli/journaled.ts',
    line: '!(error instanceof CliError || error instanceof DatabaseError)',
    change: '!(error instanceof Error)',
    tests: ['test/cli/journaled.test.ts'],
  },
  {
    file: 'src/cli/journaled.ts',
    line: '  session.inFlight({ operationId, summary: sending.summary });',
    change: '',
    tests: ['test/cli/abandoned.test.ts'],
  },
  {
    file: 'src/cli/journaled.ts',
    line: '    session.inFlight(undefined);',
    change: '',
    tests: ['test/cli/abandoned.test.ts'],
    failing: 1,
  },
  {
    file: 'src/journal/chain.ts',
    line: 'const said = [String(sequence), operationId, host, state, String(at), requestId',
    change: 'const said = [String(sequence), operationId, host, state, requestId',
    tests: ['test/journal/kept-lines.test.ts'],
  },
  {
    file: 'src/journal/chain.ts',
    line: 'return shortSha256(',
    change: `return shortSha256('x' + `,
    tests: ['test/journal/kept-lines.test.ts', 'test/journal/verify.test.ts'],
  },
  {
    file: 'src/journal/chain.ts',
    line: `'operator', 'host', 'created_at']`,
    change: `'operator', 'host']`,
    tests: ['test/journal/kept-lines.test.ts'],
  },
  {
    file: 'src/journal/chain.ts',
    line: `export const AMOUNT_COLUMNS = ['asset', 'minor'] as const;`,
    change: `export const AMOUNT_COLUMNS = ['asset'] as const;`,
    tests: ['test/journal/kept-lines.test.ts'],
  },
  {
    file: 'src/journal/postgres/begin.ts',
    line: `IN ('off', 'local')`,
    change: `IN ('off')`,
    tests: ['test/postgres/flushed.test.ts'],
    failing: 1,
  },
  {
    file: 'src/journal/postgres/begin.ts',
    line: `IN ('off', 'local')`,
    change: `IN ('off')`,
    tests: ['test/journal/begin.test.ts'],
    failing: 1,
  },
  {
    file: 'src/journal/postgres/begin.ts',
    line: 'SELECT pg_advisory_xact_lock(',
    change: 'SELECT (',
    tests: ['test/journal/begin.test.ts'],
    failing: 1,
  },
];
