import { describe, expect, onTestFinished, test } from 'vitest';
import { resolveProfile } from '../../src/account/profile.ts';
import { CliError } from '../../src/base/errors.ts';
import { zoneNamed } from '../../src/base/zone.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { startPayout } from '../../src/contract/endpoints/payouts.ts';
import { updateOnrampAsset } from '../../src/contract/endpoints/user-settings.ts';
import { onboard } from '../../src/contract/endpoints/users.ts';
import type { Account } from '../../src/engine/account.ts';
import { recordSetting } from '../../src/engine/sending/setting.ts';
import { main } from '../../src/main.ts';
import { requireForAgent } from '../../src/terminal/agent-gate.ts';
import type { Command } from '../../src/terminal/command.ts';
import { effectOf } from '../../src/terminal/help/effects.ts';
import { FOR_AGENTS } from '../../src/terminal/help/for-agents.ts';
import type { Globals } from '../../src/terminal/parse/globals.ts';
import { change, openTerminal } from '../../src/terminal/terminal.ts';
import { agreeOn, exchangeKeys, joinTeam, openTeamAfter, PAYOUT, type Team, twoPeople } from '../plans/support.ts';
import { temporaryFolder } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';

const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
const nameOf = ({ words }: Command) => words.join(' ');

/** Runs a command line in a sandbox of its own. */
async function typed(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const world = fakeWorld({ env });
  const code = await main(argv, world);
  return { code, stdout: world.stdout.text(), stderr: world.stderr.text() };
}

const AGENT = { AI_AGENT: 'claude-code_2.1.0_cli' };

describe('the name of an agent', () => {
  test.each(['a', 'claude-code', 'Agent 7 (prod)', 'x'.repeat(40)])('may be %s', async (name) => {
    const ran = await typed(['banks', '--agent', name]);
    expect({ ...ran, banks: JSON.parse(ran.stdout).banks.length > 0 }).toMatchObject({
      code: 0,
      stderr: '',
      banks: true,
    });
  });

  test.each(['', ' ', 'a ', ' a', 'x'.repeat(41), 'a\nb', 'a\u001b[2J', 'ada\u202e', 'é', 'a\u0000'])(
    'may not be %j, wherever it is given',
    async (name) => {
      for (const [argv, env] of [
        [['balances', 'account', '--agent', name], {}],
        [['balances', 'account', `--agent=${name}`], {}],
        [['balances', 'account'], { AI_AGENT: name }],
        [['--help'], { AI_AGENT: name }],
      ] as const) {
        // An empty variable is one that is not set.
        if (name === '' && 'AI_AGENT' in env) continue;
        const { code, stdout, stderr } = await typed(argv, env);
        expect({ argv, code, stdout, error: JSON.parse(stderr).error.code }).toEqual({
          argv,
          code: 2,
          stdout: '',
          error: 'INVALID_AGENT',
        });
      }
    },
  );

  test('is none if AI_AGENT is empty, and other variables of agents are none', async () => {
    for (const env of [{ AI_AGENT: '' }, { CLAUDECODE: '1', AGENT: 'goose' }] as Record<string, string>[])
      expect((await typed(['banks'], env)).stdout).toContain('Bank');
  });
});

