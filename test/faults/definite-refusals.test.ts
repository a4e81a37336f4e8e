import { expect, test } from 'vitest';
import {
  type Cell,
  cells,
  type Ended,
  ground,
  isBelieved,
  MONEY_COMMANDS,
  nameOf,
  ran,
  STATUSES,
} from './definite-refusals.ts';

/** Every cell, or enough of them to have each endpoint, status and envelope, and each kind of envelope with each kind of status. */
const IS_LONG = process.env['FIATRAIL_SOAK_REFUSALS'] !== undefined;

const NOTHING_DONE: readonly number[] = [3, 4, 7];

/** What is wrong with how a cell ended; undefined if nothing is. */
function wrongWith(cell: Cell, end: Ended): string | undefined {
  const { exit, state, movements, requests, movementsAfterRerun, rerunExit } = end;
  const isResent = cell.status === 429 && isBelieved(cell);
  if (requests !== (isResent ? 2 : 1)) return `${requests} requests`;
  // The service does a trade under one key only once.
  if (cell.isMade && movements < 1) return 'the movement was not made';
  if (isBelieved(cell)) {
    if (!NOTHING_DONE.includes(exit) || state !== 'rejected') return `exit ${exit}, ${state}: not believed`;
    return cell.isMade || movementsAfterRerun === 1 ? undefined : `exit ${rerunExit}: not done again`;
  }
  if (exit !== 6 || state !== 'unknown') return `exit ${exit}, ${state}: believed`;
  if (cell.command.group.hasKeys && movementsAfterRerun > (cell.isMade ? movements : 1)) return 'done twice';
  if (rerunExit === 0 && movementsAfterRerun === 0) return 'exit 0 without a movement';
  return NOTHING_DONE.includes(rerunExit) && movementsAfterRerun > 0 ? 'not done, with a movement' : undefined;
}

/** The code and whether it is definite, or what stands in place of a code: a rule does not know one sentence from another. */
const kindOf = ({ name, isDefinite }: Cell['envelope']) => `${/^\d\d/.exec(name)?.[0] ?? name} ${isDefinite}`;

/** Cells that have each endpoint, status and envelope at least once, and each kind of envelope with each kind of status. */
function sampled(all: readonly Cell[]): readonly Cell[] {
  const needed = new Set<string>();
  const partsOf = ({ command, status, envelope, isMade }: Cell) => [
    `${command.endpoint.id} ${isMade}`,
    `${envelope.name} ${isMade}`,
    `${status} ${isMade}`,
    `${kindOf(envelope)} ${status === 429 ? status : Math.floor(status / 100)}`,
  ];
  // Those that have the most of it first, so that fewer are enough.
  return [4, 3, 2, 1].flatMap((least) =>
    all.filter((cell) => {
      const isChosen = partsOf(cell).filter((part) => !needed.has(part)).length >= least;
      for (const part of isChosen ? partsOf(cell) : []) needed.add(part);
      return isChosen;
    }),
  );
}

test('only a definite rejection of a request that moves money is believed', { timeout: 3_600_000 }, async () => {
  const all = cells();
  expect(MONEY_COMMANDS.length).toBeGreaterThanOrEqual(13);
  // Strided, so that the sample is not of one endpoint.
  const mixed = all.map((_, index) => all[(index * 1009) % all.length] as Cell);
  const chosen = IS_LONG ? all : sampled(mixed);
  const start = await ground();
  const wrong: string[] = [];
  const counts = new Map<string, number>();
  for (const cell of chosen) {
    const end = await ran(cell, start);
    const problem = wrongWith(cell, end);
    if (problem !== undefined) wrong.push(`${nameOf(cell)}: ${problem}`);
    const row = [
      isBelieved(cell) ? 'definite or 429/04' : 'all other answers',
      cell.isMade ? 'made' : 'not made',
      `exit ${end.exit}`,
      `key ${end.state === 'rejected' ? 'free' : 'taken'}`,
      `rerun exit ${end.rerunExit}`,
      `movements ${end.movements} -> ${end.movementsAfterRerun}`,
    ].join(', ');
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  expect(new Set(chosen.map(({ status }) => status)).size).toBe(STATUSES.length);
  if (IS_LONG)
    process.stdout.write(
      `${[...counts]
        .sort()
        .map(([row, count]) => `${count}: ${row}`)
        .join('\n')}\n`,
    );
  expect(wrong).toEqual([]);
});
