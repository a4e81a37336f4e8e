import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { success } from '../../support/exchange.ts';
import type { Answer, WorldOptions } from '../../support/world.ts';
import { BOX, LIVE, newMachine } from './support.ts';

const READ = ['balances', 'account'];
const TRUST = ['profiles', 'trust', '--here'];

/** A machine with the profiles main (live) and box (sandbox), and a folder in which a file chooses one of them. */
async function pinnedMachine(profile: string) {
  const machine = newMachine();
  await machine.add('main', LIVE);
  await machine.add('box', BOX);
  const here = join(machine.folder, 'here');
  mkdirSync(here);
  const pin = join(here, '.fiatrail.json');
  writeFileSync(pin, JSON.stringify({ profile }), { mode: 0o644 });
  const network = async () => success({ totalBalance: '5.000000' });
  const run = (argv: readonly string[], options: WorldOptions = {}) =>
    machine.run(argv, { cwd: here, network, ...options });
  return { ...machine, run, here, pin };
}

const untrusted = (pin: string, reason: string) => `error: ${pin} chooses a profile but is not trusted: ${reason}\n`;
const NOT_AGREED = 'profile main is LIVE, and you have not agreed to that on this machine';

describe('a file that someone else could have written', () => {
  test.each([
    ['the file', (pin: string) => pin],
    ['its folder', (_pin: string, here: string) => here],
  ])('stops a command if others can write to %s, and no other profile is used', async (_what, place) => {
    const { run, here, pin } = await pinnedMachine('box');
    await run(['profiles', 'use', 'box']);
    chmodSync(place(pin, here), 0o777);
    const { code, stdout, stderr } = await run(READ);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(untrusted(pin, `other users can write to ${place(pin, here)}`)),
    });
  });

  test('stops a command if the file belongs to another user, for root too', async () => {
    const { run, pin } = await pinnedMachine('box');
    const ownId = process.getuid?.() ?? 0;
    // Only root can give a file away; for anyone else, the program runs as another user.
    if (ownId === 0) chownSync(pin, 12_345, -1);
    const { code, stderr } = await run(READ, { userId: ownId === 0 ? 0 : ownId + 1 });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${pin} belongs to another user`) });
  });

  test.each<[what: string, argv: string[], env: Record<string, string>]>([
    ['a flag', ['--profile', 'box'], {}],
    ['FIATRAIL_PROFILE', [], { FIATRAIL_PROFILE: 'box' }],
    ['a URL and a key in the environment', [], { FIATRAIL_BASE_URL: 'https://box.test/v1', FIATRAIL_API_KEY: BOX }],
  ])('does not matter when %s chooses the account', async (_what, argv, env) => {
    const { run, pin } = await pinnedMachine('main');
    chmodSync(pin, 0o666);
    expect((await run([...READ, ...argv], { env })).code).toBe(0);
  });

  test('cannot be trusted with profiles trust --here', async () => {
    const { run, here } = await pinnedMachine('main');
    chmodSync(here, 0o777);
    expect((await run([...TRUST, '--yes'])).code).toBe(2);
    chmodSync(here, 0o755);
    expect((await run(READ)).code).toBe(2);
  });
});

describe('a file that chooses a LIVE profile', () => {
  test('stops a command until the user agrees', async () => {
    const { run, pin, at } = await pinnedMachine('main');
    const { code, stderr } = await run(READ);
    expect({ code, stderr: stderr.replace(/^ {2}run: .*\n/m, '') }).toEqual({
      code: 2,
      stderr: `${untrusted(pin, NOT_AGREED)}  hint: agree with: fiatrail profiles trust --here; or choose a profile with --profile\n`,
    });
    expect((await run([...TRUST, '--yes'])).code).toBe(0);
    expect((await run(READ)).code).toBe(0);
    expect(JSON.parse(readFileSync(at('pins.json'), 'utf8'))).toEqual({ version: 1, pins: { [pin]: 'main' } });
  });

  test('needs no agreement for a sandbox', async () => {
    const { run } = await pinnedMachine('box');
    expect((await run(READ)).code).toBe(0);
  });

  test('needs no other agreement after profiles use --here', async () => {
    const { run } = await pinnedMachine('box');
    await run(['profiles', 'use', 'main', '--here']);
    expect((await run(READ)).code).toBe(0);
  });

  test('is shown and asked about, and not trusted when the answer is no', async () => {
    const { run, pin } = await pinnedMachine('main');
    const answers: Answer[] = [{ kind: 'confirm', asks: 'Let a file choose the LIVE profile main', says: false }];
    const { code, stderr } = await run(TRUST, { isTerminal: true, answers });
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining(pin) });
    expect([(await run(TRUST)).code, (await run(READ)).code]).toEqual([2, 2]);
  });

  test.each<[what: string, change: (pin: string, here: string) => void, cwd?: string]>([
    ['the file names another profile', (pin) => writeFileSync(pin, '{"profile":"other"}')],
    ['the folder was moved', (_pin, here) => renameSync(here, `${here}2`), '2'],
  ])('needs another agreement when %s', async (_what, change, suffix = '') => {
    const { add, run, pin, here } = await pinnedMachine('main');
    await add('other', LIVE);
    await run([...TRUST, '--yes']);
    change(pin, here);
    const { code, stderr } = await run(READ, { cwd: here + suffix });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('you have not agreed to that') });
  });

  test('needs another agreement when the profile was removed and added again', async () => {
    const { add, run } = await pinnedMachine('main');
    await run([...TRUST, '--yes']);
    await run(['profiles', 'remove', 'main', '--yes']);
    await add('main', LIVE);
    expect((await run(READ)).stderr).toContain(NOT_AGREED);
  });

  test('names it on standard error with --quiet too, unlike a flag or a sandbox', async () => {
    const { run, pin } = await pinnedMachine('main');
    await run([...TRUST, '--yes']);
    const quiet = async (...argv: string[]) => (await run([...READ, '-q', ...argv])).stderr;
    expect({ pinned: await quiet(), flag: await quiet('--profile', 'main') }).toEqual({
      pinned: 'profile main · LIVE\n',
      flag: '',
    });
    writeFileSync(pin, '{"profile":"box"}');
    expect(await quiet()).toBe('');
  });
});

describe('explain and doctor say why a file', () => {
  const sourceIn = (stdout: string) =>
    (JSON.parse(stdout) as { decisions: { decidedBy: string }[] }).decisions[0]?.decidedBy;
  const profileIn = (stdout: string) =>
    (JSON.parse(stdout) as { checks: { check: string; detail: string }[] }).checks.find(
      ({ check }) => check === 'profile',
    )?.detail;
  const probe = {
    lookUp: async () => ['192.0.2.1'],
    certificate: async () => ({ distrust: undefined, validToMs: undefined, issuer: 'a CA' }),
  };

  test.each([
    ['box', 'trusted because only you can change it'],
    ['main', 'trusted on this machine for LIVE'],
  ])('is trusted when it chooses %s', async (name, why) => {
    const { run, pin } = await pinnedMachine(name);
    await run([...TRUST, '--yes']);
    expect(sourceIn((await run(['explain', '-o', 'json'])).stdout)).toBe(`folder: ${pin}, ${why}`);
    const { stdout } = await run(['doctor', '-o', 'json'], { probe });
    expect(profileIn(stdout)).toContain(`from folder: ${pin}, ${why}`);
  });

  test('is not trusted', async () => {
    const { run, pin } = await pinnedMachine('main');
    const message = `${pin} chooses a profile but is not trusted: ${NOT_AGREED}`;
    const explained = await run(['explain', '-o', 'json']);
    expect({ code: explained.code, problem: JSON.parse(explained.stdout).decisions[0].problem }).toEqual({
      code: 2,
      problem: message,
    });
    const { code, stdout } = await run(['doctor', '-o', 'json'], { probe });
    expect({ code, detail: profileIn(stdout) }).toEqual({ code: 2, detail: message });
  });
});

test.each([
  ['without a file', TRUST, /no \.fiatrail\.json was found/],
  ['with a name too', [...TRUST, 'main'], /either a profile name or --here/],
  ['without anything', ['profiles', 'trust'], /either a profile name or --here/],
])('profiles trust %s exits with 2', async (_what, argv, message) => {
  const { add, run } = newMachine();
  await add('main', LIVE);
  const { code, stderr } = await run(argv);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
});
