import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { Exchange, HttpResponse } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { html, readBefore, success, tooMany } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

const TO = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const PAY = ['transfers', 'create', '--amount', '20', '--to', TO, '--once', 'k', '--yes', '-q', '-o', 'json'];
const done = success({ requestId: 'r-1', amount: '20000000', transactionHash: '0x1' });
const limited = () => tooMany({}, { retry_after: 0 });

/** What the file of the journal says of the only operation. */
function entriesIn(stateDir: string) {
  const database = new DatabaseSync(join(stateDir, 'journal.db'), { readOnly: true });
  try {
    return database.prepare('SELECT state, detail FROM entry WHERE operation_id IS NOT NULL ORDER BY sequence').all();
  } finally {
    database.close();
  }
}

/** Runs a payment whose requests get these answers, and returns what was on disk when each request left. */
async function paid(...answers: readonly ((stateDir: string) => HttpResponse)[]) {
  const onDisk: string[][] = [];
  const network: Exchange = async (request) => {
    if (!request.url.endsWith('/fintechtransfer')) return readBefore(request) ?? success({});
    onDisk.push(entriesIn(world.stateDir).map(({ state }) => String(state)));
    const answer = answers[onDisk.length - 1];
    if (!answer) throw new Error('a request without an answer');
    return answer(world.stateDir);
  };
  const world = fakeWorld({ network, env: ACCOUNT });
  const code = await main(PAY, world);
  return { code, onDisk, world, entries: entriesIn(world.stateDir), rows: journalRows(world.stateDir) };
}

const AGAIN = 'sent again: the rate limit was reached before';

describe('a payment that the service limits', () => {
  test('is on disk a second time before it leaves a second time', async () => {
    const { code, onDisk, entries } = await paid(limited, () => done);
    expect({ code, onDisk, entries }).toMatchObject({
      code: 0,
      onDisk: [
        ['prepared', 'sent'],
        ['prepared', 'sent', 'sent'],
      ],
      entries: [{ state: 'prepared' }, { state: 'sent' }, { state: 'sent', detail: AGAIN }, { state: 'accepted' }],
    });
  });

  test('twice was not done, and its key is free', async () => {
    const { code, rows, world } = await paid(limited, limited);
    expect({ code, states: rows.map(({ state }) => state) }).toEqual({ code: 7, states: ['rejected'] });
    const last = world.stderr.text().trim().split('\n').at(-1) ?? '';
    expect(JSON.parse(last).error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', responseCode: '04' });
  });

  test('and then someone else does is unknown', async () => {
    const { code, rows } = await paid(limited, () => html(429));
    expect({ code, states: rows.map(({ state }) => state) }).toEqual({ code: 6, states: ['unknown'] });
  });

  test('does not leave again if another process has ended it meanwhile', async () => {
    const resolve = ['ops', 'resolve', '--not-done', '--reason', 'looked', '--yes', '-q'];
    let ended: Promise<number> | undefined;
    const network: Exchange = async (request) => {
      if (!request.url.endsWith('/fintechtransfer')) return readBefore(request) ?? success({});
      if (ended) throw new Error('it left again');
      const [{ id = '' } = {}] = journalRows(world.stateDir);
      const host = { ...world.host, processId: 200, isRunning: () => false };
      const other = fakeWorld();
      ended = main([...resolve, id], { ...other, host, env: world.env, homeDir: world.homeDir });
      expect(await ended, other.stderr.text()).toBe(0);
      return limited();
    };
    const world = fakeWorld({ network, env: ACCOUNT });
    expect({ code: await main(PAY, world), states: journalRows(world.stateDir).map(({ state }) => state) }).toEqual({
      code: 5,
      states: ['resolved'],
    });
  });
});

test('find shows both times that it was sent', async () => {
  const { world, rows } = await paid(limited, () => done);
  const shown = fakeWorld();
  const argv = ['find', rows[0]?.id ?? '', '-q', '-o', 'json'];
  await main(argv, { ...shown, env: world.env, homeDir: world.homeDir, network: async () => success({}) });
  expect(shown.stdout.text()).toContain(AGAIN);
});
