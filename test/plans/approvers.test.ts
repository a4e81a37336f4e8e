import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { signingPairOf } from '../../src/crypto/signing.ts';
import {
  addKey,
  agreeOn,
  approvers,
  exchangeKeys,
  joinTeam,
  no,
  openTeam,
  PAYOUT,
  plan,
  type Team,
  yes,
} from './support.ts';

let team: Team;
beforeEach(async () => {
  team = openTeam();
  await joinTeam(team, 'ada');
});

const KEY = '7c5b060f3da68214db34253df3444c55b38196011f5a122bfc7c2a5030347beb';
const list = async () => JSON.parse((await team.run('ada', [...approvers('list'), '-o', 'json'])).stdout).approvers;
const secretPath = () => team.file('ada/config/secrets/main.approver-key');

describe('profiles approvers', () => {
  test('makes a key, whose private half is only in the secret store', async () => {
    const { code, stdout, stderr } = await team.run('ada', [...approvers('add', 'ada', '--generate'), '-o', 'json'], {
      answers: [yes('Let approver ada approve plans')],
    });
    const { publicKey } = JSON.parse(stdout);
    expect({ code, listed: await list() }).toMatchObject({
      code: 0,
      listed: [{ name: 'ada', publicKey, isYou: true, addedBy: 'anyone who was ada on host-1' }],
    });
    const seed = readFileSync(secretPath(), 'utf8').trim();
    expect((await signingPairOf(new Secret(seed))).publicKey).toBe(publicKey);
    const path = await plan(team, 'ada');
    const elsewhere = readdirSync(team.folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && each.name !== 'main.approver-key')
      .filter((each) => readFileSync(join(each.parentPath, each.name)).includes(seed));
    expect([stdout, stderr, readFileSync(path, 'utf8')].filter((text) => text.includes(seed))).toEqual([]);
    expect(elsewhere).toEqual([]);
  });

  test('keeps the key in the store that the profile moves to, and deletes it with the profile', async () => {
    await exchangeKeys(team, 'ada');
    expect((await team.run('ada', ['profiles', 'remove', 'main', '--yes'])).code).toBe(0);
    expect(existsSync(secretPath())).toBe(false);
  });

  describe.each([
    ['a letter that is no digit', (text: string) => `${text.slice(0, 9)}z${text.slice(10)}`],
    ['its end missing', (text: string) => text.slice(0, 40)],
    ['zeros in place of its end', (text: string) => text.slice(0, 40) + '\0'.repeat(24)],
    ['something after it', (text: string) => `${text}ff`],
    ['two lines', (text: string) => `${text}\n${text}`],
    ['other content', () => '\u0007 garbage \ufffd'],
  ])('says in a sentence that the key of this user is damaged: %s', (_what, damage) => {
    test.each([approvers('list'), ['ops', 'journal', 'head']])('%s %s', async (...words) => {
      await exchangeKeys(team, 'ada');
      const key = readFileSync(secretPath(), 'utf8').trim();
      writeFileSync(secretPath(), `${damage(key)}\n`);
      const { code, stderr } = await team.run('ada', [...words, '-o', 'json']);
      const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
      expect({ code, error }).toMatchObject({
        code: 2,
        error: { code: 'CONFIG_BROKEN', hint: expect.stringContaining('put a backup of it back') },
      });
      expect(error.message).toContain(`in ${secretPath()} is damaged: expected 64 hexadecimal digits, got `);
      expect(stderr).not.toContain(key.slice(0, 8));
      expect(readFileSync(secretPath(), 'utf8')).toBe(`${damage(key)}\n`);
    });
  });

  test('removes an approver, and the private key of this user', async () => {
    await joinTeam(team, 'bayo');
    await exchangeKeys(team, 'ada', 'bayo');
    await agreeOn(team, 'ada', 'bayo', ['remove', 'bayo']);
    expect({
      names: (await list()).map(({ name }: { name: string }) => name),
      isKept: existsSync(secretPath()),
    }).toEqual({
      names: ['ada'],
      isKept: true,
    });
    await team.run('ada', approvers('remove', 'ada'), { answers: [yes('Remove approver ada')] });
    expect({ left: await list(), isKept: existsSync(secretPath()) }).toEqual({ left: [], isKept: false });
  });

  test.each([
    [['add', 'bayo'], 'expected either --generate or --public-key'],
    [['add', 'bayo', '--generate', '--public-key', KEY], 'expected either --generate or --public-key'],
    [['add', 'bayo', '--public-key', `01${'00'.repeat(31)}`], 'invalid public key: it is of small order'],
    [['add', 'a b', '--generate'], 'invalid approver name "a b"'],
    [['add', 'bayo', '--public-key', 'abc'], 'invalid public key: expected 64 hexadecimal digits, got 3 characters'],
    [['add', 'BAYO', '--public-key', 'ab'.repeat(32)], 'there already is an approver named bayo'],
    [['add', 'chidi', '--public-key', KEY.toUpperCase()], 'approver bayo already has this public key'],
    [['add', 'ada2', '--generate'], 'you already are approver ada'],
    [['remove', 'nobody'], 'no approver is named nobody'],
    [['approval-threshold', '5000'], 'it has no asset'],
    [['approval-threshold', '5 BTC'], 'it has no asset'],
    [['approval-threshold', '0.001 NGN'], 'too many decimals'],
    [['approval-threshold', 'NGN 0.001'], 'too many decimals'],
    [['approval-threshold', 'NGN 5 USDC'], 'invalid USDC amount'],
    [['approval-threshold', 'BTC 5'], 'it has no asset'],
    [['approval-threshold', 'off', '5 NGN'], 'off cannot be combined with amounts'],
    [['approval-threshold', 'off', 'NGN off'], 'off cannot be combined with amounts'],
    [['approval-threshold', 'NGN 5', 'NGN off'], 'NGN has an amount and is off'],
  ])('rejects %j', async (argv, message) => {
    await exchangeKeys(team, 'ada');
    await addKey(team, 'ada', 'bayo', KEY);
    const { code, stderr } = await team.run('ada', approvers(...argv), { isTerminal: true });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(await list()).toHaveLength(2);
  });

  test.each([
    [['add', 'bayo', '--public-key', KEY], 'Let approver bayo'],
    [['add', 'ada', '--generate'], 'Let approver ada'],
    [['approval-threshold', '1 NGN'], 'Change when a second person must approve'],
  ])('%j asks in a terminal on a live profile, even with --yes', async (argv, question) => {
    const { code, stderr } = await team.run('ada', [...approvers(...argv), '--yes']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('a person at a terminal') });
    const declined = await team.run('ada', [...approvers(...argv), '--yes'], { answers: [no(question)] });
    expect({ code: declined.code, left: await list() }).toEqual({ code: 9, left: [] });
  });

  test('belongs to a profile, so an account from the environment has none', async () => {
    const env = { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'a-live-key-nobody-may-see' };
    const { code, stderr } = await team.run('ada', approvers('add', 'ada', '--generate'), { env, isTerminal: true });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('has no approvers') });
    expect((await team.run('ada', [...PAYOUT, '--plan', team.file('plan.json')], { env })).code).toBe(0);
  });

  test('are not exported, and an import that has one is rejected', async () => {
    await exchangeKeys(team, 'ada');
    await team.run('ada', approvers('approval-threshold', '5 NGN'), { answers: [yes('Change when')] });
    const { stdout } = await team.run('ada', ['profiles', 'export']);
    const [exported] = JSON.parse(stdout).profiles;
    expect([exported.approvers, exported.approvalThresholds]).toEqual([undefined, undefined]);
    const planted = { ...exported, name: 'other', approvers: [{ name: 'mallory', publicKey: KEY }] };
    const stdin = JSON.stringify({ ...JSON.parse(stdout), profiles: [planted] });
    expect(await team.run('ada', ['profiles', 'import', '-'], { stdin })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is invalid at profiles[0]'),
    });
    expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['ada']);
  });

  test('of an import are not there, and its amounts count until they are set again', async () => {
    const path = team.file('ada/config/profiles/main.json');
    const stored = JSON.parse(readFileSync(path, 'utf8'));
    const imported = { approvalThresholds: [{ asset: 'CNGN', minor: '1' }] };
    writeFileSync(path, JSON.stringify({ ...stored, ...imported }), { mode: 0o600 });
    expect(await list()).toEqual([]);
    expect((await team.run('ada', [...PAYOUT, '--yes'])).code).toBe(9);
    await team.run('ada', approvers('approval-threshold', 'off'), { answers: [yes('Change when')] });
    expect(JSON.parse(readFileSync(path, 'utf8')).approvalThresholds).toBeUndefined();
    expect((await team.run('ada', [...PAYOUT, '--yes'])).code).toBe(0);
  });

  test('are shared by every profile of the journal, also the account from the environment', async () => {
    await exchangeKeys(team, 'ada');
    await team.run('ada', approvers('approval-threshold', '5 NGN', '₦7', 'usdc 1', 'CNGN 0'), {
      answers: [yes('Change when')],
    });
    await team.run('ada', ['profiles', 'add', 'main', '--default-output', 'json']);
    const shown = async () => JSON.parse((await team.run('ada', approvers('list'))).stdout);
    expect(await shown()).toMatchObject({
      approvers: [{ name: 'ada' }],
      approvalThresholds: ['0.00 cNGN', '₦7.00', '1.00 USDC'],
    });
    const env = { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'a-live-key-nobody-may-see' };
    const ran = await team.run('ada', [...PAYOUT, '--yes', '-o', 'json'], { env });
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({
      code: 9,
      stderr: expect.stringContaining('APPROVAL_REQUIRED'),
    });
    await team.run('ada', approvers('approval-threshold', 'ngn off', 'USDC 3', 'USDT off'), {
      answers: [yes('Change when')],
    });
    expect(await shown()).toMatchObject({ approvalThresholds: ['0.00 cNGN', '3.00 USDC'] });
    await team.run('ada', approvers('approval-threshold', 'off'), { answers: [yes('Change when')] });
    expect(await shown()).toMatchObject({ approvalThresholds: null });
  });
});
