import { describe, expect, test } from 'vitest';
import type { Probe, ProgramEnd } from '../../../src/base/world.ts';
import { main } from '../../../src/main.ts';
import { scripted, success } from '../../support/exchange.ts';
import { type Answer, fakeWorld } from '../../support/world.ts';
import { LIVE, newMachine, URL_ } from './support.ts';

const COMMAND = { kind: 'command', command: 'fetch-key --all', isShell: false } as const;
const exported = (store: object = COMMAND) =>
  JSON.stringify({ version: 1, profiles: [{ name: 'x', mode: 'live', baseUrl: URL_, store }] });
const IMPORT = ['profiles', 'import', '-'];
const UNTRUSTED = 'the key command of profile x was imported or edited and is not trusted';

/** A machine that imported a profile with a key command, and a list of the programs that it runs. */
async function importedMachine(stdin = exported(), ...flags: string[]) {
  const machine = newMachine();
  const programs: (readonly string[])[] = [];
  const runProgram = async (words: readonly string[]): Promise<ProgramEnd> => {
    programs.push(words);
    return { kind: 'ended', code: 0, stdout: `${LIVE}\n` };
  };
  const imported = await machine.run([...IMPORT, ...flags], { stdin, runProgram });
  const run = (argv: readonly string[], options = {}) => machine.run(argv, { runProgram, ...options });
  return { ...machine, run, imported, programs };
}

/** Finds every host, with a certificate that is trusted. */
const PROBE: Probe = {
  lookUp: async () => ['192.0.2.1'],
  certificate: async () => ({ distrust: undefined, validToMs: undefined, issuer: 'a CA' }),
};

describe('an imported key command', () => {
  test('is shown by the import, even with --quiet', async () => {
    const { imported } = await importedMachine(exported(), '-q');
    expect(imported.stderr).toBe(
      'profile x gets its key from a command that does not run until you trust it with "fiatrail profiles trust x": fetch-key --all\n',
    );
  });

  test.each([
    ['balances account --profile x', 2],
    ['keys rotate --profile x --yes', 2],
    ['profiles add x --check', 2],
    ['profiles show x', 0],
    ['profiles list --profile x', 0],
    ['explain --profile x', 2],
    ['doctor --profile x', 2],
    ['profiles add x --default-output json', 0],
    ['profiles add x --store command --check', 2],
  ])('does not run for %s, which exits with %i', async (line, expected) => {
    const { run, programs } = await importedMachine();
    const { code, stdout, stderr } = await run([...line.split(' '), '-o', 'json'], { probe: PROBE });
    expect({ code, programs }).toEqual({ code: expected, programs: [] });
    if (!line.includes('--default-output')) expect(stdout + stderr).toContain(UNTRUSTED);
  });

  test('stops a command with one sentence that says what to type', async () => {
    const { run } = await importedMachine();
    expect((await run(['balances', 'account', '--profile', 'x', '-q'])).stderr).toBe(
      `error: ${UNTRUSTED}\n  hint: review it and trust it with: fiatrail profiles trust x\n` +
        '  run: 2026-01-05T09:00:00.000Z · fiatrail balances account · profile x · host host-1 · https://host.test/v1\n',
    );
  });

  test('is not trusted because of a mark of trust in the file', async () => {
    const store = { ...COMMAND, trusted: 'program: fetch-key --all' };
    const { run, programs, imported } = await importedMachine(exported(store));
    expect(imported.code).toBe(0);
    const { code, stderr } = await run(['balances', 'account', '--profile', 'x']);
    expect({ code, stderr, programs }).toEqual({ code: 2, stderr: expect.stringContaining(UNTRUSTED), programs: [] });
  });

  test('is a problem that doctor reports for the store and the key', async () => {
    const { run } = await importedMachine();
    const { stdout } = await run(['doctor', '--profile', 'x', '-o', 'json'], { probe: PROBE });
    const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; detail: string }[] };
    const found = checks.filter(({ check }) => check === 'key store' || check === 'key');
    expect(found.map(({ state, detail }) => `${state}: ${detail}`)).toEqual(Array(2).fill(`problem: ${UNTRUSTED}`));
  });

  test('runs after the import with --trust-commands', async () => {
    const { run, programs, imported } = await importedMachine(exported(), '--trust-commands', '-q');
    expect(imported.stderr).toContain('a command that will run on this machine: fetch-key --all');
    const { exchange } = scripted(success({ totalBalance: '5' }));
    expect((await run(['balances', 'account', '--profile', 'x'], { network: exchange })).code).toBe(0);
    expect(programs).toEqual([['fetch-key', '--all']]);
  });

  test('leaves no mark of trust in an export', async () => {
    const { json } = await importedMachine(exported(), '--trust-commands');
    expect((await json(['profiles', 'export'])).profiles[0].store).toEqual(COMMAND);
  });
});

