import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Home, requireBuilt, startFiatrail } from '../support/built.ts';
import { fiatrail } from '../support/in-process.ts';
import { amountsOf, createWords, homeForRows, manyRows, paidIn, type Row, runIn, writeRows } from './payouts.ts';

// Of processes: their signals and their deaths.

let home: Home;

beforeAll(requireBuilt);

beforeEach(async () => {
  home = await homeForRows();
});

const run = (argv: readonly string[]) => runIn(home, argv);
const paid = () => paidIn(home);
const create = (rows: readonly Row[]) => run(createWords(writeRows(home, rows)));

/** Starts to send rows, and resolves once at least so many were sent. It looks in the database: a command for each look would keep the other waiting. */
async function started(rows: readonly Row[], count = 1) {
  const running = startFiatrail(home, createWords(writeRows(home, rows)));
  const database = new DatabaseSync(join(home.stateDir, 'sandbox.db'), { readOnly: true, timeout: 5_000 });
  const paidSoFar = database.prepare('SELECT count(*) AS count FROM payout');
  for (let tries = 0; Number(paidSoFar.get()?.['count']) < count; tries++) {
    if (tries > 10_000) throw new Error('no row was sent');
    await sleep(2);
  }
  database.close();
  return running;
}

describe('a run that is stopped', () => {
  const rows = manyRows(100);

  test('SIGTERM ends it between two rows, and a later run sends the rest', async () => {
    const rows = manyRows(60);
    const running = await started(rows);
    running.kill('SIGTERM');
    const { code, stderr } = await running.end;
    expect([code, stderr]).toEqual([130, expect.stringContaining('ends after the row that is being sent')]);
    const sent = (await paid()).length;
    expect(sent).toBeLessThan(rows.length);
    const { data } = await run(['bulk', 'status', 'nov', '-q', '-o', 'json']);
    expect([data.unknown, data.waiting]).toEqual([0, rows.length - sent]);
    expect((await create(rows)).code).toBe(0);
    expect(await paid()).toEqual(amountsOf(rows));
  });

  test('killed again and again, it sends each row once', async () => {
    const rows = manyRows(40);
    for (const count of [1, 8, 18, 19, 30]) {
      const running = await started(rows, count);
      running.kill('SIGKILL');
      await running.end;
    }
    await create(rows);
    // What was in the air at a kill may not have arrived: only a later payout proves it.
    await fiatrail(home, ['sandbox', 'advance', '20m', '-q']);
    await fiatrail(home, ['payout', 'create', '--amount', '7', '--to', 'default', '--yes', '-q']);
    const { code, data } = await create(rows);
    expect([code, data]).toEqual([0, expect.objectContaining({ done: rows.length, unknown: 0, waiting: 0 })]);
    expect(await paid()).toEqual([...amountsOf(rows), '7.00'].toSorted());
  });

  test('a pause ends it between two rows; resume goes on, and cancel is for good', async () => {
    const running = await started(rows);
    await run(['bulk', 'pause', 'nov', '-q', '-o', 'json']);
    const { code, stderr } = await running.end;
    expect([code, stderr]).toEqual([9, expect.stringContaining('FILE_PAUSED')]);
    expect((await create(rows)).error).toMatchObject({ code: 'FILE_PAUSED' });
    const one = await run(['bulk', 'resume', 'nov', '--first', '1', '--yes', '-q', '-o', 'json']);
    expect(one.code).toBe(8);
    const sent = (await paid()).length;
    const cancelled = await run(['bulk', 'cancel', 'nov', '--yes', '-q', '-o', 'json']);
    expect(cancelled.data).toMatchObject({ status: 'cancelled', waiting: rows.length - sent });
    const resume = await run(['bulk', 'resume', 'nov', '--yes', '-q', '-o', 'json']);
    expect(resume.error).toMatchObject({ code: 'FILE_CANCELLED' });
    expect((await run(['bulk', 'pause', 'nov', '-q', '-o', 'json'])).error).toMatchObject({ code: 'FILE_CANCELLED' });
    expect(await paid()).toHaveLength(sent);
  });

  test('a second command does not send the same file', async () => {
    const running = await started(rows);
    const second = await create(rows);
    expect(second.error).toMatchObject({ code: 'FILE_BUSY' });
    const { data } = await run(['bulk', 'status', 'nov', '-q', '-o', 'json']);
    expect(data.waitsFor).toMatch(/^process \d+ on /);
    expect((await running.end).code).toBe(0);
    expect(await paid()).toEqual(amountsOf(rows));
  });
});
