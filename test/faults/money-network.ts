import { ExchangeError, TOO_LATE } from '../../src/base/errors.ts';
import type { Exchange, HttpRequest } from '../../src/base/world.ts';
import type { FakeClock, TestSandbox } from '../support/sandbox.ts';
import { type Process, requestOf, running } from './money-death.ts';
import { type Rows, rowsSeen } from './money-rows.ts';

/** A live account is known by its key, so the sandbox takes one that looks like it for its own. */
export const LIVE_KEY = 'a-live-key-of-the-same-account';

/** A late request arrives this long after it was sent: less than the time after which absence is believed. */
const LATE_MS = 9 * 60_000;

/** A request that arrives later. */
interface Late {
  readonly atMs: number;
  deliver(): Promise<void>;
}

/** The way to the sandbox, and what came of each request. */
interface Network {
  readonly exchange: Exchange;
  /** Lets time pass, and delivers the requests that arrive meanwhile. */
  pass(durationMs: number): Promise<void>;
  /** The process that started a piece of work, by the work's id. */
  readonly started: ReadonlyMap<string, number>;
}

interface Service {
  readonly box: TestSandbox;
  readonly clock: FakeClock;
  readonly rows: Rows | undefined;
  /** By how much the times of the responses differ from the service's own. */
  dateErrorMs(): number;
  work(): Promise<readonly string[]>;
}

export function networkTo({ box, clock, rows, dateErrorMs, work }: Service): Network {
  const started = new Map<string, number>();
  const late: Late[] = [];
  const seen = rowsSeen(box, clock.now, rows);
  /** The sandbox's response, with its time, as the server sends it. */
  const answered = async (request: HttpRequest) => {
    const key = request.headers['x-api-key'];
    const caller = { apiKey: key === LIVE_KEY ? box.apiKey : key, address: '127.0.0.1' };
    const answer = await box.sandbox.fetch(request, caller);
    const times = box.sandbox.timeHeaders();
    const date = new Date(Date.parse(times['date'] ?? '') + dateErrorMs()).toUTCString();
    return { ...answer, headers: { ...answer.headers, ...times, date } };
  };
  // One request at a time, so that the work it starts is known.
  const inTurn = turns();
  const perform = (process: Process, request: HttpRequest, sentMs: number) =>
    inTurn(async () => {
      const before = new Set(await work());
      const faults = process.isOther ? await takeFaults(box) : [];
      try {
        return await answered(request);
      } finally {
        const ids = (await work()).filter((id) => !before.has(id));
        for (const id of ids) started.set(id, process.id);
        await seen.note(ids, sentMs);
        for (const { endpoint, kind } of faults) await addFault(box, endpoint, kind);
      }
    });
  const exchange: Exchange = async (request, _signal, isRead) => {
    const process = running.getStore();
    if (!process) throw new Error('a request outside a process');
    return requestOf(process, async () => {
      if (isRead) return process.isOther ? answered(request) : seen.read(await answered(request));
      const { suspended, onArrival } = process;
      process.suspended = undefined;
      await suspended?.();
      // The network looks at the time again when the connection stands.
      if (request.isLate?.()) throw new ExchangeError(TOO_LATE, false);
      const sentMs = clock.now();
      if (!process.isLate) return perform(process, request, sentMs).finally(onArrival);
      late.push({
        atMs: sentMs + LATE_MS,
        deliver: async () => void (await perform(process, request, sentMs).catch(() => {})),
      });
      throw new ExchangeError('the connection was lost', true);
    });
  };
  const pass = async (durationMs: number) => {
    const endMs = clock.now() + durationMs;
    for (const each of late.splice(0)) {
      if (each.atMs > endMs) {
        late.push(each);
        continue;
      }
      clock.set(Math.max(each.atMs, clock.now()));
      await each.deliver();
    }
    clock.set(Math.max(endMs, clock.now()));
  };
  return { exchange, pass, started };
}

export const addFault = (box: TestSandbox, endpoint: string, kind: string) =>
  box.inside(({ store, nowMs }) => {
    const sql = 'INSERT INTO fault_rule (endpoint, kind, times, created_at) VALUES (?, ?, 1, ?)';
    store.run(sql, endpoint, kind, nowMs);
  });

/** Faults are for our own commands, so they are away while another program's request is performed. */
const takeFaults = (box: TestSandbox) =>
  box.inside(({ store }) => {
    const faults = store.all<{ endpoint: string; kind: string }>('SELECT endpoint, kind FROM fault_rule');
    store.run('DELETE FROM fault_rule');
    return faults;
  });

function turns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
}
