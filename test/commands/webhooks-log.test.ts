import { expect, test } from 'vitest';
import { type About, createRefusals, LOG_FORMS, loggedTarget, logLine } from '../../src/webhooks/run/log.ts';
import { fakeClock } from '../support/sandbox.ts';
import { fakeWorld } from '../support/world.ts';

const TIME = Date.UTC(2026, 0, 5, 9);
const ABOUT: About = { level: 'warning', address: '192.0.2.1', webhookId: 'w-1\u001b[31m\n', event: 7n };

test('a line of the log has its time, level, client address, webhook id and event in each form', () => {
  expect(LOG_FORMS.map((form) => logLine(form, TIME, 'rejected', ABOUT))).toEqual([
    'warning: rejected · address=192.0.2.1 · webhookId="w-1 " · event=7',
    '2026-01-05T09:00:00.000Z warning rejected address=192.0.2.1 webhookId="w-1 " event=7',
    '{"time":"2026-01-05T09:00:00.000Z","level":"warning","message":"rejected","address":"192.0.2.1","webhookId":"w-1\\u001b[31m\\n","event":7}',
  ]);
  expect(logLine('text', TIME, 'stopping')).toBe('2026-01-05T09:00:00.000Z info stopping');
});

test.each([
  ['exec:./on-event.sh', 'exec:./on-event.sh'],
  ['exec:./on-event.sh --token secret', 'exec:./on-event.sh …'],
  ['exec:TOKEN=secret OTHER="a secret" curl -H secret', 'exec:curl …'],
  ["exec:TOKEN='a secret' ./on-event.sh", 'exec:./on-event.sh …'],
  ['exec:TOKEN=$(cat "secret file") run', 'exec:… …'],
  ['exec:"secret thing" run', 'exec:… …'],
  ['https://user:secret@host/path?token=secret', 'https://***@host/path?***'],
])('%s is logged as %s', (target, logged) => {
  expect(loggedTarget(target)).toBe(logged);
});

/** Refusals at a clock that stands still, and what the log has of them. */
function refusing() {
  const clock = fakeClock(TIME);
  const said: string[] = [];
  const refusals = createRefusals({ world: { ...fakeWorld(), clock } }, (text, about) =>
    said.push(`${text}${about?.address ? ` ${about.address}` : ''}`),
  );
  const refuse = (reason: string, ...addresses: string[]) => {
    for (const address of addresses) refusals.add(reason, { address });
  };
  return { clock, said, refusals, refuse };
}

test('the first rejection of a reason is logged at once, and those that follow as a sum', () => {
  const { clock, said, refusals, refuse } = refusing();
  refuse('forged', 'a', 'a', 'b');
  refuse('too long', 'c');
  refusals.look();
  expect(said.splice(0)).toEqual(['rejected: forged a', 'rejected: too long c']);
  clock.pass(10_000);
  refusals.look();
  expect(said.splice(0)).toEqual(['rejected 2 more in 10 seconds: forged; from a, b']);
  refuse('forged', 'a', 'b', 'c', 'd', 'e');
  refuse('too long', 'c');
  expect(said.splice(0)).toEqual(['rejected: too long c']);
  refusals.look(true);
  expect(said.splice(0)).toEqual(['rejected 5 more in 10 seconds: forged; from several addresses']);
});

test('refusals that have ended are told apart from new ones', () => {
  const { clock, said, refusals, refuse } = refusing();
  refuse('forged', 'a', 'a');
  for (const _round of [1, 2]) {
    clock.pass(10_000);
    refusals.look();
  }
  refuse('forged', 'b');
  expect(said).toEqual(['rejected: forged a', 'rejected 1 more in 10 seconds: forged; from a', 'rejected: forged b']);
});
