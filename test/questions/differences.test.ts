import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differenceLines } from '../../src/commands/report/lines.ts';
import { type LocalCopy, openCopyFile } from '../../src/copy/database.ts';
import { type BookSet, setsIn, unknownIn } from '../../src/copy/questions/books/sets.ts';
import { accountIn } from '../../src/copy/questions/report/balance.ts';
import { indexesOf } from '../../src/copy/schema.ts';
import { TABLES } from '../../src/copy/tables.ts';
import { noteUnlisted } from '../../src/copy/unlisted.ts';
import { copyOf as copyFolder, type Restore } from '../support/folder-copy.ts';
import { type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';
import { allRead } from './copy.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 10, 1);
const at = (minute: number) => new Date(START_MS + minute * MINUTE_MS).toISOString();

/** Money in lists moves in whole thousands, what is in no list is less: so each can be told from the sum of both. */
const THOUSAND = 1_000n;

/** A transfer of the account: its row is made, the tokens leave at some moment, and it ends at a later one. Times in minutes. */
interface Transfer {
  readonly begins: number;
  readonly takes: number;
  /** When the tokens really leave, in parts of the time that it takes. */
  readonly leavesAt: number;
  readonly amount: number;
  readonly fails: boolean;
}

interface Hidden {
  readonly minute: number;
  readonly minor: number;
}

interface History {
  readonly transfers: readonly Transfer[];
  readonly hidden: readonly Hidden[];
  readonly looks: readonly number[];
}

const LAST = 3_000;

const RUNS = Number(process.env['FIATRAIL_SOAK_REPORTS'] ?? 8);

const history = (exact: boolean): fc.Arbitrary<History> =>
  fc.record({
    transfers: fc.array(
      fc.record({
        begins: fc.integer({ min: 10, max: LAST - 400 }),
        takes: fc.integer({ min: 1, max: 200 }),
        leavesAt: exact ? fc.constant(0) : fc.double({ min: 0, max: 1, noNaN: true }),
        amount: fc.integer({ min: 1, max: 9 }),
        fails: exact ? fc.constant(false) : fc.boolean(),
      }),
      { maxLength: 12 },
    ),
    hidden: fc.array(
      fc.record({
        minute: fc.integer({ min: 5, max: LAST - 10 }),
        minor: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: -40, max: -1 })),
      }),
      { maxLength: 6 },
    ),
    looks: fc.uniqueArray(fc.integer({ min: 3, max: LAST - 1 }), { maxLength: 15 }),
  });