describe('what an agent gets', () => {
  test('is JSON, unless something else is asked for', async () => {
    expect(JSON.parse((await typed(['banks'], AGENT)).stdout).banks.length).toBeGreaterThan(1);
    expect((await typed(['banks', '-o', 'csv'], AGENT)).stdout).toMatch(/^[a-zA-Z]+,/);
    expect((await typed(['banks'], { ...AGENT, FIATRAIL_OUTPUT: 'table' })).stdout).toContain('Bank');
    expect(JSON.parse((await typed(['bnaks'], AGENT)).stderr).error).toMatchObject({ category: 'usage' });
    expect(JSON.parse((await typed(['bnaks', '--agent', 'x'])).stderr).error).toMatchObject({ category: 'usage' });
  });

  test('has no notices, but warnings', async () => {
    expect((await typed(['banks'])).stderr).toContain('profile sandbox');
    expect((await typed(['banks'], AGENT)).stderr).toBe('');
  });

  test('is never a question, not even at a terminal', async () => {
    const world = fakeWorld({ env: AGENT, isTerminal: true, answers: [] });
    for (const [argv, missing] of [
      [['plans', 'apply'], 'plan'],
      [['users', 'show'], 'user'],
      [['payout', 'create', '--plan'], '--amount'],
    ] as const) {
      const before = world.stderr.text().length;
      expect(await main(argv, world)).toBe(2);
      expect(JSON.parse(world.stderr.text().slice(before)).error.message).toContain(missing);
    }
  });

  test('ends help with ten lines about agents', async () => {
    expect(FOR_AGENTS.trim().split('\n').slice(1)).toHaveLength(10);
    for (const argv of [
      [],
      ['--help'],
      ['payout', 'create', '--help'],
      ['help', 'units'],
      ['fx', 'orders', '--help'],
    ]) {
      expect({ argv, ends: (await typed(argv, AGENT)).stdout.endsWith(FOR_AGENTS) }).toEqual({ argv, ends: true });
      expect({ argv, ends: (await typed(argv)).stdout.endsWith(FOR_AGENTS) }).toEqual({ argv, ends: false });
    }
    expect(JSON.parse((await typed(['help', 'commands', '-o', 'json'], AGENT)).stdout).commands).toBeDefined();
  });
});

/** Whether an agent may run a command line with these texts. */
const isOpen = (command: Command, texts: object = {}, dryRun = false): Promise<boolean> =>
  requireForAgent('agent', command, texts as never, { dryRun }).then(
    () => true,
    (error: unknown) => {
      expect(error).toBeInstanceOf(CliError);
      expect((error as CliError).category).toBe('declined');
      return false;
    },
  );

describe('what an agent may run', () => {
  test('is every command that only reads, the controls of a sandbox and plans apply', async () => {
    const open: string[] = [];
    for (const each of commands) if (await isOpen(each)) open.push(nameOf(each));
    const wanted: string[] = [];
    for (const each of commands) if ((await effectOf(each)) === 'read') wanted.push(nameOf(each));
    const changing = open.filter((name) => !wanted.includes(name));
    expect(changing.filter((name) => !name.startsWith('sandbox '))).toEqual(['plans apply']);
    expect(changing.filter((name) => name.startsWith('sandbox '))).toContain('sandbox pay');
    // It prints a token of the order book.
    expect(wanted.filter((name) => !open.includes(name))).toEqual(['fx book-token']);
  });

  test('is what moves money, if it is only planned', async () => {
    const planned: string[] = [];
    for (const each of commands)
      if (!(await isOpen(each)) && (await isOpen(each, { plan: true }))) planned.push(nameOf(each));
    expect(planned.toSorted()).toEqual([
      'api',
      'bridge create',
      'bulk create',
      'fees withdraw',
      'fx orders create',
      'fx orders pause',
      'fx orders resume',
      'fx orders update',
      'fx trade',
      'offramp create',
      'onramp create',
      'payout create',
      'swaps create',
      'transfers create',
      'withdrawals create',
    ]);
  });

  test('is anything that ends where it would be sent, but nothing that prints a secret', async () => {
    for (const each of commands.filter((command) => nameOf(command) !== 'fx book-token'))
      expect({ name: nameOf(each), isOpen: await isOpen(each, {}, true) }).toEqual({
        name: nameOf(each),
        isOpen: true,
      });
    const named = (name: string) => commands.find((each) => nameOf(each) === name) as Command;
    expect(await isOpen(named('keys aes show'), { printKey: true })).toBe(false);
    expect(await isOpen(named('keys rotate'), { printKey: true }, true)).toBe(false);
    expect(await isOpen(named('ops journal export'), { withDigestKey: true })).toBe(false);
  });

  test('is no option that lets a command that reads change something', async () => {
    const changing = commands.flatMap((command) =>
      Object.entries(command.parameters).flatMap(([key, { changes }]) => (changes ? [[command, key] as const] : [])),
    );
    expect(changing.map(([command, key]) => `${nameOf(command)} ${key}`).toSorted()).toEqual([
      'doctor clean',
      'ops journal verify accept',
      'receipt replace',
      'report statement replace',
      'sync to',
      'webhooks inbox gaps accept',
    ]);
    for (const [command, key] of changing)
      for (const isDryRun of [false, true])
        expect([nameOf(command), await isOpen(command, { [key]: true }, isDryRun)]).toEqual([nameOf(command), false]);
  });
});

