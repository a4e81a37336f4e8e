/**
 * A model of how an unknown outcome ends: one request whose response is lost, a service whose responses and rows have clocks of their own, a host and a journal
 * with wrong clocks, other programs of the same account, lists that are late, cut off or lose rows, and someone who looks. Every order of events is explored. What
 * the program does is a guard that a test can take away.
 */
export interface Guards {
  /** Rows are judged by the service's time when the request left, not by the journal's. */
  readonly usesServiceTime: boolean;
  /** Absence is concluded only while the clocks of host, journal and service agree, when the request left and now. */
  readonly needsRightClocks: boolean;
  /** A row counts only if it agrees in every field. */
  readonly comparesFields: boolean;
  /** A row that the list had before the request left is not the request. */
  readonly knowsRowsBefore: boolean;
  /** A row that is too old, and that the list should have had but had not, is left to a person. */
  readonly keepsUnexplained: boolean;
  /** More rows than requests are left to a person. */
  readonly countsRows: boolean;
  /** A row that carries the tag of the request is never dropped by time. */
  readonly keepsTagged: boolean;
  /** A request is sent again only for a short time, for which the service holds its key. */
  readonly keepsWindow: boolean;
  /** What was looked for before a request was sent again proves nothing. */
  readonly forgetsLooks: boolean;
  /** A list is read to an empty page, and not to a short one. */
  readonly readsOn: boolean;
  /** Every row that the list had before the request must still be there. */
  readonly needsKept: boolean;
  /** The list must go back to before the request. */
  readonly needsBack: boolean;
  /** The list must have a row that came after the request. */
  readonly needsCurrent: boolean;
  /** The time of such a row must be later also if it is that of Lagos. */
  readonly readsAsLagos: boolean;
  /** Two looks are needed. */
  readonly looksTwice: boolean;
  /** The last look is long after the request was sent. */
  readonly waits: boolean;
  /** A journal that lacks what it had is refused. */
  readonly knowsJournal: boolean;
  /** A wall clock that was set back makes a request late. */
  readonly isSteady: boolean;
}

export const GUARDS: Guards = {
  usesServiceTime: true,
  needsRightClocks: true,
  comparesFields: true,
  knowsRowsBefore: true,
  keepsUnexplained: true,
  countsRows: true,
  keepsTagged: true,
  keepsWindow: true,
  forgetsLooks: true,
  knowsJournal: true,
  isSteady: true,
  readsOn: true,
  needsKept: true,
  needsBack: true,
  needsCurrent: true,
  readsAsLagos: true,
  looksTwice: true,
  waits: true,
};

/** A world in which the request is made. Offsets are in ticks; a tick is longer than any tolerance. */
export interface World {
  /** How far the clocks are ahead of true time: of the journal, of this host, of the service's responses and of its rows. */
  readonly journal: number;
  readonly host: number;
  readonly service: number;
  readonly rows: number;
  /** By how many ticks the service's clocks are set while the request is uncertain; 0 for never. */
  readonly jump: number;
  /** What another program makes: nothing, a request that agrees in every field, or one that does not. */
  readonly other: 'nothing' | 'equal' | 'similar';
  /** How many rows other programs may make that are not like the request, besides. */
  readonly later: number;
  /** How many ticks later a list shows a row, and how many more our own. */
  readonly lag: number;
  readonly ownLag: number;
  /** What the list leaves out: our row on its first page, as nobody promises an order, or everything but its newest row whatever it is asked for. */
  readonly cut: 'nothing' | 'page' | 'list';
  /** The rows that are there from the beginning, by when they were made. */
  readonly history: readonly number[];
  /** From when to when rows were made that the list loses once the request is sent. */
  readonly hole: readonly [from: number, to: number] | null;
  /** Whether one look may miss our row. */
  readonly isFlaky: boolean;
  /** Whether the request carries a tag that its row shows. */
  readonly isTagged: boolean;
  /** For how many ticks the service holds an idempotency key that the request carries; 0 without one. */
  readonly keyTicks: number;
  /** What of the list the command has read before it sends: nothing, its newest row, or all of it. */
  readonly read: 'nothing' | 'newest' | 'all';
  /** Whether someone puts an older copy of the journal back. */
  readonly isRestored: boolean;
  /** Whether the host is suspended before the request leaves, and its wall clock set back. */
  readonly isSuspended: boolean;
}

