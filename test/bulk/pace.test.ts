import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { HttpResponse } from '../../src/base/world.ts';
import { joinTeam, openTeam, type Team } from '../plans/support.ts';
import { success } from '../support/exchange.ts';

/** The documented limit of the endpoint. */
const [MOST, WINDOW_MS] = [30, 60_000];

const TOO_MANY: HttpResponse = {
  status: 429,
  headers: { 'retry-after': '20' },
  body: JSON.stringify({ status: 'error', responseCode: '04', message: 'RATE_LIMIT_EXCEEDED' }),
};

/** A service that counts payouts, and refuses those above its limit. */
function counting({ service, clock }: Team) {
  const times: number[] = [];
  const plain = service.payout;
  let refused = 0;
  service.payout = async (request) => {
    const nowMs = clock.now();
    if (times.filter((atMs) => atMs > nowMs - WINDOW_MS).length >= MOST) {
      refused += 1;
      return TOO_MANY;
    }
    times.push(nowMs);
    const { body } = await plain(request);
    const requestId = `0198c1f2-5d0e-7cc3-98a1-${String(times.length).padStart(12, '0')}`;
    return success({ ...JSON.parse(body).data, requestId });
  };
  const accounts = [{ accountId: 'acc-1', accountName: 'ADA OBI', accountNumber: '0123456789' }];
  for (const path of ['/getbankaccounts', '/listbankaccounts']) service.instead[path] = success({ accounts });
  return { times, refused: () => refused };
}

function fileOf(team: Team, name: string, count: number, from: number): string {
  const path = team.file(`${name}.csv`);
  const rows = Array.from({ length: count }, (_, at) => `${name}-${at},${from + at},acc-1`);
  writeFileSync(path, `reference,amount,to\n${rows.join('\n')}\n`);
  return path;
}

const PERSONS = 5;

test('two files and a person at once stay within the rate limit, and the person does not wait', async () => {
  const team = openTeam();
  await joinTeam(team, 'ada', 'bayo');
  const { times, refused } = counting(team);
  const send = (person: string, name: string, from: number) =>
    team.run(person, [
      ...['bulk', 'create', fileOf(team, name, 30, from), '--as', 'payout create', '--once', name],
      ...['--yes', '--wait', '1ms', '-o', 'json'],
    ]);
  const beganMs = team.clock.now();
  let persons = 0;
  const waits: string[] = [];
  const inTheMiddle: Promise<unknown>[] = [];
  team.service.meanwhile = async (path) => {
    if (path !== '/initiateofframp' || persons >= PERSONS || times.length < 20 + persons) return;
    persons += 1;
    const line = ['payout', 'create', '--amount', String(9000 + persons), '--to', 'acc-1', '--once', `p${persons}`];
    const paying = team.run('bayo', [...line, '--yes', '-q']);
    inTheMiddle.push(paying.then(({ code, stderr }) => waits.push(code === 0 && stderr === '' ? 'at once' : stderr)));
  };
  const [one, other] = await Promise.all([send('ada', 'one', 1000), send('bayo', 'other', 5000)]);
  await Promise.all(inTheMiddle);
  expect([one.code, other.code]).toEqual([8, 8]);
  expect([times.length, refused()]).toEqual([60 + PERSONS, 0]);
  expect(waits).toEqual(Array.from({ length: PERSONS }, () => 'at once'));
  // No slower than the share of files allows.
  expect(team.clock.now() - beganMs).toBeLessThan(5 * WINDOW_MS);
});
