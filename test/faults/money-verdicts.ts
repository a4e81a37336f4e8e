import type { Group, MoneyLine } from './money-groups.ts';
import type { Entry } from './money-journals.ts';
import type { Rig } from './money-rig.ts';
import { holds, type Job, type Run } from './money-storm.ts';

/** What another program asked for. */
export interface OtherRun {
  readonly line: MoneyLine;
  readonly process: number;
}

/** What happened, as the ledger knows it. */
interface Truth {
  readonly group: Group;
  readonly jobs: readonly Job[];
  readonly runs: readonly Run[];
  readonly others: readonly OtherRun[];
  readonly journal: readonly Entry[];
  /** The work that a process started. */
  startedBy(process: number): readonly string[];
  /** The process that started work. */
  starterOf(id: string): number | undefined;
  /** Work that no command started. */
  readonly strays: number;
}

export async function truthOf(rig: Rig, given: Pick<Truth, 'group' | 'jobs' | 'runs' | 'others'>): Promise<Truth> {
  const journal = await rig.journal();
  const known = new Set([...given.runs.map(({ ran }) => ran), ...given.others].map(({ process }) => process));
  const starterOf = (id: string) => {
    const process = rig.startedBy(id);
    if (process === undefined || known.has(process)) return process;
    return journal.find(({ request_id }) => request_id === id)?.process ?? process;
  };
  const started = Map.groupBy(await rig.work(), starterOf);
  const strays = [...started.keys()].filter((by) => by !== undefined && !known.has(by)).length;
  return { ...given, journal, starterOf, strays, startedBy: (process) => started.get(process) ?? [] };
}

/** The false claim that nobody can avoid without marks: an equal request of another program, in place of ours that was lost. */
export const TWIN = 'indistinguishable twin: its row was taken for a lost request';
export const MARKED_TWIN = `${TWIN}, although only marks prove anything`;
export const LOST = 'moved twice under a key: the journal lost an operation';
/** What nothing on one host can notice: everything that remembers was put back together. */
export const RESTORED = `${LOST}, as a whole machine was restored`;

/** Nothing moved for a key that ended with exit 0: a row of an equal request was taken, or the journal that says whose row it was is gone. */
export const NOT_MOVED = 'exit 0 under a key, and nothing moved';
export const NOT_MOVED_BESIDE_TWIN = `${NOT_MOVED}, beside an equal request of another program`;
export const FORGOTTEN_TWIN = `${TWIN}; then a machine was restored that had not seen it`;

/** False claims that docs/money.md names as those that nobody can avoid. */
export const UNAVOIDABLE: readonly string[] = [TWIN, RESTORED, FORGOTTEN_TWIN];

/** Exit codes that say that nothing was done. */
const NOTHING_DONE: readonly number[] = [2, 4, 5, 7, 9];

/** What differs between two commands and not between their rows. */
const UNSEEN = / --no-tag| --(max|min)-price \d+|(?<=^fx) (trade|market-order)/g;

/** The list of fee withdrawals shows the first six digits of an account. */
const MASKED = /(?<=^fees .*--account-number \d{6})\d{4}/;

/** What a command asks for, as far as the service's lists show it. */
const asked = ({ argv }: MoneyLine) => argv.join(' ').replaceAll(UNSEEN, '').replace(MASKED, '****');

/** Whether the request carried a tag, by which its work is known. */
const isMarked = ({ endpoint, terms }: Job) => endpoint === 'fees.withdraw' && terms.tag === '';

/** Returns the claims of commands and of the journal that are not true. */
export function falseClaims(truth: Truth): string[] {
  const { runs, startedBy, strays } = truth;
  const ofRuns = runs.flatMap(({ ran: { exit, process } }) => {
    if (exit === 1) return ['internal error'];
    return NOTHING_DONE.includes(exit) && startedBy(process).length > 0 ? [`exit ${exit}, and it moved`] : [];
  });
  const ofStrays = strays > 0 ? ['work that no operation knows'] : [];
  return [...ofRuns, ...ofStrays, ...truth.journal.flatMap((entry) => falseEntry(truth, entry)), ...falseKeys(truth)];
}

function falseEntry(truth: Truth, entry: Entry): string[] {
  const { runs, others, journal, startedBy, starterOf } = truth;
  const job = runs.find(({ ran }) => ran.process === entry.process)?.job;
  if (!job) return [];
  const own = startedBy(entry.process);
  if (!holds(entry)) {
    const isTaken = own.some((id) => journal.some((other) => holds(other) && other.request_id === id));
    if (own.length === 0 || isTaken || entry.state === 'prepared') return [];
    if (entry.state === 'rejected') return ['false rejection: it moved'];
    return entry.detail?.startsWith('looked for twice') ? ['false absence: it moved'] : [];
  }
  if (entry.request_id === null || own.includes(entry.request_id) || isChange(job)) return [];
  const by = starterOf(entry.request_id);
  const other = others.find(({ process }) => process === by);
  const what = own.length === 0 ? 'false outcome: a lost request was given' : 'wrong row: it moved, and was given';
  if (other) {
    const isTwin = asked(other.line) === asked(job);
    if (isTwin && !isMarked(job)) return own.length === 0 ? [TWIN] : [];
    return [`${what} the row of ${isTwin ? 'a twin without its mark' : "another program's other request"}`];
  }
  const ours = runs.find(({ ran }) => ran.process === by)?.job;
  if (!ours) return [`${what} an earlier row`];
  // Of two equal requests of ours, it does not matter which one has the row.
  return asked(ours) === asked(job) ? [] : [`${what} the row of another operation`];
}

/** A change is looked for in its current state, and has no row. */
const isChange = ({ endpoint }: Job) => endpoint === 'fx.update-limit-order';

/** Compares what equal commands moved with the number of their idempotency keys. */
function falseKeys({ jobs, runs, others, journal, startedBy, starterOf }: Truth): string[] {
  const keyed = jobs.filter(({ key }) => key !== undefined);
  return [...new Set(keyed.map(asked))].flatMap((line) => {
    const of = runs.filter(({ job }) => job.key !== undefined && asked(job) === line);
    const movers = of.filter(({ ran }) => startedBy(ran.process).length > 0);
    const moved = movers.flatMap(({ ran }) => startedBy(ran.process)).length;
    const keys = new Set(of.map(({ job }) => job.key)).size;
    const done = new Set(of.filter(({ ran }) => ran.exit === 0).map(({ job }) => job.key)).size;
    if (moved > keys) {
      const entries = movers.map(({ ran }) => journal.find(({ process }) => process === ran.process));
      return [`moved twice under a key${causeOf(entries)}`];
    }
    if (moved >= done) return [];
    const hasForeign = journal.some(
      ({ request_id, once_key }) =>
        request_id !== null &&
        keyed.some(({ key }) => key === once_key) &&
        others.some(({ process }) => process === starterOf(request_id)),
    );
    if (hasForeign) return [];
    return [others.some((other) => asked(other.line) === line) ? NOT_MOVED_BESIDE_TWIN : NOT_MOVED];
  });
}

function causeOf(entries: readonly (Entry | undefined)[]): string {
  if (entries.some((entry) => entry?.detail?.startsWith('looked for twice'))) return ': after a false absence';
  if (entries.includes(undefined)) return ': the journal lost an operation';
  if (entries.some((entry) => entry?.state === 'rejected')) return ': after a false rejection';
  return '';
}