const asAgent = { env: { AI_AGENT: 'claude-code' } };

test('nothing of a live account is changed for an agent that types a command', async () => {
  const { team } = await openTeamAfter(twoPeople);
  const before = await team.run('ada', ['ops', 'journal', 'head', '-o', 'json']);
  for (const [argv, code] of [
    [[...PAYOUT, '--yes'], 'APPROVAL_REQUIRED'],
    [[...PAYOUT, '--yes', '--once', 'x', '--wait'], 'APPROVAL_REQUIRED'],
    [['users', 'activate', 'u1', '--yes'], 'NOT_FOR_AGENTS'],
    [['bank-accounts', 'add', '--bank-code', '000013', '--account-number', '0123456789', '--yes'], 'NOT_FOR_AGENTS'],
    [['profiles', 'rules', 'set', 'main', '--agent-allowance', 'NGN 20000 a day', '--yes'], 'NOT_FOR_AGENTS'],
    [['profiles', 'approvers', 'add', 'ada', '--generate', '--plan'], 'NOT_FOR_AGENTS'],
    [['plans', 'approve', '0198c1f2', '--yes'], 'NOT_FOR_AGENTS'],
    [['ops', 'resolve', '0198c1f2', '--not-done', '--reason', 'x', '--yes'], 'NOT_FOR_AGENTS'],
    [['keys', 'rotate', '--yes'], 'NOT_FOR_AGENTS'],
    [['webhooks', 'listen'], 'NOT_FOR_AGENTS'],
    [['api', 'POST', '/initiateofframp', '-f', 'amount=5', '--yes'], 'APPROVAL_REQUIRED'],
  ] as const) {
    const ran = await team.run('ada', argv, asAgent);
    expect({ argv, code: ran.code, error: JSON.parse(ran.stderr).error.code }).toEqual({ argv, code: 9, error: code });
  }
  expect(team.service.sent).toEqual([]);
  expect((await team.run('ada', ['ops', 'journal', 'head', '-o', 'json'])).stdout).toBe(before.stdout);
});

/** Ada and Bayo are approvers of a live account. */
const approving = async (team: Team) => {
  await joinTeam(team, 'ada', 'bayo');
  await exchangeKeys(team, 'ada', 'bayo');
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 49999']);
};

test('an agent plans, a person approves, and the agent applies: its name is in the plan, the journal and the request', async () => {
  const { team } = await openTeamAfter(approving);
  const pay = ['payout', 'create', '--amount', '1000', '--to', 'bank-1'];
  const planned = await team.run('ada', [...pay, '--plan'], asAgent);
  expect(planned.code, planned.stderr).toBe(0);
  const { plan } = JSON.parse(planned.stdout);
  const listed = JSON.parse((await team.run('bayo', ['plans', 'list', '-o', 'json'])).stdout);
  expect(listed.plans).toMatchObject([{ plan, author: expect.stringContaining('by agent claude-code') }]);
  const early = await team.run('ada', ['plans', 'apply', plan, '--yes'], asAgent);
  expect(early.code).toBe(9);
  expect(JSON.parse(early.stderr).error.code).toBe('APPROVAL_REQUIRED');
  const approved = await team.run('bayo', ['plans', 'approve', plan], { agrees: true, isTerminal: true });
  expect(approved.code, approved.stderr).toBe(0);
  expect((await team.run('ada', ['plans', 'apply', plan], asAgent)).code).toBe(2);
  const applied = await team.run('ada', ['plans', 'apply', plan, '--yes'], { env: { AI_AGENT: 'goose@1.2.3' } });
  expect(applied.code, applied.stderr).toBe(0);
  expect(team.service.sent).toHaveLength(1);
  expect(team.service.sent[0]?.headers).toMatchObject({ 'user-agent': 'fiatrail agent/goose%401.2.3' });
  const ofAgent = async (name: string) => {
    const { stdout } = await team.run('ada', ['ops', 'list', '--agent', name, '-o', 'json']);
    return JSON.parse(stdout).operations.map(({ authority }: { authority: object }) => authority);
  };
  const [authority] = await ofAgent('goose@1.2.3');
  expect(authority).toMatchObject({ agent: 'goose@1.2.3', author: { user: 'ada', agent: 'claude-code' } });
  expect(await ofAgent('claude-code')).toHaveLength(1);
  for (const other of ['claude', 'goose', 'GOOSE@1.2.3', '%', 'ada', '"']) expect(await ofAgent(other)).toEqual([]);
  // A person who asks for the operations of an agent is none.
  expect((await team.run('ada', ['ops', 'list', '--agent', 'goose@1.2.3'])).stdout).toContain('Operation');
});

