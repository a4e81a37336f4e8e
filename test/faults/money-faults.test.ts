import { expect, onTestFinished, test } from 'vitest';
import { chancesOf } from './chances.ts';
import { watchProcesses } from './money-death.ts';
import { GROUPS, type Group } from './money-groups.ts';
import { openRig } from './money-rig.ts';
import { newTally, storm, type Tally } from './money-storm.ts';

/** Runs for each group. */
const RUNS = Number(process.env['FIATRAIL_SOAK_STORMS'] ?? 2);
const IS_LONG = process.env['FIATRAIL_SOAK_STORMS'] !== undefined;
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Runs that share a journal and a sandbox, so that each has the work of others to confuse with its own. */
const TOGETHER = 15;

/** Runs a number of storms on one sandbox and one journal. */
async function storms(group: Group, seed: number, runs: number, tally: Tally): Promise<void> {
  const ends: (() => void | Promise<void>)[] = [];
  try {
    const rig = await openRig(group, (end) => ends.push(end));
    const chances = chancesOf(seed);
    for (let run = 0; run < runs; run++) await storm({ rig, group, chances, tally, runs: [] }, `k${run}`);
    expect(await rig.isBalanced()).toBe(true);
    expect((await rig.run(['ops', 'journal', 'verify', '-q'])).exit).toBe(0);
  } finally {
    for (const end of ends) await end();
  }
}

test.each(GROUPS.map((group) => [group.name, group] as const))(
  `${RUNS} storms of faults, crashes and second runners move money at most once: %s`,
  { timeout: 120_000 + RUNS * 2_000 },
  async (_name, group) => {
    watchProcesses(onTestFinished);
    const tally = newTally();
    // Each group has storms of its own.
    const start = SEED + 1_000_000 * GROUPS.indexOf(group);
    for (let done = 0; done < RUNS; done += TOGETHER) {
      const seed = start + done;
      try {
        await storms(group, seed, Math.min(TOGETHER, RUNS - done), tally);
      } catch (error) {
        const repeat = `FIATRAIL_SOAK_STORMS=${TOGETHER} FIATRAIL_SOAK_SEED=${seed - start + SEED}`;
        throw new Error(
          `run ${tally.runs}; repeat it with ${repeat}: ${error instanceof Error ? error.message : error}`,
          {
            cause: error,
          },
        );
      }
    }
    if (IS_LONG) print(group, tally);
    expect(tally.movements).toBeGreaterThan(0);
  },
);

/** Prints how the first commands ended, by trouble and exit code, and how the unknownOutcomes ended. */
function print({ name }: Group, { firsts, unknownOutcomes, commands, movements }: Tally): void {
  const said = (counts: ReadonlyMap<string, number>) =>
    [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, times]) => `  ${String(times).padStart(6)}  ${what}`);
  const lines = [`${name}: ${RUNS} runs, ${commands} commands, ${movements} movements`, ...said(firsts)];
  console.log([...lines, '  unknownOutcomes ended by', ...said(unknownOutcomes)].join('\n'));
}