/** When the tokens of a transfer were away: from a minute until another, which is never for one that completes. */
function awayOf({ begins, takes, leavesAt, fails }: Transfer): readonly [number, number] {
  const left = begins + Math.floor(takes * leavesAt);
  return [left, fails ? begins + takes : Number.POSITIVE_INFINITY];
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

const hiddenIn = (hidden: readonly Hidden[], from: number, to: number) =>
  sum(hidden.filter((each) => each.minute > from && each.minute <= to).map((each) => each.minor));

/** What a balance has at a minute, beside what it began with. */
function heldAt({ transfers, hidden }: Omit<History, 'looks'>, minute: number): number {
  const away = transfers.filter((each) => awayOf(each)[0] <= minute && awayOf(each)[1] > minute);
  return hiddenIn(hidden, -1, minute) - Number(THOUSAND) * sum(away.map(({ amount }) => amount));
}

let emptyCopy: Restore | undefined;

/** A copy that was read and has no row: making its tables takes longer than most questions. */
async function withoutRows(world: FakeWorld): Promise<Restore> {
  const copy = await openCopyFile(join(world.stateDir, 'copy.db'), world);
  await copy.write(async (queries) => {
    await allRead(queries);
    for (const table of TABLES) for (const index of indexesOf(table)) await queries.run(index);
  });
  await copy.close();
  return copyFolder(world.stateDir);
}

/** Fills a copy with the transfers of an account and what was seen of its balances, and asks it. */
async function copyOf(
  transfers: readonly Transfer[],
  looks: readonly (readonly [minute: number, minor: bigint, place?: string])[],
  notesEach = false,
): Promise<LocalCopy> {
  const world = fakeWorld({ clock: fakeClock(START_MS + LAST * MINUTE_MS) });
  world.ensurePrivateDir(world.stateDir);
  emptyCopy ??= await withoutRows(world);
  emptyCopy(world.stateDir);
  const copy = await openCopyFile(join(world.stateDir, 'copy.db'), world);
  await copy.write(async (queries) => {
    for (const [index, each] of transfers.entries()) {
      const seenAt = at(each.begins + each.takes + 30);
      await queries.run(
        `INSERT INTO stored_withdrawals (id, status, created_at, type, amount_minor, amount_asset, completed_at, is_open, is_personal,
           digest, pass, first_seen_at, changed_at, ended_at, end_bound)
         VALUES (?, ?, ?, 'fintech_self_transfer', ?, 'USDC', ?, 0, 0, 'x', 1, ?, ?, ?, ?)`,
        `t-${index}`,
        each.fails ? 'failed' : 'completed',
        at(each.begins),
        BigInt(each.amount) * THOUSAND,
        // The list does not say when a transfer failed; the sync that saw it is later.
        each.fails ? null : at(each.begins + each.takes),
        seenAt,
        seenAt,
        each.fails ? at(each.begins) : at(each.begins + each.takes),
        each.fails ? seenAt : null,
      );
    }
    for (const [minute, minor, place = 'base'] of looks) {
      await queries.run('INSERT INTO stored_balance_checks (at) VALUES (?) ON CONFLICT DO NOTHING', at(minute));
      await queries.run(
        "INSERT INTO stored_balances (source, place, asset, minor, at) VALUES ('wallet', ?, 'USDC', ?, ?)",
        place,
        minor,
        at(minute),
      );
      if (notesEach) await noteUnlisted(queries);
    }
    await noteUnlisted(queries);
  });
  return copy;
}

/** What the lists and the looks have of a history, and what its looks should show as in no list. */
async function differencesOf({ transfers, hidden, looks: some }: History, isInParts = false) {
  // Nothing is under way at the first and the last look.
  const looks = [0, ...some.toSorted((a, b) => a - b), LAST];
  const copy = await copyOf(
    transfers,
    looks.map((minute) => [minute, BigInt(1_000_000 + heldAt({ transfers, hidden }, minute))]),
  );
  const span = { from: new Date(START_MS - MINUTE_MS).toISOString(), to: at(LAST) };
  const days = [0, 1, 2].map((day) => ({
    from: day === 0 ? span.from : at(day * 1_440),
    to: day === 2 ? span.to : at((day + 1) * 1_440),
  }));
  const report = await copy.read((queries) => accountIn(queries, span, days));
  const alone = await Promise.all(
    (isInParts ? days : []).map((day) => copy.read((queries) => accountIn(queries, day))),
  );
  await copy.close();
  const expected = looks.slice(1).flatMap((minute, index) => {
    const from = looks[index] ?? 0;
    const minor = hiddenIn(hidden, from, minute);
    return minor === 0 ? [] : [{ from: at(from), to: at(minute), minor: BigInt(minor) }];
  });
  return { report, alone, expected };
}

const unlistedThousandths = (minor: bigint) => ((minor % THOUSAND) + THOUSAND + 500n) % THOUSAND;

describe('the differences of a report', () => {
  test('are the changes between two looks that no list shows, to the unit, also where they cancel later', async () => {
    await fc.assert(
      fc.asyncProperty(history(true), async (random) => {
        const { report, expected } = await differencesOf(random);
        expect(report.differences.map(({ from, to, minor }) => ({ from, to, minor }))).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  test('hide none and invent none when tokens leave at any moment of a transfer', async () => {
    await fc.assert(
      fc.asyncProperty(history(false), async (random) => {
        const { report, expected } = await differencesOf(random);
        const found = report.differences;
        // Which of the transfers under way had moved may stay open until a later look; what is in no list does not.
        const odd = found.filter(({ minor }) => minor % THOUSAND !== 0n);
        expect(odd.map(({ from, to }) => ({ from, to }))).toEqual(expected.map(({ from, to }) => ({ from, to })));
        expect(odd.map(({ minor }) => unlistedThousandths(minor))).toEqual(
          expected.map(({ minor }) => unlistedThousandths(minor)),
        );
        const total = (each: readonly { readonly minor: bigint }[]) => each.reduce((all, { minor }) => all + minor, 0n);
        expect(total(found)).toBe(total(expected));
        if (random.hidden.length === 0) expect(found).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  test('are in exactly one of the parts of a period, and in the report of that part alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean().chain(history), async (random) => {
        const { report, alone } = await differencesOf(random, true);
        expect(alone.flatMap(({ differences }) => differences)).toEqual(report.differences);
        const usdc = report.assets.find(({ asset }) => asset === 'USDC');
        const parts = report.parts.flat().filter(({ asset }) => asset === 'USDC');
        const sum = parts.reduce((all, { unlisted }) => all + (unlisted.minor ?? 0n), 0n);
        // Where the whole is known, every part of it may still have a change on its edge.
        if (usdc?.unlisted.minor != null && parts.every(({ unlisted }) => !unlisted.known))
          expect(sum).toBe(usdc.unlisted.minor);
        else expect([...parts, usdc].map((each) => each?.unlisted.known?.why)).toContainEqual(expect.any(String));
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  test('are no sum that is not true, however many transfers are under way at each look, the first one too', async () => {
    const busy = fc.record({
      transfers: fc.array(
        fc.record({
          begins: fc.integer({ min: 0, max: 1_000 }),
          takes: fc.integer({ min: 1, max: 400 }),
          leavesAt: fc.double({ min: 0, max: 1, noNaN: true }),
          amount: fc.integer({ min: 1, max: 1_000_000_000 }),
          fails: fc.boolean(),
        }),
        { maxLength: 40 },
      ),
      hidden: fc.array(
        fc.record({ minute: fc.integer({ min: 5, max: LAST - 10 }), minor: fc.integer({ min: -1e12, max: 1e12 }) }),
        { maxLength: 4 },
      ),
      looks: fc.uniqueArray(fc.integer({ min: 3, max: 1_600 }), { minLength: 2, maxLength: 6 }),
    });
    let known = 0;
    await fc.assert(
      fc.asyncProperty(busy, async ({ transfers, hidden, looks: some }) => {
        const looks = some.toSorted((a, b) => a - b);
        const copy = await copyOf(
          transfers,
          looks.map((minute) => [minute, 10n ** 14n + BigInt(heldAt({ transfers, hidden }, minute))]),
        );
        const spans = looks.flatMap((from, index) => looks.slice(index + 1).map((to) => [from, to] as const));
        for (const [from, to] of spans) {
          const { assets } = await copy.read((queries) => accountIn(queries, { from: at(from), to: at(to) }));
          const said = assets.find(({ asset }) => asset === 'USDC')?.unlisted;
          if (said?.known !== undefined) continue;
          known += 1;
          expect(said?.minor, `from ${from} to ${to}`).toBe(BigInt(hiddenIn(hidden, from, to)));
        }
        await copy.close();
      }),
      // Few of the sums are ones that a wrong report would say.
      { numRuns: Number(process.env['FIATRAIL_SOAK_REPORTS'] ?? 20) },
    );
    expect(known).toBeGreaterThan(0);
  }, 120_000);

  const between = { from: new Date(START_MS - MINUTE_MS).toISOString(), to: at(LAST) };

  const found = async (copy: LocalCopy) => {
    const { differences } = await copy.read((queries) => accountIn(queries, between));
    await copy.close();
    return differences.map(({ from, to, minor }) => ({ from, to, minor }));
  };

  test('are not hidden by more transfers under way than can be told apart', async () => {
    const transfers = Array.from({ length: 20 }, (_, index) => ({
      begins: 90,
      takes: 20,
      leavesAt: 1,
      amount: 1 + 2 ** index,
      fails: false,
    }));
    const moved = BigInt(sum(transfers.map(({ amount }) => amount))) * THOUSAND;
    const start = 10n * moved;
    // The tokens leave between the second and the third look; more than all of them has come before the second.
    const more = 2n * moved;
    const looks = [
      [0, start],
      [100, start + more],
      [200, start + more - moved],
    ] as const;
    expect(await found(await copyOf(transfers, looks))).toEqual([{ from: at(0), to: at(100), minor: more }]);
    expect(
      await found(
        await copyOf(transfers, [
          [0, start],
          [100, start],
          [200, start - moved],
        ]),
      ),
    ).toEqual([]);
  });

  test('are not hidden by such transfers at both of two looks', async () => {
    const transfers = [90, 290].flatMap((begins) =>
      Array.from({ length: 20 }, (_, index) => ({
        begins,
        takes: 20,
        leavesAt: 1,
        amount: 1 + 2 ** index,
        fails: false,
      })),
    );
    const moved = BigInt(sum(transfers.slice(20).map(({ amount }) => amount))) * THOUSAND;
    const start = 10n * moved;
    const looks = (more: bigint) =>
      [
        [100, start],
        [300, start - moved + more],
      ] as const;
    const copy = await copyOf(transfers, looks(2n * moved));
    const { differences } = await copy.read((queries) => accountIn(queries, between));
    const [table] = differenceLines(differences);
    expect(table?.rows[0]?.['amount']).toMatch(/^about [\d,.]+ USDC$/);
    // To accept it is enough for the books, which have what the looks saw.
    const sets = await copy.read(async (queries) => {
      const all: BookSet[] = [];
      for await (const set of setsIn(queries, [between])) all.push(set);
      return all;
    });
    expect(sets.filter(({ thing }) => thing === 'balance')).toMatchObject([{ step: 'unlisted', unknown: [] }]);
    expect(await copy.read((queries) => unknownIn(queries, between))).toEqual([]);
    expect(await found(copy)).toEqual([{ from: at(100), to: at(300), minor: 2n * moved }]);
    expect(await found(await copyOf(transfers, looks(moved)))).toEqual([]);
  });

  test('are told by the first look after a period at which less is under way', async () => {
    const transfer = { begins: 90, takes: 20, leavesAt: 1, amount: 5, fails: false };
    const copy = await copyOf(
      [transfer],
      [
        [0, 9_000n],
        [100, 9_070n],
        [200, 4_070n],
      ],
    );
    const { differences } = await copy.read((queries) => accountIn(queries, { ...between, to: at(150) }));
    await copy.close();
    expect(differences.map(({ to, minor }) => ({ to, minor }))).toEqual([{ to: at(100), minor: 70n }]);
  });

  test.each<[what: string, others: readonly Transfer[], away: number]>([
    ['alone', [], 0],
    ['beside one that completes', [{ begins: 90, takes: 5, leavesAt: 0, amount: 2, fails: false }], 2],
  ])('are not made of tokens that were away at a look and came back, %s', async (_what, others, away) => {
    const transfer = { begins: 90, takes: 20, leavesAt: 0, amount: 5, fails: true };
    const looks = [
      [0, 9_000n],
      [100, 4_000n - BigInt(away) * THOUSAND],
      [200, 9_000n - BigInt(away) * THOUSAND],
    ] as const;
    expect(await found(await copyOf([transfer, ...others], looks))).toEqual([]);
  });

  test.each<[what: string, more: number]>([
    ['less', -5],
    ['more', 5],
  ])(
    'are compared from a look at which nothing was under way, so that the one at the start hides nothing: %s',
    async (_what, more) => {
      const transfer = { begins: 90, takes: 20, leavesAt: more < 0 ? 0 : 1, amount: 5, fails: false };
      const start = 20_000n;
      // At the second look the tokens may be away or not; what is in no list is as much as they are.
      const second = more < 0 ? start - 5_000n : start;
      const looks = [
        [0, start],
        [100, second],
        [200, start - 5_000n + BigInt(more) * THOUSAND],
      ] as const;
      const copy = await copyOf([transfer], looks);
      const { differences } = await copy.read((queries) => accountIn(queries, { ...between, from: at(150) }));
      await copy.close();
      expect(differences.map(({ from, to, minor }) => ({ from, to, minor }))).toEqual([
        { from: at(0), to: at(200), minor: BigInt(more) * THOUSAND },
      ]);
    },
  );

  test('are the same if each look is noted as it is made, over weeks', async () => {
    // Ten times as long, so that most looks are more than the longest work ago when the last one is made.
    const slow = ({ transfers, hidden, looks }: History): History => ({
      transfers: transfers.map((each) => ({ ...each, begins: each.begins * 10, takes: each.takes * 10 })),
      hidden: hidden.map((each) => ({ ...each, minute: each.minute * 10 })),
      looks: looks.map((minute) => minute * 10),
    });
    // Under way at the look that a later sync begins from, and back a minute after it.
    const back = { begins: 10, takes: 146, leavesAt: 0, amount: 1, fails: true };
    await fc.assert(
      fc.asyncProperty(history(false), async (some) => {
        const { transfers, hidden, looks: between } = slow(some);
        const looks = [0, ...between.toSorted((a, b) => a - b), LAST * 10];
        const seen = looks.map(
          (minute) => [minute, BigInt(1_000_000 + heldAt({ transfers, hidden }, minute))] as const,
        );
        const notes = async (isByLook: boolean) => {
          const copy = await copyOf(transfers, seen, isByLook);
          const rows = await copy.read((queries) =>
            queries.all('SELECT at, since, step, minor FROM stored_unlisted ORDER BY at, step'),
          );
          await copy.close();
          return rows;
        };
        expect(await notes(true)).toEqual(await notes(false));
      }),
      {
        numRuns: RUNS,
        examples: [
          [{ transfers: [back], hidden: [], looks: [155] }],
          // What is in no list came before a look at which tokens were away.
          [{ transfers: [{ ...back, takes: 1 }], hidden: [{ minute: 5, minor: -1 }], looks: [10] }],
        ],
      },
    );
  });

  test('are not explained by the fee alone of a payout under way: it leaves with the amount', async () => {
    const copy = await copyOf(
      [],
      [
        [0, 5_000n],
        [100, 5_000n],
      ],
    );
    const [amountKobo, feeKobo] = [100_000n, 150n];
    await copy.write(async (queries) => {
      await queries.run(
        `INSERT INTO stored_payouts (id, status, created_at, type, amount_minor, deducted_minor, is_open, is_personal, digest, pass, first_seen_at, changed_at)
         VALUES ('p-1', 'processing', ?, 'fintech_offramp', ?, ?, 1, 0, 'x', 1, ?, ?)`,
        ...[at(90), amountKobo, amountKobo + feeKobo, at(90), at(90)],
      );
      for (const [minute, minor] of [
        [0, 5_000_000_000n],
        [100, 5_000_000_000n - feeKobo * 10_000n],
      ] as const)
        await queries.run(
          "INSERT INTO stored_balances (source, place, asset, minor, at) VALUES ('wallet', 'base', 'CNGN', ?, ?)",
          ...[minor, at(minute)],
        );
      await queries.run('DELETE FROM stored_unlisted');
      await noteUnlisted(queries);
    });
    const { differences } = await copy.read((queries) => accountIn(queries, between));
    await copy.close();
    // Whether the payout has left is not known, and with it how large the difference is.
    expect(differences).toMatchObject([{ asset: 'CNGN', from: at(0), to: at(100), known: 'UNLISTED' }]);
  });

  test('are accepted in the one part of a period that has the look, also at its end', async () => {
    const copy = await copyOf(
      [{ begins: 1_500, takes: 10, leavesAt: 0, amount: 1, fails: false }],
      [
        [0, 5_000n],
        [1_440, 5_007n],
        [2_000, 4_007n],
      ],
    );
    const accepted = {
      asset: 'USDC',
      from: at(0),
      to: at(1_440),
      minor: 7n,
      reason: 'a gift',
      who: 'me',
      at: at(0),
    } as const;
    const days = [0, 1].map((day) => ({ from: at(day * 1_440), to: at((day + 1) * 1_440) }));
    const { parts } = await copy.read((queries) => accountIn(queries, between, days, async () => [accepted]));
    await copy.close();
    expect(parts.map((part) => part.flatMap((each) => each.accepted.minor ?? []))).toEqual([[7n], [0n]]);
  });

  test('are what a place holds that was not there at earlier looks', async () => {
    const looks = [
      [0, 500n],
      [60, 500n],
      [60, 70n, 'bsc'],
    ] as const;
    expect(await found(await copyOf([], looks))).toEqual([{ from: at(0), to: at(60), minor: 70n }]);
  });
});
