import { SILENT_MS } from '../../src/webhooks/inbox/listener.ts';
import { standardKey, standardSignature } from '../../src/webhooks/listen/sending.ts';
import { type Home, type Running, startFiatrail } from '../support/built.ts';
import type { Got } from './slow-target.ts';

/** A listener that forwards, and what happened to it. It signs with a secret of its own, so that a target knows whose attempt it got. */
export interface Listening {
  readonly running: Running;
  /** Whether it sent this. */
  signed(got: Got): boolean;
  /** When it was killed. */
  killedMs?: number;
  /** From when to when it was suspended. */
  readonly pauses: (readonly [fromMs: number, toMs: number])[];
  /** How attempts ended as it said, in its order, by the event’s number in the inbox. It says so after that is on disk. */
  readonly ends: Map<number, readonly End[]>;
}

interface End {
  readonly atMs: number;
  readonly how: 'taken' | 'rejected' | 'no response';
}

let count = 0;

/** Starts a listener that forwards to a target. `env` says whose it is and where its inbox is. */
export function startListening(
  home: Home,
  { port, target, env }: { port: number; target: string; env: Readonly<Record<string, string>> },
): Listening {
  count += 1;
  const secret = `a-secret-of-the-target-${count}`;
  const argv = ['webhooks', 'listen', '--port', String(port), '--forward', target, '--resign', 'standard'];
  const running = startFiatrail(home, [...argv, '--log', 'json', '-o', 'ndjson'], {
    env: { ...env, FIATRAIL_FORWARD_SECRET: secret },
  });
  const ends = new Map<number, readonly End[]>();
  void running.end.then(({ stderr }) => {
    for (const line of stderr.split('\n').filter((each) => each.includes('"event":'))) readLine(line, ends);
  });
  return {
    running,
    pauses: [],
    ends,
    signed: ({ headers, body }) => {
      const [id = '', timestampSeconds] = [headers['webhook-id'], Number(headers['webhook-timestamp'])];
      const signed = { id, timestampSeconds, body: Buffer.from(body) };
      return headers['webhook-signature'] === standardSignature(standardKey(secret), signed);
    },
  };
}

const ENDS: Readonly<Record<string, End['how']>> = {
  '200': 'taken',
  '500': 'rejected',
  'no response within 10 seconds': 'no response',
};

function readLine(text: string, ends: Map<number, readonly End[]>): void {
  try {
    const { event, message, time } = JSON.parse(text) as { event: number; message: string; time: string };
    const how = ENDS[message.slice(message.lastIndexOf(': ') + 2)];
    if (how) ends.set(event, [...(ends.get(event) ?? []), { how, atMs: Date.parse(time) }]);
  } catch {
    // The last line of a killed process may be half of one.
  }
}

/** One attempt to forward an event, as the target saw it. */
export interface Attempt {
  readonly number: number;
  readonly by: Listening;
  readonly beganMs: number;
  readonly isTaken: boolean;
}

/**
 * Returns the repetitions of what the target had taken that should not be. One is right only if the outcome of the attempt before it was lost: because its process
 * was killed, or was suspended for so long that it lost what it had claimed, before it recorded that; or because the answer came too late. When the repetition
 * comes says nothing: an event waits for its turn, and for longer after each failure. `numberIn` is the number of an event in the inbox.
 */
export function unexplained(attempts: readonly Attempt[], numberIn: (number: number) => number): readonly Attempt[] {
  const ofEvent = Map.groupBy(
    attempts.toSorted((one, other) => one.beganMs - other.beganMs),
    ({ number }) => number,
  );
  return [...ofEvent.values()].flatMap((tries) =>
    tries.filter((next, at) => {
      const before = tries.slice(0, at).findLast(({ isTaken }) => isTaken);
      return before !== undefined && !isLost(before, next.beganMs, before.by.ends.get(numberIn(next.number)) ?? []);
    }),
  );
}

/** Whether the outcome of an attempt was lost before another one began. */
function isLost({ by, beganMs }: Attempt, nextMs: number, ends: readonly End[]): boolean {
  if (ends.some(({ how, atMs }) => how === 'no response' && atMs > beganMs && atMs <= nextMs)) return true;
  const recordedMs = ends.find(({ how }) => how === 'taken')?.atMs ?? Number.POSITIVE_INFINITY;
  if (by.killedMs !== undefined && by.killedMs < nextMs) return recordedMs === Number.POSITIVE_INFINITY;
  return by.pauses.some(
    ([fromMs, toMs]) =>
      beganMs < toMs && recordedMs >= fromMs && Math.min(toMs, nextMs) - fromMs >= SILENT_MS - LAST_SIGN_MS,
  );
}

/** The last sign of life may be this old when a pause begins. */
const LAST_SIGN_MS = 15_000;
