import { beforeEach, describe, expect, test } from 'vitest';
import type { HttpResponse, ProgramOptions, World } from '../../src/base/world.ts';
import { success } from '../support/exchange.ts';
import { exchangeKeys, joinTeam, LIVE_KEY, openTeam, PAYOUT, type Team, yes } from './support.ts';

const URL_TOLD = 'https://ops.test/plans';

interface Started {
  readonly words: readonly string[];
  readonly options: ProgramOptions;
}

let team: Team;
let started: Started[];
let end: Awaited<ReturnType<World['runProgram']>>;
const runProgram: World['runProgram'] = async (words, options) => {
  started.push({ words, options });
  return end;
};

beforeEach(async () => {
  team = openTeam();
  started = [];
  end = { kind: 'ended', code: 0, stdout: '' };
  await joinTeam(team, 'ada', 'bayo');
  await exchangeKeys(team, 'ada', 'bayo');
});

const set = (...flags: readonly string[]) => team.run('ada', ['profiles', 'plans', 'set', 'main', ...flags, '--yes']);
const write = () => team.run('ada', [...PAYOUT, '--plan', '-o', 'json'], { runProgram });
const idOf = ({ stdout }: { readonly stdout: string }): string => JSON.parse(stdout).plan;

describe('the notify command', () => {
  test('gets the facts of a plan that waits, as variables and as JSON, and no shell', async () => {
    await set('--notify-command', 'tell "the approvers" $(rm) ; echo');
    const written = await write();
    expect(written.code, written.stderr).toBe(0);
    const [only] = started;
    expect(started).toHaveLength(1);
    expect(only?.words).toEqual(['tell', 'the approvers', '$(rm)', ';', 'echo']);
    expect(only?.options.isShell).toBeUndefined();
    expect(only?.options.env).toMatchObject({
      FIATRAIL_PLAN_ID: idOf(written),
      FIATRAIL_PLAN_STATUS: 'waiting',
      FIATRAIL_PLAN_SUMMARY: expect.stringContaining('50,000.00 cNGN'),
      FIATRAIL_PLAN_AUTHOR: 'ada, ada on host-1',
      FIATRAIL_PLAN_BY: 'ada, ada on host-1',
      FIATRAIL_PLAN_REASON: '',
      FIATRAIL_PLAN_MODE: 'live',
    });
    expect(JSON.parse(only?.options.input ?? '')).toMatchObject({
      plan: idOf(written),
      status: 'waiting',
      reason: null,
    });
    expect(JSON.stringify(started)).not.toContain(LIVE_KEY);
  });

  test('is told of each decision, by the profile of who decides', async () => {
    await team.run('bayo', ['profiles', 'plans', 'set', 'main', '--notify-command', 'tell', '--yes']);
    const [one, other] = [idOf(await write()), idOf(await write())];
    await team.run('bayo', ['plans', 'approve', one], { answers: [yes('Approve the plan')], runProgram });
    await team.run('bayo', ['plans', 'reject', other, '--reason', 'twice; $(rm)'], { runProgram });
    expect(
      started.map(({ options: { env } }) => [env?.['FIATRAIL_PLAN_STATUS'], env?.['FIATRAIL_PLAN_REASON']]),
    ).toEqual([
      ['approved', ''],
      ['rejected', 'twice; $(rm)'],
    ]);
  });

  test.each<[string, typeof end]>([
    ['it ended with 3', { kind: 'ended', code: 3, stdout: '' }],
    ['it cannot be started', { kind: 'missing' }],
    ['it took longer than 10 seconds', { kind: 'late' }],
  ])('changes nothing if it fails: %s', async (why, ended) => {
    await set('--notify-command', 'tell');
    end = ended;
    const { code, stderr, stdout } = await write();
    expect(code).toBe(0);
    expect(stderr).toContain(`warning: the plan is waiting, but the notify command failed: ${why}`);
    const { plans } = JSON.parse((await team.run('ada', ['plans', 'list', '-o', 'json'])).stdout);
    expect(plans).toMatchObject([{ plan: idOf({ stdout }), status: 'waiting' }]);
  });
});

describe('the notify URL', () => {
  test.each<[string, HttpResponse | undefined, string | undefined]>([
    ['takes it', success({}), undefined],
    ['responds with 500', { ...success({}), status: 500 }, 'it responded with 500'],
    ['is not there', undefined, 'unexpected request'],
  ])('%s', async (_what, response, why) => {
    await set('--notify-url', URL_TOLD);
    const seen: unknown[] = [];
    team.service.meanwhile = async (path, request) => {
      if (path !== '/plans') return;
      seen.push([request.method, request.url, JSON.parse(request.body ?? ''), request.headers]);
    };
    if (response) team.service.instead['/plans'] = response;
    const written = await write();
    expect(written.code, written.stderr).toBe(0);
    expect(seen).toMatchObject([['POST', URL_TOLD, { plan: idOf(written), status: 'waiting' }, {}]]);
    expect(JSON.stringify(seen)).not.toContain(LIVE_KEY);
    const failed = /warning: the plan is waiting, but the notify URL failed: (.*)/.exec(written.stderr)?.[1];
    if (why === undefined) expect(failed).toBeUndefined();
    else expect(failed).toContain(why);
  });
});

describe('profiles plans set', () => {
  test('shows and removes what was set, and an export leaves it out', async () => {
    await set('--notify-command', 'tell', '--notify-url', URL_TOLD);
    const show = async () =>
      JSON.parse((await team.run('ada', ['profiles', 'plans', 'show', 'main', '-o', 'json'])).stdout);
    expect(await show()).toEqual({ profile: 'main', notifyCommand: 'tell', notifyUrl: URL_TOLD });
    expect((await team.run('ada', ['profiles', 'export', 'main'])).stdout).not.toContain('tell');
    await set('--notify-url', 'off');
    expect(await show()).toEqual({ profile: 'main', notifyCommand: 'tell', notifyUrl: null });
    await set('--notify-command', 'off');
    await write();
    expect(started).toEqual([]);
  });

  test.each([
    ['--notify-url', 'http://ops.test/plans', 'is not https'],
    ['--notify-url', 'https://user:pass@ops.test/', 'contains a user name or password'],
    ['--notify-url', 'https://ops.test/#x', 'contains a fragment'],
    ['--notify-url', 'ftp://127.0.0.1/', 'is not https'],
    ['--notify-url', 'nothing', 'is not a valid URL'],
    ['--notify-url', 'https://ops.test\\@evil.test/', 'is not a valid URL'],
    ['--notify-command', ' ', 'the command is empty'],
    ['--notify-command', 'tell\nrm', 'the command is empty or has more than one line'],
  ])('rejects %s %j', async (flag, value, why) => {
    const { code, stderr } = await set(flag, value);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) });
  });

  test('a loopback address may be http', async () => {
    expect((await set('--notify-url', 'http://127.0.0.1:8080/plans')).code).toBe(0);
  });
});