export const WORLD: World = {
  journal: 0,
  host: 0,
  service: 0,
  rows: 0,
  jump: 0,
  other: 'nothing',
  later: 0,
  lag: 0,
  ownLag: 0,
  isTagged: false,
  cut: 'nothing',
  history: [-1],
  hole: null,
  isFlaky: false,
  keyTicks: 0,
  read: 'all',
  isRestored: false,
  isSuspended: false,
};

/** The last tick. */
const END = 7;
/** Ticks from when a request may have left at the latest to the last look: as much as a row may be late. */
const WAIT = 4;
/** Ticks after which a request may not leave any more. */
const LIMIT = 1;
/** For how long a request is sent again; every service holds its keys longer. */
const WINDOW = 2;
/** By how much the time of Lagos is ahead. */
const LAGOS = 2;

interface Row {
  /** By the clock of the rows. */
  readonly at: number;
  /** In true time. */
  readonly madeAt: number;
  readonly isOurs: boolean;
  readonly isLike: boolean;
}

interface Baseline {
  readonly serviceAt: number;
  readonly createdAt: number;
  readonly areClocksRight: boolean;
  /** The rows that were read, and from when on there are no others; null from the beginning. */
  readonly before: { readonly rows: readonly number[]; readonly since: number | null } | null;
  readonly claimedAt: number;
}

export interface State {
  readonly time: number;
  readonly hasJumped: boolean;
  readonly rows: readonly Row[];
  readonly baseline: Baseline | null;
  /** `ready`: recorded, and not left yet. */
  readonly request: 'none' | 'ready' | 'sent' | 'arrived' | 'lost';
  readonly unseenAt: number | null;
  /** Until when it may have left, the last time that it was sent, in true time. */
  readonly sentUntil: number;
  readonly repeats: number;
  /** How many of the other rows were made, and whether a look missed our row. */
  readonly laterRows: number;
  readonly hasMissed: boolean;
  readonly hasOther: boolean;
  readonly outcome: 'unknownOutcome' | 'accepted' | 'not-done' | 'person' | 'rejected';
  /** Who made the row that was taken; `guessed`: another program did, and there was a second row. */
  readonly taken: 'ours' | 'others' | 'guessed' | null;
  /** Whether a row with the tag was left to a person. */
  readonly isWasted: boolean;
  readonly isForgotten: boolean;
}

const START: State = {
  time: 0,
  hasJumped: false,
  rows: [],
  baseline: null,
  request: 'none',
  unseenAt: null,
  repeats: 0,
  sentUntil: 0,
  laterRows: 0,
  hasMissed: false,
  hasOther: false,
  outcome: 'unknownOutcome',
  taken: null,
  isForgotten: false,
  isWasted: false,
};

/** How a world begins. */
const startOf = (world: World): State => ({
  ...START,
  rows: world.history.map((madeAt) => ({ at: madeAt + world.rows, madeAt, isOurs: false, isLike: false })),
});

export interface Step {
  readonly name: string;
  readonly next: State;
}

const aheadBy = ({ hasJumped }: State, { jump }: World) => (hasJumped ? jump : 0);
const serviceNow = (state: State, world: World) => state.time + world.service + aheadBy(state, world);
const rowsNow = (state: State, world: World) => state.time + world.rows + aheadBy(state, world);
const areRight = (state: State, world: World) =>
  state.time + world.host === serviceNow(state, world) && state.time + world.journal === serviceNow(state, world);

const TAKEN = 'another program’s row was taken';

/** Returns what is wrong with a state. */
export function violation(
  { rows, outcome, request, taken, baseline, isWasted }: State,
  world: World,
): string | undefined {
  const ours = rows.filter(({ isOurs }) => isOurs);
  if (ours.length > 1) return 'the money moved twice';
  if (outcome === 'not-done' && (ours.length > 0 || request === 'sent'))
    return 'recorded as not done, and the money moved';
  if (isWasted) return 'a row with the tag was left to a person';
  if (taken === 'guessed') return TAKEN;
  const other = rows.find(({ isOurs, isLike }) => !isOurs && isLike);
  if (taken !== 'others') return undefined;
  if (!other) return TAKEN;
  // Without a key, nobody can tell an equal request of another program that was made after ours from ours.
  const isOlder = other.madeAt < (baseline?.claimedAt ?? 0);
  const wasSeen = baseline?.before?.rows.includes(rows.indexOf(other)) ?? false;
  return world.isTagged || isOlder || wasSeen ? TAKEN : undefined;
}

