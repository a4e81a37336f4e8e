import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { withAcceptances } from '../../src/copy/questions/report/differences.ts';
import { TRIGGERS } from '../../src/journal/sqlite/schema.ts';
import { journalRows } from '../support/journal.ts';
import { worldThen } from '../support/world-after.ts';
import { account, HOUR_MS, json, must, pass, report, run, topUp } from './reports.ts';

const DAY_MS = 24 * HOUR_MS;

/** An account that got 25 USDC in November that no list shows, and 7 in December, when it is asked. */
const acrossMonths = worldThen(account, async (world) => {
  await topUp(world, 25);
  await pass(world, HOUR_MS);
  await must(world, 'sync');
  await pass(world, 35 * DAY_MS);
  await must(world, 'sync');
  await topUp(world, 7);
  await pass(world, HOUR_MS);
  await must(world, 'sync');
});

const hintOf = (stderr: string) => /fiatrail report accept (.*?) --reason/.exec(stderr)?.[1]?.split(' ') ?? [];

describe('the hint of a report accepts the money of that report', () => {
  test.each([
    ['of a month', ['2026-11'], ['USDC', '2026-11'], '25.000000'],
    ['of last month, whenever it is typed', ['last', 'month'], ['USDC', '2026-11'], '25.000000'],
    ['of this month', [], ['USDC', '2026-12'], '7.000000'],
    [
      'of dates',
      ['--since', '2026-11-01', '--until', '2026-11-20'],
      ['USDC', '--since', '2026-10-31T23:00:00.000Z', '--until', expect.stringMatching(/^2026-11-20T/)],
      '25.000000',
    ],
  ])('%s', async (_, period, hint, value) => {
    const { world } = await acrossMonths();
    const { code, stderr } = await report(world, ...period);
    expect([code, hintOf(stderr)]).toEqual([9, hint]);
    const accepted = await json(world, 'report', 'accept', ...hintOf(stderr), '--reason', 'known', '--yes');
    expect(accepted).toMatchObject({ asset: 'USDC', amount: { value }, reason: 'known', isUndone: false });
    expect((await report(world, ...period)).code).toBe(0);
    // The other month is as red as before.
    const other = value === '7.000000' ? '2026-11' : '2026-12';
    expect((await report(world, other)).code).toBe(9);
  });
});

describe('an acceptance is an entry of the journal', () => {
  test('so that it is still there when the copy is lost and comes back, and the chain covers it', async () => {
    const { world } = await acrossMonths();
    const [copy, saved] = [join(world.stateDir, 'copy-embedded.db'), join(world.stateDir, 'saved.db')];
    await must(world, 'sync', 'backup', saved);
    await must(world, 'report', 'accept', 'USDC', '2026-11', '--reason', 'top-up', '--yes');
    await must(world, 'sync', 'forget', '--yes');
    copyFileSync(saved, copy);
    const { code, differences } = await report(world, '2026-11');
    expect({ code, differences }).toMatchObject({ code: 0, differences: [{ reason: 'top-up' }] });
    expect(await json(world, 'ops', 'journal', 'verify')).toMatchObject({ problem: null });
    const [row] = journalRows(world.stateDir).filter(({ endpoint }) => endpoint === 'report.accept');
    expect(row).toMatchObject({ state: 'settled', summary: 'accept 25.00 USDC that no list shows' });
    expect(JSON.parse(row?.request ?? '')).toMatchObject({
      asset: 'USDC',
      isUndone: false,
      reason: 'top-up',
      differences: [{ minor: '25000000' }],
    });
  });

  test('that is not what it was: no report counts it', async () => {
    const { world } = await acrossMonths();
    await must(world, 'report', 'accept', 'USDC', '2026-11', '--reason', 'top-up', '--yes');
    const database = new DatabaseSync(join(world.stateDir, 'journal.db'));
    const drops = TRIGGERS.map((each) => `DROP TRIGGER ${each.split(' ')[2]}`);
    const change = `UPDATE entry SET value = replace(value, 'top-up', 'a gift') WHERE subject LIKE 'shared accepted %'`;
    database.exec([...drops, change, ...TRIGGERS].join('; '));
    database.close();
    const { code, stderr } = await report(world, '2026-11');
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('JOURNAL_CHANGED') });
  });

  test('which --undo takes back, with a reason, and which can then be made again', async () => {
    const { world } = await acrossMonths();
    const accept = (...more: string[]) => run(world, 'report', 'accept', 'USDC', '2026-11', ...more, '--yes');
    expect(await accept('--undo', '--reason', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing in USDC was accepted in this period'),
    });
    await must(world, 'report', 'accept', 'USDC', '2026-12', '--reason', 'other month', '--yes');
    expect((await accept('--reason', 'top-up')).code).toBe(0);
    const undone = await accept('--undo', '--reason', 'a payment to a user', '-o', 'json');
    expect(JSON.parse(undone.stdout)).toMatchObject({
      amount: { value: '25.000000' },
      isUndone: true,
      accepted: [{ amount: { value: '25.000000' }, accepted: { value: '0.000000' }, reason: null }],
    });
    const after = await report(world, '2026-11');
    expect(after).toMatchObject({ code: 9, differences: [{ accepted: { value: '0.000000' }, reason: null }] });
    expect((await accept('--undo', '--reason', 'again')).code).toBe(2);
    expect((await report(world, '2026-12')).code).toBe(0);
    expect((await accept('--reason', 'top-up')).code).toBe(0);
    expect((await report(world, '2026-11')).code).toBe(0);
    const reasons = journalRows(world.stateDir)
      .filter(({ endpoint }) => endpoint === 'report.accept')
      .map(({ request }) => JSON.parse(request).reason);
    expect(reasons).toEqual(['other month', 'top-up', 'a payment to a user', 'top-up']);
  });

  test('that a dry run, and a person who declines, do not make', async () => {
    const { world } = await acrossMonths();
    await must(world, 'report', 'accept', 'USDC', '2026-11', '--reason', 'r', '--dry-run');
    expect((await run(world, 'report', 'accept', 'USDC', '2026-11', '--reason', 'r')).code).toBe(2);
    expect((await report(world, '2026-11')).code).toBe(9);
    expect(journalRows(world.stateDir).filter(({ endpoint }) => endpoint === 'report.accept')).toEqual([]);
  });
});

