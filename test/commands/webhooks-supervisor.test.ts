import { expect, test } from 'vitest';
import type { ProgramEnd, ProgramOptions } from '../../src/base/world.ts';
import { createSupervisor } from '../../src/webhooks/run/supervisor.ts';
import { fakeClock } from '../support/sandbox.ts';
import { fakeHost } from '../support/world.ts';

const SOCKET = { NOTIFY_SOCKET: '/run/notify' };

/** A supervisor on a machine with systemd-notify, or without it, and what it ran and said. */
function supervised(
  env: Record<string, string>,
  end: ProgramEnd = { kind: 'ended', code: 0, stdout: '' },
  path = '/bin/',
) {
  const ran: (readonly string[])[] = [];
  const options: ProgramOptions[] = [];
  const said: string[] = [];
  const clock = fakeClock(0);
  const supervisor = createSupervisor(
    {
      env,
      clock,
      host: fakeHost(),
      abandoned: new AbortController().signal,
      findProgram: (name) => (path === '' ? undefined : path + name),
      runProgram: async (words, given) => {
        ran.push(words);
        options.push(given);
        return end;
      },
    },
    (text, { level } = {}) => void said.push(level === 'warning' ? `warning: ${text}` : text),
  );
  return { supervisor, clock, ran, options, said };
}

test('systemd is told of readiness, the stop and, at half of its limit, that the listener is alive', async () => {
  const { supervisor, clock, ran, options, said } = supervised({ ...SOCKET, WATCHDOG_USEC: '2000000' });
  await supervisor.ready();
  for (let ms = 0; ms < 2_000; ms += 200) {
    supervisor.alive();
    clock.pass(200);
  }
  await supervisor.stopping();
  const messages = ['READY=1', 'WATCHDOG=1', 'WATCHDOG=1', 'STOPPING=1'];
  expect([ran, said]).toEqual([messages.map((message) => ['/bin/systemd-notify', message]), []]);
  for (const { env, variables } of options) expect([env, variables]).toEqual([undefined, ['NOTIFY_SOCKET', 'PATH']]);
});

test.each([
  [{}, 'nothing'],
  [{ ...SOCKET, WATCHDOG_USEC: '2000000', WATCHDOG_PID: '1' }, 'READY=1'],
  [{ ...SOCKET, WATCHDOG_USEC: 'often' }, 'READY=1'],
])('with %o, it is told %s', async (env, told) => {
  const { supervisor, ran } = supervised(env);
  await supervisor.ready();
  supervisor.alive();
  expect(ran.map(([, message]) => message)).toEqual(told === 'nothing' ? [] : [told]);
});

test.each([
  ['is missing', '', { kind: 'missing' }, 'there is no systemd-notify'],
  ['fails', '/bin/', { kind: 'ended', code: 1, stdout: '', stderr: 'no socket\n' }, 'READY=1 failed: no socket'],
] as const)('a systemd-notify that %s is warned of once', async (_how, path, end, text) => {
  const { supervisor, said } = supervised(SOCKET, end, path);
  await supervisor.ready();
  await supervisor.stopping();
  expect(said).toEqual([expect.stringContaining(text)]);
});