describe('profiles trust', () => {
  const TRUST = ['profiles', 'trust', 'x'];
  const asked = (says: boolean): Answer[] => [{ kind: 'confirm', asks: 'Trust the key command of profile x', says }];

  test('shows the whole command and lets it run once the answer is yes', async () => {
    const { run, programs } = await importedMachine();
    const { code, stderr } = await run([...TRUST, '-q'], { isTerminal: true, answers: asked(true) });
    expect({ code, programs }).toEqual({ code: 0, programs: [] });
    for (const part of ['x (LIVE)', URL_, 'program', 'fetch-key --all']) expect(stderr).toContain(part);
    await run(['profiles', 'show', 'x']);
    expect(programs).toEqual([['fetch-key', '--all']]);
  });

  test('changes nothing when the answer is no', async () => {
    const { run, profile, programs } = await importedMachine();
    const { code } = await run(TRUST, { isTerminal: true, answers: asked(false) });
    await run(['profiles', 'show', 'x']);
    expect({ code, store: profile('x').store, programs }).toEqual({ code: 9, store: COMMAND, programs: [] });
  });

  test('exits with 2 without a terminal or --yes', async () => {
    const { run, profile } = await importedMachine();
    expect({ code: (await run(TRUST)).code, store: profile('x').store }).toEqual({ code: 2, store: COMMAND });
    expect((await run([...TRUST, '--yes'])).code).toBe(0);
    expect(profile('x').store).toEqual({ ...COMMAND, trusted: 'program: fetch-key --all' });
  });

  test('shows characters that a terminal would hide', async () => {
    const store = { kind: 'command', command: 'rm x;\r\u202eharmless', isShell: true };
    const { run, imported } = await importedMachine(exported(store));
    const { stderr } = await run(TRUST, { isTerminal: true, answers: asked(false) });
    for (const text of [imported.stderr, stderr]) expect(text).toContain('rm x;\\u{d}\\u{202e}harmless');
  });

  test('does not trust a command that replaced the one it showed', async () => {
    const { folder, config, profile, write, at } = await importedMachine();
    const other = { ...profile('x'), store: { ...COMMAND, command: 'other' } };
    const confirm = async () => {
      write(at('profiles', 'x.json'), JSON.stringify(other));
      return true;
    };
    const world = fakeWorld({ isTerminal: true, cwd: folder, env: { FIATRAIL_CONFIG_DIR: config } });
    const prompter = async () => ({ ...(await world.prompter()), confirm });
    expect(await main(TRUST, { ...world, prompter })).toBe(2);
    expect(profile('x')).toEqual(other);
  });

  test('is needed again after the file was edited', async () => {
    const { run, profile, write, at, programs } = await importedMachine(exported(), '--trust-commands');
    write(at('profiles', 'x.json'), JSON.stringify(profile('x')).replaceAll('"fetch-key --all"', '"fetch-key --more"'));
    const { code, stderr } = await run(['balances', 'account', '--profile', 'x']);
    expect({ code, stderr, programs }).toEqual({ code: 2, stderr: expect.stringContaining(UNTRUSTED), programs: [] });
  });

  test('exits with 2 for a profile without a key command', async () => {
    const { add, run } = newMachine();
    await add('main', LIVE);
    const { code, stderr } = await run(['profiles', 'trust', 'main']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('profile main has no key command') });
  });
});