/** Returns every state that may follow. */
export function stepsOf(state: State, world: World, guards: Guards): Step[] {
  // What was recorded as not done may still leave, if its time is not over.
  if (state.outcome === 'not-done' && state.request === 'ready') return leaving(state, world, guards);
  if (state.outcome !== 'unknownOutcome') return [];
  const steps: Step[] = [];
  const to = (name: string, change: Partial<State>) => steps.push({ name, next: { ...state, ...change } });
  if (state.time < END) to('time passes', { time: state.time + 1 });
  if (!state.hasOther && world.other !== 'nothing')
    to('another program makes a request', { hasOther: true, rows: [...state.rows, rowOf(state, world, false)] });
  if (state.laterRows < world.later && state.baseline)
    to('another program makes another request', {
      laterRows: state.laterRows + 1,
      rows: [...state.rows, { ...rowOf(state, world, false), isLike: false }],
    });
  if (world.jump !== 0 && !state.hasJumped && state.baseline) to('the service’s clocks are set', { hasJumped: true });
  if (state.request === 'none') to('the intent is recorded', claimed(state, world));
  if (state.request === 'ready') steps.push(...leaving(state, world, guards));
  if (state.request === 'sent') {
    // A row of a request that takes longer is one that is later than everything that was waited for.
    if (state.time <= state.sentUntil)
      to('the request moves the money', { request: 'arrived', rows: [...state.rows, rowOf(state, world, true)] });
    to('the request is lost', { request: 'lost' });
  }
  if (world.isRestored && state.baseline && state.request !== 'ready' && !state.isForgotten)
    to('an older copy of the journal is put back', { isForgotten: true });
  if (state.isForgotten) steps.push(...runAgain(state, world, guards));
  else if (state.request === 'arrived' || state.request === 'lost' || isOver(state))
    steps.push(...look(state, world, guards));
  return steps;
}

const rowOf = (state: State, world: World, isOurs: boolean): Row => ({
  at: rowsNow(state, world),
  madeAt: state.time,
  isOurs,
  isLike: isOurs || world.other === 'equal',
});

/** Whether a list has a row, if it is asked for all of them. */
const isShown = ({ madeAt, isOurs }: Row, { time, request }: State, { lag, ownLag, hole }: World) =>
  time >= madeAt + lag + (isOurs ? ownLag : 0) && (request === 'none' || !hole || madeAt < hole[0] || madeAt > hole[1]);

function claimed(state: State, world: World): Partial<State> {
  const baseline: Baseline = {
    serviceAt: serviceNow(state, world),
    createdAt: state.time + world.journal,
    claimedAt: state.time,
    areClocksRight: areRight(state, world),
    before: readBefore(state, world),
  };
  return { request: 'ready', baseline, sentUntil: state.time + LIMIT };
}

function readBefore(state: State, world: World): Baseline['before'] {
  const shown = state.rows.flatMap((row, index) => (isShown(row, state, world) ? [{ ...row, index }] : []));
  const [newest] = shown.toSorted((one, other) => other.at - one.at);
  if (world.read === 'nothing') return null;
  if (world.read === 'newest' && newest) return { rows: [newest.index], since: newest.at };
  return { rows: shown.map(({ index }) => index), since: null };
}

/** Whether others count the time of the request as over. */
const isOver = ({ time, request, baseline }: State) => request === 'ready' && time > (baseline?.claimedAt ?? 0) + LIMIT;

function leaving(state: State, { isSuspended }: World, { isSteady }: Guards): Step[] {
  const isLate = isOver(state) && (isSteady || !isSuspended);
  if (isLate)
    return [
      {
        name: 'the request is too late',
        next: { ...state, request: 'lost', outcome: state.outcome === 'unknownOutcome' ? 'rejected' : state.outcome },
      },
    ];
  return [{ name: 'the request leaves', next: { ...state, request: 'sent' } }];
}

