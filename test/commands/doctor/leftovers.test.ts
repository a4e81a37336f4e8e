import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { main } from '../../../src/main.ts';
import { type Answer, type FakeWorld, fakeWorld, type WorldOptions } from '../../support/world.ts';

const ID = '01900000-0000-7000-8000-000000000001';

/** What a command that is killed leaves behind, below the home of a world. */
const LEFT = [
  `config/profiles/.${ID}.tmp`,
  `config/profiles/.${ID}.tmp.tmp-1700000000abcdef`,
  `config/secrets/.${ID}.tmp`,
  `config/journals/.head-100-7.tmp`,
  `state/.${ID}.tmp`,
  `state/journals/.${ID}.tmp`,
  `state/rotations/.${ID}.key.tmp`,
  `state/tour/.${ID}.tmp`,
  `state/lock-test-${ID}.db`,
  `state/sandbox.db.${ID}.snapshot`,
  `state/sandbox.db.${ID}.snapshot-wal`,
  'config/secrets/gone.api-key',
  'config/secrets/gone.encryption-keys',
  'config/secrets/gone.approver-key',
  `config/secrets/main-probe-${ID}.api-key`,
  // This profile keeps its key elsewhere.
  'config/secrets/moved.api-key',
] as const;

/** What is in use, though it looks similar, or is not fiatrail's. */
const USED = [
  'config/secrets/main.api-key',
  'config/secrets/main.webhook-secrets',
  'config/secrets/moved.approver-key',
  'config/secrets/broken.api-key',
  'config/secrets/away.api-key',
  'config/secrets/sandbox.approver-key',
  'config/secrets/notes.txt',
  `state/rotations/${ID}.key`,
  'state/journal.db.outcome-1.json',
  'other/secrets/gone.api-key',
  `other/.${ID}.tmp`,
] as const;

function put(world: FakeWorld, name: string, ageMs = 60_000, text = 'x'): void {
  const path = join(world.homeDir, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
  const at = new Date(world.clock.now() - ageMs);
  utimesSync(path, at, at);
}

/** A world with leftovers, and with files in use beside them. */
function littered(options: WorldOptions = {}, ageMs?: number): FakeWorld {
  const world = fakeWorld(options);
  const profile = (name: string, store: string) =>
    JSON.stringify({ version: 1, name, mode: 'sandbox', baseUrl: 'http://127.0.0.1:1/v1', store: { kind: store } });
  put(world, 'config/profiles/main.json', ageMs, profile('main', 'file'));
  put(
    world,
    'config/profiles/moved.json',
    ageMs,
    JSON.stringify({
      ...JSON.parse(profile('moved', 'command')),
      store: { kind: 'command', command: 'true', isShell: true },
    }),
  );
  put(world, 'config/profiles/broken.json', ageMs, '{');
  put(world, 'config/profiles/away.json.old', ageMs, profile('away', 'file'));
  for (const name of [...LEFT, ...USED]) put(world, name, ageMs);
  return world;
}

const thereOf = ({ homeDir }: FakeWorld, names: readonly string[]) =>
  names.filter((name) => existsSync(join(homeDir, name)));

const clean = (world: FakeWorld, ...more: readonly string[]) =>
  main(['doctor', '--clean', '--profile', 'sandbox', ...more], world);

const yes: Answer = { kind: 'confirm', asks: 'Remove 16 files of commands that were killed', says: true };

describe('what killed commands left behind', () => {
  test('is found', async () => {
    const world = littered();
    await main(['doctor', '--profile', 'sandbox', '-o', 'json'], world);
    const { checks } = JSON.parse(world.stdout.text());
    const found = checks.find(({ check }: { check: string }) => check === 'leftovers');
    expect(found).toMatchObject({ state: 'warning', fix: 'fiatrail doctor --clean' });
    expect(found.detail).toMatch(/^16 files of commands that were killed: \S+, \S+, \S+, \S+, \S+ and 11 more$/);
    expect(thereOf(world, [...LEFT, ...USED])).toEqual([...LEFT, ...USED]);
  });

  test('is removed after a yes, which shows each file', async () => {
    const world = littered({ isTerminal: true, answers: [yes] });
    await clean(world);
    expect(thereOf(world, [...LEFT, ...USED])).toEqual(USED);
    for (const name of LEFT) expect(world.stderr.text()).toContain(join(world.homeDir, name));
    expect(world.stderr.text()).toContain('api-key of no profile');
  });

  test.each([
    ['without a yes', { isTerminal: true, answers: [{ ...yes, says: false }] } as WorldOptions, [], 9],
    ['without a terminal', {}, [], 2],
    ['in a dry run', {}, ['--dry-run'], 0],
  ])('stays %s', async (_when, options, words, code) => {
    const world = littered(options);
    expect(await clean(world, ...words)).toBe(code);
    expect(thereOf(world, LEFT)).toEqual(LEFT);
  });

  test('is removed with --yes', async () => {
    const world = littered();
    await clean(world, '--yes');
    expect(thereOf(world, [...LEFT, ...USED])).toEqual(USED);
  });

  test.each([59_999, -60_000])('stays while a command may be at work on it: %i ms old', async (ageMs) => {
    const world = littered({}, ageMs);
    await clean(world, '--yes');
    expect(thereOf(world, LEFT)).toEqual(LEFT);
    expect(world.stderr.text()).toContain('there is nothing to remove');
  });
});
