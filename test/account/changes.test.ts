import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { changeProfile } from '../../src/account/changes.ts';
import { readProfile, type StoredProfile } from '../../src/account/stored-profile.ts';
import { Secret } from '../../src/base/secret.ts';
import { acquireLock } from '../../src/sqlite/lock.ts';
import { fakeWorld } from '../support/world.ts';
import { PLANTED, refusal } from './support.ts';

const MAIN: StoredProfile = { name: 'main', mode: 'live', baseUrl: 'https://h.test/v1', store: { kind: 'file' } };
const RENAMED: StoredProfile = { ...MAIN, serviceName: 'Renamed' };

/** A configuration whose profiles can be made impossible to write. */
function breakable() {
  const world = fakeWorld();
  const config = join(world.homeDir, 'config');
  const [profiles, keyFile] = [join(config, 'profiles'), join(config, 'secrets', 'main.api-key')];
  return {
    world,
    key: () => (existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : undefined),
    breakProfiles: () => {
      rmSync(profiles, { recursive: true, force: true });
      writeFileSync(profiles, 'in the way');
    },
    repairProfiles: () => {
      rmSync(profiles);
      mkdirSync(profiles, { mode: 0o700 });
    },
  };
}

describe('a profile that cannot be written', () => {
  test('keeps the API key that it had', async () => {
    const { world, key, breakProfiles } = breakable();
    await changeProfile(world, 'main', () => MAIN, new Secret('the-old-key'));
    const change = () => {
      breakProfiles();
      return RENAMED;
    };
    const error = await refusal(() => changeProfile(world, 'main', change, new Secret(PLANTED)));
    expect({ code: error.code, key: key() }).toEqual({ code: 'IN_THE_WAY', key: 'the-old-key' });
  });

  test('leaves no API key behind when it is new', async () => {
    const { world, key, breakProfiles, repairProfiles } = breakable();
    const change = () => {
      breakProfiles();
      return MAIN;
    };
    await refusal(() => changeProfile(world, 'main', change, new Secret(PLANTED)));
    expect(key()).toBeUndefined();
    repairProfiles();
    await changeProfile(world, 'main', () => MAIN, new Secret('a-new-key'));
    expect({ key: key(), profile: readProfile(world, 'main') }).toEqual({ key: 'a-new-key', profile: MAIN });
  });
});

describe('the configuration lock', () => {
  /** Takes the lock, and returns a world in which `turn` runs between two attempts to get it. */
  async function locked(turn: (release: () => void, interrupt: () => void) => void) {
    const controller = new AbortController();
    const world = fakeWorld({ interrupted: controller.signal });
    const lock = await acquireLock(join(world.homeDir, 'config', 'lock.db'), 0);
    onTestFinished(() => lock?.release());
    const release = () => lock?.release();
    return { ...world, turn: async () => turn(release, () => controller.abort()) };
  }

  test('is waited for', async () => {
    const world = await locked((release) => release());
    expect(await changeProfile(world, 'main', () => MAIN)).toEqual(MAIN);
  });

  test('is no longer waited for after an interrupt', async () => {
    const world = await locked((_release, interrupt) => interrupt());
    await expect(changeProfile(world, 'main', () => MAIN)).rejects.toMatchObject({ category: 'interrupted' });
    expect(readProfile(world, 'main')).toBeUndefined();
  });
});
