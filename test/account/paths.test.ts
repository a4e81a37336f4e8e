import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalPath, sandboxPath, stateDir } from '../../src/account/paths.ts';

type Env = Record<string, string | undefined>;

const OWN = { FIATRAIL_STATE_DIR: '/own' };
const XDG = { XDG_STATE_HOME: '/xdg' };
const LOCAL = { LOCALAPPDATA: '/local' };

/** Precedence: fiatrail's variable, then the system's, then a path in the home folder. */
const places: [platform: string, env: Env, folder: string][] = [
  ['linux', {}, '/home/ada/.local/state/fiatrail'],
  ['linux', XDG, '/xdg/fiatrail'],
  ['linux', { XDG_STATE_HOME: '' }, '/home/ada/.local/state/fiatrail'],
  ['linux', { XDG_STATE_HOME: 'here' }, '/home/ada/.local/state/fiatrail'],
  ['linux', LOCAL, '/home/ada/.local/state/fiatrail'],
  ['linux', { ...XDG, ...OWN }, '/own'],
  ['linux', { ...XDG, FIATRAIL_STATE_DIR: '' }, '/xdg/fiatrail'],
  ['linux', { FIATRAIL_STATE_DIR: 'here' }, resolve('here')],
  ['linux', { FIATRAIL_STATE_DIR: ':memory:' }, resolve(':memory:')],
  ['darwin', {}, '/home/ada/.local/state/fiatrail'],
  ['darwin', XDG, '/xdg/fiatrail'],
  ['darwin', OWN, '/own'],
  ['win32', {}, '/home/ada/AppData/Local/fiatrail'],
  ['win32', LOCAL, '/local/fiatrail'],
  ['win32', { LOCALAPPDATA: '' }, '/home/ada/AppData/Local/fiatrail'],
  ['win32', XDG, '/home/ada/AppData/Local/fiatrail'],
  ['win32', { ...LOCAL, ...OWN }, '/own'],
];

describe('the state folder', () => {
  test.each(places)('on %s with %o', (platform, env, folder) => {
    expect(stateDir({ platform, env, homeDir: '/home/ada' })).toBe(folder);
  });

  test('contains the sandbox and the journal', () => {
    const place = { platform: 'linux', env: OWN, homeDir: '/home/ada' };
    expect({ sandboxPath: sandboxPath(place), journalPath: journalPath(place) }).toEqual({
      sandboxPath: '/own/sandbox.db',
      journalPath: '/own/journal.db',
    });
  });
});
