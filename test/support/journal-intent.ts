import { DatabaseSync } from 'node:sqlite';
import type { Host, Ids } from '../../src/base/world.ts';
import type { Intent } from '../../src/journal/intent.ts';
import type { Journal } from '../../src/journal/interface.ts';
import { openJournal } from '../../src/journal/open.ts';
import type { Queries } from '../../src/journal/store.ts';
import { countingIds, fakeClock } from './sandbox.ts';

/** A machine where only this process runs. */
export function oneProcess(processId = 100, name = 'host-1'): Host {
  return { name, user: 'ada', processId, isRunning: (id) => id === processId };
}

export const INTENT: Intent = {
  kind: 'money',
  account: { keyFingerprint: '0a1b', profile: 'sandbox', baseUrl: 'http://sandbox.invalid/v1' },
  profile: 'sandbox',
  mode: 'embedded',
  baseUrl: 'http://sandbox.invalid/v1',
  endpoint: 'fees.withdraw',
  effect: 'money',
  command: 'fiatrail fees withdraw',
  summary: 'withdraw ₦500.00 in fees',
  request: '{"amount":50000}',
  input: '["fees withdraw",[["amount",["50000","NGN"]]]]',
};

interface JournalOptions {
  readonly path?: string;
  readonly ids?: Ids;
  readonly clock?: ReturnType<typeof fakeClock>;
  readonly host?: Host;
}

/** So short that no test waits for another process's lock. */
const OUTCOME_WAIT_MS = 20;

/** Opens the journals of the tests that are the same for a file and for a server; test/postgres/journals.ts replaces it. */
export const journals = {
  engine: 'sqlite' as Queries['engine'],
  open: ({ path, ids, clock, host }: Required<JournalOptions>): Promise<Journal> =>
    openJournal(path, { clock, ids, host }, { outcomeWaitMs: OUTCOME_WAIT_MS }),
  /** Runs SQL as someone could who owns the tables. */
  edit: (path: string, sql: string): void => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  },
};

/** Opens a journal with a clock that only a test moves. */
export function testJournal({
  path = ':memory:',
  ids = countingIds(),
  clock = fakeClock(),
  host = oneProcess(),
}: JournalOptions = {}) {
  return journals.open({ path, ids, clock, host });
}

/** Records an intent without a conflict, and returns its id. */
export async function prepared(journal: Journal, intent: Partial<Intent> = {}): Promise<string> {
  const claim = await journal.claim({ ...INTENT, ...intent });
  if (claim.kind !== 'ours') throw new Error(`the claim is ${claim.kind}`);
  return claim.operationId;
}
