import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changeProfile } from '../../src/account/changes.ts';
import { readProfile, type StoredProfile } from '../../src/account/stored-profile.ts';
import { Secret } from '../../src/base/secret.ts';
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