test('a person who applies what an agent planned is not the agent', async () => {
  const { team } = await openTeamAfter(approving);
  const pay = ['payout', 'create', '--amount', '1000', '--to', 'bank-1'];
  const { plan } = JSON.parse((await team.run('ada', [...pay, '--plan'], asAgent)).stdout);
  // Below the threshold, Ada needs nobody.
  expect((await team.run('ada', ['plans', 'apply', plan, '--yes'])).code).toBe(0);
  const [operation] = JSON.parse(
    (await team.run('ada', ['ops', 'list', '--agent', 'claude-code', '-o', 'json'])).stdout,
  ).operations;
  expect(operation.authority).not.toHaveProperty('agent');
  expect(team.service.sent[0]?.headers).not.toHaveProperty('user-agent');
});

describe('below the command line', () => {
  /** The account of a command that an agent runs, with what was sent. */
  async function opened() {
    const env = { FIATRAIL_STATE_DIR: `${temporaryFolder(onTestFinished)}/state` };
    const world = fakeWorld({ env });
    const profile = resolveProfile(undefined, world);
    const zone = zoneNamed('UTC');
    const present = { format: 'json', zone, clock: world.clock } as unknown as Globals['present'];
    const globals = { present, agent: 'agent', quiet: true, yes: true, noInput: true, timeoutMs: 1_000 } as Globals;
    const { account, terminal, close } = openTerminal({
      world,
      profile,
      globals,
      command: { line: 'fiatrail status', inputName: (field) => field },
      runs: { line: async () => ({}), program: async () => 0, planned: async () => ({}) },
    });
    onTestFinished(close);
    return { account, terminal };
  }

  const blocked = (code: string) => expect.objectContaining({ category: 'declined', code });
  const NONE = { summary: 'x', lines: [] };

  test('no request that changes something leaves', async () => {
    const { account, terminal } = await opened();
    await expect(account.call(onboard, { bvn: '12345678901' } as never)).rejects.toEqual(blocked('NOT_FOR_AGENTS'));
    const asset = { userId: 'u', preferredAsset: 'USDC' };
    await expect(change(account, terminal, updateOnrampAsset, asset as never, NONE)).rejects.toEqual(
      blocked('NOT_FOR_AGENTS'),
    );
    await expect(
      change(account, terminal, startPayout, { amount: 1_000_000, bankAccountId: 'b' } as never, NONE),
    ).rejects.toEqual(blocked('APPROVAL_REQUIRED'));
    expect(await (await account.journal()).count()).toBe(0);
  });

  test('no setting is recorded', async () => {
    const { account } = await opened();
    let isChanged = false;
    const make = async () => {
      isChanged = true;
    };
    await expect(recordSetting(account as Account, {} as never, make)).rejects.toEqual(blocked('NOT_FOR_AGENTS'));
    expect(isChanged).toBe(false);
  });
});
