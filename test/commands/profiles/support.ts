import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { main } from '../../../src/main.ts';
import { temporaryFolder } from '../../support/built.ts';
import { ACCOUNT, type FakeWorld, fakeWorld, type WorldOptions } from '../../support/world.ts';

/** A part of every key, which must never be printed. */
export const PLANTED = 'planted_5ec7e7';
export const LIVE = `live-${PLANTED}`;
export const BOX = `sandbox_${PLANTED}`;
export const URL_ = 'https://host.test/v1';
/** Adds the live profile `main`, with its key from standard input. */
export const ADD_MAIN = ['profiles', 'add', 'main', '--base-url', URL_, '--key-stdin'];

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly world: FakeWorld;
}

/** A machine's configuration, and a way to run command lines on it. None of them may print a key. */
export function newMachine() {
  const folder = temporaryFolder(onTestFinished);
  const config = join(folder, 'config');
  const at = (...names: string[]) => join(config, ...names);
  const run = async (argv: readonly string[], options: WorldOptions = {}): Promise<Ran> => {
    const folders = { FIATRAIL_CONFIG_DIR: config, FIATRAIL_STATE_DIR: join(folder, 'state') };
    // The journal that a fake world makes, which a live account need not confirm.
    const env = { ...folders, FIATRAIL_JOURNAL_ID: ACCOUNT.FIATRAIL_JOURNAL_ID, ...options.env };
    const world = fakeWorld({ cwd: folder, ...options, env });
    const code = await main(argv, world);
    const [stdout, stderr] = [world.stdout.text(), world.stderr.text()];
    expect(stdout + stderr).not.toContain(PLANTED);
    return { code, stdout, stderr, world };
  };
  return {
    folder,
    config,
    run,
    at,
    /** Runs a command that must succeed, and returns the JSON it prints. */
    json: async (argv: readonly string[], options: WorldOptions = {}) => {
      const ran = await run([...argv, '-o', 'json'], options);
      expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: expect.any(String) });
      return JSON.parse(ran.stdout);
    },
    add: (name: string, key: string, ...more: string[]) =>
      run(['profiles', 'add', name, '--base-url', URL_, '--key-stdin', ...more], { stdin: key }),
    profile: (name: string) => JSON.parse(readFileSync(at('profiles', `${name}.json`), 'utf8')),
    /** The secrets in files, by file name. */
    secrets: () => {
      const names = existsSync(at('secrets')) ? readdirSync(at('secrets')).toSorted() : [];
      return Object.fromEntries(names.map((name) => [name, readFileSync(at('secrets', name), 'utf8').trim()]));
    },
    /** Every configuration file except the lock, with its content. */
    files: () => {
      const all = existsSync(config) ? readdirSync(config, { recursive: true, withFileTypes: true }) : [];
      const files = all.filter((each) => !each.isDirectory() && each.name !== 'lock.db');
      return files.map((each) => join(each.parentPath, each.name)).toSorted();
    },
    write: (path: string, text: string) => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, text, { mode: 0o600 });
    },
  };
}
