import { describe, expect, test } from 'vitest';
import { DAY_MS, fill, rig, sync } from '../copy/moves.ts';
import { json, pass, run } from './reports.ts';

/** An account whose lists were read, and then moved on. */
async function moved() {
  const { clock, service, world } = rig();
  await fill(service, clock, 3);
  expect(await sync(world)).toBe(0);
  await pass(world, DAY_MS);
  const paid = service.add('payouts');
  service.move('deposits', 2, 'failed');
  const removed = service.rows['bank_accounts']?.[0]?.['accountId'];
  service.remove('bank_accounts', 0);
  expect(await sync(world, '--full')).toBe(0);
  return { clock, service, world, paid, removed };
}

interface Change {
  readonly list: string;
  readonly status: string;
  readonly id: string;
  readonly field: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

const short = ({ list, status, id, field, before, after }: Change) => [list, status, id, field, before, after];

describe('report changes', () => {
  test('lists what is new, changed and deleted, with whole ids, amounts, names and both values', async () => {
    const { world, paid, removed, service } = await moved();
    const { changes, lists, pagination } = await json(world, 'report', 'changes', '--since', 'today');
    expect(changes.map(short).toSorted()).toEqual(
      [
        ['payouts', 'new', paid['id'], null, null, null],
        ['deposits', 'changed', service.rows['deposits']?.[2]?.['id'], 'status', expect.any(String), 'failed'],
        ['bank_accounts', 'deleted', removed, null, null, null],
      ].toSorted(),
    );
    expect(changes.find(({ list }: Change) => list === 'payouts')).toMatchObject({
      amount: { value: '700.00', asset: 'NGN' },
      who: 'ADA OBI',
    });
    expect(pagination).toMatchObject({ hasMore: false, after: null });
    const counts = (lists as { list: string }[]).filter(({ list }) => ['payouts', 'bank_accounts'].includes(list));
    expect(counts).toMatchObject([
      { list: 'bank_accounts', new: 0, changed: 0, deleted: 1 },
      { list: 'payouts', new: 1, changed: 0, deleted: 0 },
    ]);
  });

  test('has every change on exactly one page, and the same ones with --all', async () => {
    const { world } = await moved();
    const { changes: whole } = await json(world, 'report', 'changes', '--since', '2d', '--all');
    const paged: unknown[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const next: string[] = after === undefined ? [] : ['--after', after];
      const page = await json(world, 'report', 'changes', '--since', '2d', '--limit', '1', ...next);
      expect(page.changes).toHaveLength(1);
      paged.push(...page.changes);
      after = page.pagination.after;
    }
    expect(paged).toEqual(whole);
    expect(whole).toHaveLength(3);
  });

  test('says since when the changes are known, and nothing of the rows of the first sync', async () => {
    const { world } = await moved();
    const { changes, lists } = await json(world, 'report', 'changes', '--since', '30d');
    expect(changes).toHaveLength(3);
    expect(lists.every(({ knownSince }: { knownSince: string | null }) => knownSince !== null)).toBe(true);
    const { stdout } = await run(world, 'report', 'changes', '--since', '30d');
    expect(stdout).toContain('nothing says what changed before');
    const later = await run(world, 'report', 'changes', '--since', 'today');
    expect(later.stdout).not.toContain('nothing says what changed before');
  });

  test.each([
    [['--list', 'payout'], 'expected one of'],
    [['--status', 'old'], 'expected one of'],
    [['--after', 'x'], 'invalid cursor'],
    [['--since', 'soon'], 'invalid date'],
  ])('%j is refused with a sentence', async (args, text) => {
    const { world } = await moved();
    const { code, stderr, stdout } = await run(world, 'report', 'changes', ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
  });

  test('a cursor of other filters is refused', async () => {
    const { world } = await moved();
    const { pagination } = await json(world, 'report', 'changes', '--since', '2d', '--limit', '1');
    const { code, stderr } = await run(world, 'report', 'changes', '--since', '3d', '--after', pagination.after);
    expect(code).toBe(2);
    expect(stderr).toContain('another list, filter or account');
    const cut = await run(world, 'report', 'changes', '--since', '2d', '--after', pagination.after.slice(0, -20));
    expect(cut.code).toBe(2);
    expect(cut.stderr).toContain('invalid cursor');
  });
});
