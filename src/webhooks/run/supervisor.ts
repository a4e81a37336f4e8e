import type { World } from '../../base/world.ts';
import type { Say } from './log.ts';

/** What starts the listener and watches over it, such as systemd. */
export interface Supervisor {
  /** Says that the listener receives. */
  ready(): Promise<void>;
  /** Says that the listener stops. */
  stopping(): Promise<void>;
  /** Says that the listener is alive, as often as it was asked to. */
  alive(): void;
}

const PROGRAM = 'systemd-notify';
/** It waits a few seconds for systemd to take the message. */
const TIMEOUT_MS = 10_000;

type SupervisedWorld = Pick<World, 'env' | 'clock' | 'host' | 'abandoned' | 'findProgram' | 'runProgram'>;

/**
 * Returns what tells systemd about the listener, where NOTIFY_SOCKET names its socket. Node has no datagram sockets of this kind, so the
 * program systemd-notify sends the messages; the unit needs `NotifyAccess=all`. It gets no variable but those for it.
 */
export function createSupervisor(world: SupervisedWorld, say: Say): Supervisor {
  const { env, clock, host, abandoned } = world;
  const nobody: Supervisor = { ready: async () => {}, stopping: async () => {}, alive: () => {} };
  if (!env['NOTIFY_SOCKET']) return nobody;
  const program = world.findProgram(PROGRAM);
  if (program === undefined) {
    say(`NOTIFY_SOCKET is set, but there is no ${PROGRAM}: systemd is not told that the listener is ready or alive`, {
      level: 'warning',
    });
    return nobody;
  }
  let hasFailed = false;
  const send = async (message: string) => {
    const end = await world.runProgram([program, message], {
      timeoutMs: TIMEOUT_MS,
      capturesErrors: true,
      variables: ['NOTIFY_SOCKET', 'PATH'],
      // Its last message is sent after an interrupt.
      ending: { signal: abandoned, graceMs: 0 },
    });
    if ((end.kind === 'ended' && end.code === 0) || hasFailed) return;
    hasFailed = true;
    const why = end.kind === 'missing' ? 'it cannot be started' : (end.stderr?.trim() ?? 'it gave no reason');
    say(`${PROGRAM} ${message} failed: ${why}`, { level: 'warning' });
  };
  const isOurs = env['WATCHDOG_PID'] === undefined || env['WATCHDOG_PID'] === String(host.processId);
  const everyMs = isOurs ? Number(env['WATCHDOG_USEC'] ?? Number.NaN) / 1_000 / 2 : Number.NaN;
  let sentMs = Number.NEGATIVE_INFINITY;
  return {
    ready: () => send('READY=1'),
    stopping: () => send('STOPPING=1'),
    alive: () => {
      const nowMs = clock.steadyMs?.() ?? clock.now();
      if (!(everyMs > 0) || nowMs - sentMs < everyMs) return;
      sentMs = nowMs;
      void send('WATCHDOG=1');
    },
  };
}
