import { expect, test } from 'vitest';
import { type AskRows, createRows } from '../../src/inspector/page/rows.ts';

/** Which rows of a list the page asks for. */

type Answer = Awaited<ReturnType<AskRows>>;

/** A list that answers when a test says so. */
function listOf(size: number) {
  const at = { size, generation: 0, mark: 'old' };
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  const ask: AskRows = (from, limit) => {
    asked.push(`${from}+${limit}`);
    const first = from === 'newest' ? Math.max(0, at.size - limit) : from;
    const ids = Array.from({ length: Math.max(0, Math.min(limit, at.size - first)) }, (_, index) => first + index);
    const rows = ids.map((id) => ({ id: String(id), mark: at.mark }));
    const { generation } = at;
    const answer: Answer = { total: at.size, rows, generation, ...(from === 'newest' && { from: first }) };
    return new Promise((resolve) => waiting.push(() => resolve(answer)));
  };
  let drawn = 0;
  const draw = () => {
    drawn += 1;
  };
  const slept: number[] = [];
  const sleep = async (durationMs: number) => {
    slept.push(durationMs);
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const time = { nowMs: 0 };
  const rows = createRows(ask, draw, { nowMs: () => time.nowMs, sleep });
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  /** Answers what was asked so far, the last first, and returns what it was. */
  const answered = async () => {
    const were = asked.splice(0);
    for (const answer of waiting.splice(0).reverse()) answer();
    await turn();
    return were;
  };
  return { at, rows, answered, drawn: () => drawn, time, slept };
}

test('a change at the top is one request and one drawing, for the rows that are seen', async () => {
  const { at, rows, answered, drawn } = listOf(100_000);
  expect(rows.about().total).toBe(-1);
  rows.refresh('newest', 40);
  expect(await answered()).toEqual(['newest+40']);
  expect([rows.about().total, rows.at(99_999)?.id, rows.at(99_959)]).toEqual([100_000, '99999', undefined]);
  at.size += 1_000;
  rows.refresh('newest', 40);
  expect(await answered()).toEqual(['newest+40']);
  rows.see(100_960, 100_999, false);
  expect(await answered()).toEqual([]);
  expect([rows.about().total, rows.at(100_999)?.id, drawn()]).toEqual([101_000, '100999', 2]);
});

test('changes that come before an answer are asked for once, after it', async () => {
  const { rows, answered } = listOf(1_000);
  for (let change = 0; change < 5; change += 1) rows.refresh('newest', 40 + change);
  expect(await answered()).toEqual(['newest+40']);
  expect(await answered()).toEqual(['newest+44']);
  expect(await answered()).toEqual([]);
});

test('a list that takes long is asked for less often', async () => {
  const { rows, answered, time, slept } = listOf(1_000);
  rows.refresh('newest', 40);
  time.nowMs += 100;
  expect(await answered()).toEqual(['newest+40']);
  rows.refresh('newest', 41);
  rows.refresh('newest', 42);
  // Nothing is asked for before it has slept.
  expect([await answered(), slept]).toEqual([[], [300]]);
  time.nowMs += 20;
  expect(await answered()).toEqual(['newest+42']);
  rows.refresh('newest', 43);
  expect([await answered(), slept]).toEqual([['newest+43'], [300]]);
});

test('what is near is asked for before it is seen, and nothing is asked for twice', async () => {
  const { rows, answered } = listOf(1_000);
  rows.refresh('newest', 40);
  await answered();
  rows.see(960, 999, true);
  rows.see(960, 999, true);
  expect(await answered()).toEqual(['800+100', '900+100']);
  for (let from = 960; from >= 900; from -= 12) rows.see(from, from + 40, true);
  expect(await answered()).toEqual([]);
  rows.see(890, 930, true);
  expect(await answered()).toEqual(['700+100']);
});

test('a row that may have changed is shown until it is read again, which is when it is seen', async () => {
  const { at, rows, answered } = listOf(1_000);
  rows.refresh('newest', 40);
  await answered();
  rows.see(960, 999, true);
  await answered();
  at.mark = 'new';
  rows.refresh('newest', 40);
  await answered();
  rows.see(960, 999, true);
  expect(await answered()).toEqual([]);
  expect([rows.at(960)?.['mark'], rows.at(959)?.['mark']]).toEqual(['new', 'old']);
  rows.see(950, 990, true);
  expect(await answered()).toEqual(['900+100']);
  expect(rows.at(959)?.['mark']).toBe('new');
});

test('an answer that was asked for before a change does not replace what was read after it', async () => {
  const { at, rows, answered } = listOf(1_000);
  rows.refresh('newest', 40);
  await answered();
  rows.see(960, 999, true);
  at.mark = 'new';
  rows.refresh('newest', 40);
  await answered();
  expect([rows.at(970)?.['mark'], rows.at(950)?.['mark']]).toEqual(['new', 'old']);
});

test('rows whose positions are no longer right are forgotten', async () => {
  const { at, rows, answered } = listOf(1_000);
  rows.refresh('newest', 40);
  await answered();
  at.generation = 1;
  at.size = 900;
  rows.refresh('newest', 10);
  await answered();
  expect([rows.about().total, rows.at(999), rows.at(899)?.id]).toEqual([900, undefined, '899']);
});

test('not more than 5,000 rows are known, and what is seen is among them', async () => {
  const { rows, answered } = listOf(100_000);
  rows.refresh('newest', 40);
  await answered();
  for (let from = 99_000; from > 80_000; from -= 50) {
    rows.see(from, from + 40, true);
    await answered();
    expect(rows.at(from)?.id).toBe(String(from));
  }
  const known = Array.from({ length: 100_000 }, (_, at) => rows.at(at)).filter((row) => row !== undefined);
  expect(known.length).toBeLessThanOrEqual(5_000);
});
