import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copied, shown } from './copied.ts';
import { DAY_MS, fill, path, play, rig, step, sync } from './moves.ts';
import { LISTS } from './moving-service.ts';

interface Change {
  readonly seen_at: string;
  readonly kind: string;
  readonly id: string;
  readonly field: string;
  readonly status: 'new' | 'changed' | 'deleted' | 'restored';
  readonly before_json: string | null;
  readonly after_json: string | null;
}

/** What syncs found, in the order in which they found it. */
function changes(file: string): Change[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare('SELECT * FROM stored_changes ORDER BY rowid').all() as unknown as Change[];
  } finally {
    database.close();
  }
}

/** The bytes of a local copy, with those that SQLite has not moved to the file yet. */
const bytesOf = (file: string): string =>
  [file, `${file}-wal`].map((each) => (existsSync(each) ? readFileSync(each, 'latin1') : '')).join('');

const RUNS = Number(process.env['FIATRAIL_SOAK_COPIES'] ?? 2);

/** Plays what was found on the rows that were there at first. Fails if a value before is not the one that was there. */
function played(first: readonly string[], found: readonly Change[], list: string): string[] {
  const field = LISTS[list]?.status;
  const rows = new Map(first.map((row) => row.split(' ') as [string, string]));
  const all = new Map(rows);
  for (const { id, status, field: changed, before_json, after_json } of found) {
    if (status === 'new') expect(all.has(id), `${id} is new`).toBe(false);
    if (status === 'deleted') expect(rows.delete(id), `${id} is gone`).toBe(true);
    if (status === 'restored') expect(rows.has(id) || !all.has(id), `${id} is back`).toBe(false);
    if (status === 'restored') rows.set(id, all.get(id) ?? '');
    if (status === 'new') rows.set(id, '?').size && all.set(id, '?');
    if (changed !== field || before_json === null || after_json === null) continue;
    expect([before_json, '"?"'], `${id} before`).toContain(JSON.stringify(all.get(id)));
    for (const each of [rows, all]) if (each.has(id)) each.set(id, JSON.parse(after_json));
  }
  return [...rows].map(([id, status]) => `${id} ${status}`).sort();
}

describe('what syncs find', () => {
  test('leads from the rows of the first sync to those of the last one, whatever happened and was killed', async () => {
    const steps = fc.array(step(['add', 'late', 'move', 'remove', 'back'], 2 * DAY_MS), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(0, 3, 120), steps, async (count, done) => {
        const rigged = rig();
        await fill(rigged.service, rigged.clock, count);
        expect(await sync(rigged.world), rigged.world.stderr.text()).toBe(0);
        const first = Object.fromEntries(Object.keys(LISTS).map((list) => [list, shown(rigged.service, list)]));
        expect(changes(path(rigged.world))).toEqual([]);
        await play(rigged, done);
        expect(await sync(rigged.world, '--full'), rigged.world.stderr.text()).toBe(0);
        const found = changes(path(rigged.world));
        for (const list of Object.keys(LISTS)) {
          const own = found.filter(({ kind }) => kind === list);
          const now = copied(path(rigged.world), list) ?? [];
          const status = new Map(now.map((row) => row.split(' ') as [string, string]));
          // A new row says nothing of its fields, so its status is that of the copy unless it changed since.
          const end = played(first[list] ?? [], own, list).map((row) => {
            const [id = '', known = ''] = row.split(' ');
            return `${id} ${known === '?' ? status.get(id) : known}`;
          });
          expect(end, list).toEqual(now);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('has nothing as gone that one reading missed, and the next one of the same sync had', async () => {
    const { clock, service, world } = rig();
    await fill(service, clock, 250);
    expect(await sync(world)).toBe(0);
    await clock.sleep(DAY_MS, new AbortController().signal);
    const { path: payouts } = LISTS['payouts'] ?? {};
    const removed = [0, 1].map((at) => `${service.rows['payouts']?.[at]?.['id']}`);
    service.requests.length = 0;
    service.onRequest = () => {
      if (service.requests.filter((each) => each === payouts).length !== 2) return;
      service.onRequest = undefined;
      // The rows of the third page move by two, and the count falls by one, so that one of them is read by nobody.
      for (const _ of removed) service.remove('payouts', 0);
      service.add('payouts', 300 * DAY_MS);
    };
    expect(await sync(world, '--full'), world.stderr.text()).toBe(0);
    const found = changes(path(world)).filter(({ kind, status }) => kind === 'payouts' && status !== 'changed');
    expect(found.map(({ status }) => status).toSorted()).toEqual(['deleted', 'deleted', 'new']);
    expect(found.flatMap(({ status, id }) => (status === 'deleted' ? [id] : [])).toSorted()).toEqual(
      removed.toSorted(),
    );
  });

  test('has what is personal for as long as the rows have it, and takes its removal for no change', async () => {
    const { clock, service, world } = rig();
    const row = service.add('deposits');
    expect(await sync(world)).toBe(0);
    row['depositor'] = { name: 'NKECHI EZE', accountNumber: '0123456789' };
    row['status'] = 'completed';
    expect(await sync(world)).toBe(0);
    const found = () => changes(path(world)).map(({ field, before_json: was, after_json: is }) => [field, was, is]);
    expect(found()).toEqual([
      ['status', '"pending"', '"completed"'],
      ['depositor.name', `"SENDER ${row['id']}"`, '"NKECHI EZE"'],
      ['depositor.accountNumber', null, '"0123456789"'],
    ]);
    await clock.sleep(91 * DAY_MS, new AbortController().signal);
    expect(await sync(world, '--full')).toBe(0);
    expect(found()).toEqual([
      ['status', '"pending"', '"completed"'],
      ['depositor.name', null, null],
      ['depositor.accountNumber', null, null],
    ]);
    expect(bytesOf(path(world))).not.toContain('NKECHI EZE');
    // With a clock that was put back, the rows are copied with what is personal; nothing of it is new at the service.
    await clock.sleep(-60 * DAY_MS, new AbortController().signal);
    expect(await sync(world, '--full')).toBe(0);
    expect(bytesOf(path(world))).toContain('NKECHI EZE');
    expect(found()).toHaveLength(3);
  });

  test('is nothing if nothing has changed, however often the lists are read', async () => {
    const { clock, service, world } = rig();
    await fill(service, clock, 5);
    for (const list of Object.keys(LISTS)) service.add(list);
    expect(await sync(world)).toBe(0);
    for (let each = 0; each < 3; each++) {
      await clock.sleep(2 * DAY_MS, new AbortController().signal);
      expect(await sync(world, '--full')).toBe(0);
    }
    expect(changes(path(world))).toEqual([]);
  });
});