/** The command runs again with a journal that forgot it. */
function runAgain(state: State, world: World, { knowsJournal }: Guards): Step[] {
  if (knowsJournal) return [{ name: 'the journal is rejected', next: { ...state, outcome: 'person' } }];
  return [{ name: 'the command runs again', next: { ...state, rows: [...state.rows, rowOf(state, world, true)] } }];
}

/** What a reading of the list shows; `misses`: without our row. */
function shownRows(state: State, world: World, { readsOn }: Guards, misses: boolean): readonly Row[] {
  const all = state.rows.filter((row) => isShown(row, state, world) && !(misses && row.isOurs));
  if (world.cut === 'page') return readsOn ? all : all.filter(({ isOurs }) => !isOurs);
  return world.cut === 'list' ? all.toSorted((one, other) => other.at - one.at).slice(0, 1) : all;
}

/** Every way in which someone may look now. */
function look(state: State, world: World, guards: Guards): Step[] {
  const steps = lookAt(state, world, guards, shownRows(state, world, guards, false));
  if (!world.isFlaky || state.hasMissed) return [...steps, ...sentAgain(state, world, guards)];
  const missed = { ...state, hasMissed: true };
  return [...steps, ...lookAt(missed, world, guards, shownRows(missed, world, guards, true))];
}

function lookAt(state: State, world: World, guards: Guards, shown: readonly Row[]): Step[] {
  const { baseline, rows } = state;
  if (!baseline) return [];
  const to = (name: string, change: Partial<State>): Step[] => [{ name, next: { ...state, ...change } }];
  const isWasted = world.isTagged && shown.some((row) => row.isOurs);
  const person = () => to('a person decides', { outcome: 'person', isWasted });
  const sinceAt = guards.usesServiceTime ? baseline.serviceAt : baseline.createdAt;
  const isOld = ({ at }: Row) => at < sinceAt;
  const wasThere = (row: Row) => {
    const { before } = baseline;
    if (!before || !guards.knowsRowsBefore) return false;
    return before.rows.includes(rows.indexOf(row)) || (before.since !== null && row.at < before.since && isOld(row));
  };
  const isTagged = (row: Row) => world.isTagged && row.isOurs;
  const found = shown.filter((row) => {
    if (guards.comparesFields && !row.isLike) return false;
    if (isTagged(row) && guards.keepsTagged) return true;
    // The service's responses and its rows may have different clocks, so an old row that was not seen before may be the request.
    return !wasThere(row) && (!isOld(row) || guards.keepsUnexplained);
  });
  const tagged = found.filter(isTagged);
  const [only] = tagged.length > 0 ? tagged : world.isTagged ? found.filter(({ isOurs }) => isOurs) : found;
  const take = (row: Row) =>
    to('a row is taken', { outcome: 'accepted', taken: row.isOurs ? 'ours' : found.length > 1 ? 'guessed' : 'others' });
  if (only && (tagged.length === 1 || (!isOld(only) && (found.length === 1 || !guards.countsRows)))) return take(only);
  if (found.length > 0 && !world.isTagged) return person();
  return absent({ ...state, isWasted }, world, guards, shown);
}

/** What is concluded of a list that has no row which may be the request. */
function absent(state: State, world: World, guards: Guards, shown: readonly Row[]): Step[] {
  const { baseline, rows, sentUntil, unseenAt } = state;
  if (!baseline) return [];
  const to = (name: string, change: Partial<State>): Step[] => [
    { name, next: { ...state, isWasted: change.outcome === 'person' && state.isWasted, ...change } },
  ];
  const nowAt = serviceNow(state, world);
  const isRight = baseline.areClocksRight && areRight(state, world) && shown.every(({ at }) => at <= nowAt);
  const before = baseline.before?.rows;
  const wasThere = (row: Row) => before?.includes(rows.indexOf(row)) ?? false;
  const isKept = before?.every((index) => shown.includes(rows[index] as Row)) ?? false;
  const goesBack = shown.some((row) => wasThere(row) || row.at < baseline.serviceAt);
  const holds = [isRight || !guards.needsRightClocks, isKept || !guards.needsKept, goesBack || !guards.needsBack].every(
    Boolean,
  );
  if (!holds) return to('a person decides', { outcome: 'person' });
  const sentBy = baseline.serviceAt + sentUntil - baseline.claimedAt;
  const laterBy = guards.readsAsLagos ? LAGOS : 0;
  const isCurrent = before !== undefined && shown.some((row) => !wasThere(row) && row.at - laterBy > sentBy);
  const isLate = nowAt >= sentBy + WAIT || !guards.waits;
  const isSecond = (unseenAt !== null && unseenAt < nowAt) || !guards.looksTwice;
  if ((isCurrent || !guards.needsCurrent) && isLate && isSecond)
    return to('it counts as not done', { outcome: 'not-done' });
  if (unseenAt === null) return to('nothing is found', { unseenAt: nowAt });
  return to('a person decides', { outcome: 'person' });
}