describe('what another host accepted, who looked at other times', () => {
  const at = (hour: number) => `2026-11-05T${String(hour).padStart(2, '0')}:00:00.000Z`;
  const seen = (from: number, to: number, minor: bigint) => ({
    asset: 'USDC' as const,
    from: at(from),
    to: at(to),
    minor,
    known: null,
  });
  const accepted = (from: number, to: number, minor: bigint, reason = 'why') => ({
    ...seen(from, to, minor),
    reason,
    who: 'ada on web-1',
    at: at(23),
  });
  test.each([
    ['of the same look, as far as it goes', [seen(1, 3, 25n)], [accepted(2, 3, 20n)], [20n]],
    ['of the same look twice', [seen(1, 3, 25n)], [accepted(1, 3, 20n), accepted(1, 3, 5n)], [25n]],
    ['of a look in the same time', [seen(1, 4, 25n)], [accepted(2, 3, 25n)], [25n]],
    ['of two looks in the time of one here', [seen(1, 9, 32n)], [accepted(2, 3, 25n), accepted(3, 5, 7n)], [32n]],
    ['of one look in the time of two here', [seen(1, 3, 25n), seen(3, 5, 7n)], [accepted(2, 9, 32n)], [25n, 7n]],
    ['of another sum', [seen(1, 4, 25n)], [accepted(2, 3, 24n)], [0n]],
    ['of one of two here that it may be', [seen(1, 3, 25n), seen(3, 5, 25n)], [accepted(2, 4, 25n)], [0n, 0n]],
    ['of a sum that hides two', [seen(1, 3, 30n), seen(3, 5, -5n)], [accepted(2, 9, 25n)], [0n, 0n]],
    [
      'of a look that one here has, with the sum of two',
      [seen(1, 3, 25n), seen(3, 5, 7n)],
      [accepted(2, 5, 32n)],
      [0n, 32n],
    ],
    ['of another time', [seen(1, 3, 25n)], [accepted(3, 5, 25n)], [0n]],
    [
      'of a look that another difference here has',
      [seen(1, 3, 25n), seen(3, 5, 25n)],
      [accepted(2, 5, 25n)],
      [0n, 25n],
    ],
  ])('%s', (_, differences, acceptances, expected) => {
    expect(withAcceptances(differences, acceptances).map((each) => each.accepted)).toEqual(expected);
  });

  test('of another asset does not count', () => {
    const other = { ...accepted(1, 3, 25n), asset: 'USDT' as const };
    expect(withAcceptances([seen(1, 3, 25n)], [other])).toEqual([{ ...seen(1, 3, 25n), accepted: 0n, reason: null }]);
  });
});
