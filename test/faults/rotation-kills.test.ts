import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, onTestFailed, onTestFinished, test } from 'vitest';
import { type Home, newHomeWithCache, requireBuilt } from '../support/built.ts';
import {
  accountOf,
  embeddedKey,
  keepersGone,
  keysIn,
  leftBehind,
  must,
  rotationRows,
  serveSandbox,
  startInGroup,
  storedKey,
} from '../support/rotations.ts';

beforeAll(requireBuilt);

const KILLS = Number(process.env['FIATRAIL_SOAK_KILLS'] ?? 24);
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** The latest moment of a kill, in the time a replacement takes: some are to end before. */
const LATEST = 1.2;

/** One replacement to be killed: when, in thousandths of the time it takes, and what comes after it. */
const kill = fc.record({
  at: fc.nat(1000 * LATEST),
  isWholeGroup: fc.boolean(),
  /** Whether the next command comes only when nothing of this one runs any more. */
  isPatient: fc.boolean(),
  next: fc.constantFrom<(readonly string[])[]>(['status'], ['keys', 'rotate', '--resume']),
  isPushed: fc.boolean(),
});

type Kill = typeof kill extends fc.Arbitrary<infer K> ? K : never;

/** What a campaign kills in: an account, and the keys that its service has given out. */
interface Field {
  readonly home: Home;
  readonly keys: () => readonly { readonly key: string; readonly isLive: boolean }[];
  /** The key that the account uses now. */
  readonly keyNow: () => string;
}

/** 0: finished; 2: nothing to finish; 5: nothing had been sent. */
const AFTER_RESUME = [0, 2, 5];

interface Count {
  killed: number;
  answered: number;
  lost: number;
}

/** Kills a replacement, has the next command finish it, and sees what has become of it. Returns how long one takes. */
async function killOnce({ home, keys, keyNow }: Field, how: Kill, durationMs: number, count: Count): Promise<number> {
  const pushed = join(home.path, 'pushed');
  rmSync(pushed, { force: true });
  const [keysBefore, rowsBefore] = [keys().length, rotationRows(home).length];
  const push = how.isPushed ? ['--push-command', `sh -c 'cat > "${pushed}"'`] : [];
  const running = startInGroup(home, ['keys', 'rotate', '--yes', '--no-input', ...push]);
  const timer = setTimeout(() => running.kill(how.isWholeGroup), (how.at * durationMs) / 1000);
  const beganAt = performance.now();
  const isKilled = (await running.end) === null;
  clearTimeout(timer);
  if (isKilled) count.killed += 1;
  // One that came to its end tells how long it takes by now: what else the machine does comes and goes.
  const takesMs = isKilled ? durationMs : performance.now() - beganAt;
  if (how.isPatient) await keepersGone(home);
  const isResume = how.next.includes('--resume');
  await must(home, [...how.next, '-q'], '', isResume ? AFTER_RESUME : [0]);
  await keepersGone(home);
  const isAnswered = keys().length > keysBefore;
  const isSound = keys().some(({ key, isLive }) => isLive && key === keyNow());
  count.answered += isAnswered ? 1 : 0;
  count.lost += isSound ? 0 : 1;
  const rows = rotationRows(home).slice(rowsBefore);
  expect(isSound).toBe(true);
  expect(rows.map(({ stage, state }) => [stage, state])).toEqual(
    isAnswered ? [['done', 'accepted']] : rows.map(() => ['refused', 'refused']),
  );
  expect(leftBehind(home)).toEqual([]);
  if (isAnswered && how.isPushed) expect(readFileSync(pushed, 'utf8')).toBe(keyNow());
  else expect(existsSync(pushed)).toBe(false);
  return takesMs;
}

/** How long a replacement takes on this machine now. */
async function durationOf(home: Home): Promise<number> {
  const beganAt = performance.now();
  await must(home, ['keys', 'rotate', '--yes', '-q']);
  return performance.now() - beganAt;
}

async function campaign(field: Field, kills: number): Promise<Count> {
  onTestFailed(() => console.error(`the kills were those of FIATRAIL_SOAK_SEED=${SEED} FIATRAIL_SOAK_KILLS=${KILLS}`));
  let durationMs = await durationOf(field.home);
  const count: Count = { killed: 0, answered: 0, lost: 0 };
  for (const how of fc.sample(kill, { seed: SEED, numRuns: kills }))
    durationMs = await killOnce(field, how, durationMs, count);
  if (process.env['FIATRAIL_SOAK_KILLS']) console.info(`${kills} replacements: ${JSON.stringify(count)}`);
  return count;
}

async function overNetwork(): Promise<Field> {
  const served = await serveSandbox(onTestFinished);
  const home = await accountOf(served, onTestFinished);
  return { home, keys: served.keys, keyNow: () => storedKey(home) };
}

/** The embedded sandbox knows its own key. */
function embedded(): Field {
  const home = newHomeWithCache(onTestFinished);
  const keys = () => (existsSync(join(home.stateDir, 'sandbox.db')) ? keysIn(home) : []);
  return { home, keys, keyNow: () => embeddedKey(home) };
}

const FORMS: readonly [form: string, kills: number, open: () => Promise<Field>][] = [
  ['over the network', KILLS, overNetwork],
  [
    'with sealed answers',
    Math.ceil(KILLS / 4),
    async () => {
      const field = await overNetwork();
      await must(field.home, ['keys', 'encryption', 'enable', '--seal-requests', 'on', '-q']);
      return field;
    },
  ],
  [
    'of the embedded sandbox',
    Math.ceil(KILLS / 4),
    async () => {
      const field = embedded();
      await must(field.home, ['sandbox', 'seed', '--rate-limits', 'off', '-q']);
      return field;
    },
  ],
];

test.each(FORMS)(
  'a replacement %s that is killed loses no key, %i times',
  {
    timeout: 300_000 + KILLS * 8_000,
  },
  async (_form, kills, open) => {
    const { killed, answered, lost } = await campaign(await open(), kills);
    // Few kills may all come before the answer.
    expect({ isKilled: killed > 0, isAnswered: answered > 0 || kills < 20, lost }).toEqual({
      isKilled: true,
      isAnswered: true,
      lost: 0,
    });
  },
);