/** Someone sends the request again under its key; the service does it once while it holds the key. Its response may be lost too, and so may it. */
function sentAgain(state: State, world: World, guards: Guards): Step[] {
  const { baseline, rows, time } = state;
  if (!baseline || world.keyTicks === 0 || state.repeats > 0) return [];
  const isRight = baseline.areClocksRight && areRight(state, world);
  const isSoon = serviceNow(state, world) <= baseline.serviceAt + WINDOW;
  if ((guards.needsRightClocks && !isRight) || (guards.keepsWindow && !isSoon)) return [];
  const ours = rows.find(({ isOurs }) => isOurs);
  const isHeld = ours !== undefined && time < ours.madeAt + world.keyTicks;
  const made = isHeld ? rows : [...rows, rowOf(state, world, true)];
  const again = {
    repeats: 1,
    sentUntil: guards.forgetsLooks ? time + LIMIT : state.sentUntil,
    unseenAt: guards.forgetsLooks ? null : state.unseenAt,
  };
  const to = (name: string, change: Partial<State>): Step => ({ name, next: { ...state, ...again, ...change } });
  return [
    to('it is sent again, and answered', { rows: made, outcome: 'accepted', taken: 'ours' }),
    to('it is sent again, and the response is lost', { rows: made, request: 'arrived' }),
    to('it is sent again, and is lost again', {}),
  ];
}

export interface Explored {
  readonly states: number;
  /** How the first violation comes about; undefined if there is none. */
  readonly trace: readonly string[] | undefined;
}

/** A state that was reached, and how. */
interface Reached {
  readonly state: State;
  readonly from: Reached | undefined;
  readonly by: string;
}

function traceTo({ from, by }: Reached): readonly string[] {
  return from ? [...traceTo(from), by] : [];
}

/** Returns what gives equal values an equal number. States share their rows and baselines, each of which is turned into text once. */
function numbering(): (value: object) => number {
  const known = new WeakMap<object, number>();
  const numbers = new Map<string, number>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const text = JSON.stringify(value);
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    known.set(value, number);
    return number;
  };
}

/** More than the ticks that a state may name: few, so that all of it that is no list fits into a small number. */
const TICKS = 32;
const REQUESTS: Readonly<Record<State['request'], number>> = { none: 0, ready: 1, sent: 2, arrived: 3, lost: 4 };
const OUTCOMES: Readonly<Record<State['outcome'], number>> = {
  unknownOutcome: 0,
  accepted: 1,
  'not-done': 2,
  person: 3,
  rejected: 4,
};
const TAKEN_FROM: Readonly<Record<NonNullable<State['taken']>, number>> = { ours: 1, others: 2, guessed: 3 };

function tickNumber(tick: number | null): number {
  if (tick === null) return 0;
  if (tick < -7 || tick >= TICKS - 8) throw new Error(`no state has the tick ${tick}`);
  return tick + 8;
}

/** A number for all of a state but its rows and its baseline. */
function smallNumber(state: Omit<State, 'rows' | 'baseline'>): number {
  const { time, hasJumped, request, unseenAt, sentUntil, repeats, laterRows, hasMissed, hasOther } = state;
  const { outcome, taken, isWasted, isForgotten } = state;
  const flags = [hasJumped, hasMissed, hasOther, isWasted, isForgotten];
  let number = REQUESTS[request] * 5 + OUTCOMES[outcome];
  number = number * 4 + (taken === null ? 0 : TAKEN_FROM[taken]);
  for (const flag of flags) number = number * 2 + Number(flag);
  number = (number * 2 + repeats) * 4 + laterRows;
  for (const tick of [unseenAt, sentUntil, time]) number = number * TICKS + tickNumber(tick);
  return number;
}

/** Returns what notes a state, and says whether no equal one was noted before. */
function noting(): (state: State) => boolean {
  const [rowsNumber, baselineNumber] = [numbering(), numbering()];
  const seen: Map<number, Set<number>>[] = [];
  return (state) => {
    const index = rowsNumber(state.rows);
    const withRows = seen[index] ?? new Map<number, Set<number>>();
    seen[index] = withRows;
    const baseline = state.baseline ? baselineNumber(state.baseline) : -1;
    const alike = withRows.get(baseline) ?? new Set();
    withRows.set(baseline, alike);
    const before = alike.size;
    return alike.add(smallNumber(state)).size > before;
  };
}

/** Explores every state of a world, breadth first, up to the first violation or a state in which nothing can end the unknownOutcome. */
export function explore(world: World, guards: Guards): Explored {
  const isNew = noting();
  const start = startOf(world);
  isNew(start);
  const queue: Reached[] = [{ state: start, from: undefined, by: '' }];
  // The queue grows while it is read.
  for (const reached of queue) {
    const { state } = reached;
    const wrong = violation(state, world);
    if (wrong) return { states: queue.length, trace: [...traceTo(reached), wrong] };
    for (const { name, next } of stepsOf(state, world, guards)) {
      if (isNew(next)) queue.push({ state: next, from: reached, by: name });
    }
  }
  return { states: queue.length, trace: undefined };
}

const OFFSETS = [0, 3, -3] as const;

/** Every world: wrong clocks, other programs, keys, copies of the journal and suspended hosts, one kind of trouble at a time; the smallest first. */
export function* worlds(): Generator<World> {
  for (const journal of OFFSETS) yield { ...WORLD, journal, other: 'equal', read: 'nothing' };
  for (const keyTicks of [WINDOW + 2, END])
    for (const lag of [0, 1])
      for (const other of ['nothing', 'equal', 'similar'] as const)
        yield { ...WORLD, keyTicks, lag, other, later: other === 'nothing' ? 1 : 0 };
  yield { ...WORLD, keyTicks: WINDOW + 2, ownLag: WAIT, later: 1 };
  for (const lag of [0, 1]) yield { ...WORLD, isRestored: true, lag };
  for (const host of OFFSETS) yield { ...WORLD, isSuspended: true, host, later: 1 };
  yield* oddLists();
  // Only the differences of the clocks matter, so the host's is right.
  for (const look of LOOKS)
    for (const journal of OFFSETS)
      for (const service of OFFSETS)
        for (const rows of OFFSETS)
          yield { ...WORLD, ...look, journal, service, rows, later: look.read === 'nothing' ? 0 : 1 };
  for (const other of ['nothing', 'equal', 'similar'] as const)
    for (const look of LOOKS)
      for (const lag of [0, 1])
        for (const jump of [0, 2, -2])
          yield { ...WORLD, ...look, jump, other, lag, later: other === 'nothing' && look.read !== 'nothing' ? 1 : 0 };
}

/** Lists that are late, cut off, lose rows or miss one, with rows that come later and may hide that. */
function* oddLists(): Generator<World> {
  for (const history of [[-1], []]) {
    for (const cut of ['page', 'list'] as const) for (const later of [1, 2]) yield { ...WORLD, history, cut, later };
    for (const lag of [1, WAIT, WAIT + 1, WAIT + 2]) yield { ...WORLD, history, lag, later: 2 };
    for (const ownLag of [1, WAIT]) yield { ...WORLD, history, ownLag, later: 2 };
    yield { ...WORLD, history, isFlaky: true, later: 2 };
  }
  // Times of Lagos that are said to be UTC.
  for (const lag of [1, WAIT + 1]) yield { ...WORLD, rows: LAGOS, lag, later: 2 };
  for (const hole of [
    [-1, 2],
    [-1, END],
  ] as const)
    for (const history of [[-2, -1], [-1], []]) yield { ...WORLD, history, hole, later: 2 };
}

/** What is known of the list before the request leaves, and of the request when it is looked for. */
const LOOKS = (['nothing', 'newest', 'all'] as const).flatMap((read) => [
  { read, isTagged: false },
  { read, isTagged: true },
]);
