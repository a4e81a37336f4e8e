import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Served } from '../../support/accounts.ts';
import { type Home, newHome, requireBuilt } from '../../support/built.ts';
import { accountOf, fiatrail, fiatrailJson, must, serveSandbox } from '../../support/in-process.ts';
import { secretsFolder } from '../../support/rotations.ts';
import { fiatrailOnTerminal } from '../../support/terminal.ts';

beforeAll(requireBuilt);

interface Status {
  readonly responsesEncryptedTo: string | null;
  readonly privateKeys: number;
  readonly requestsEncrypted: boolean;
  readonly platformKey: string | null;
  readonly platformKeyUnchanged: boolean | null;
  readonly answersOpen: boolean;
}

const ENABLE = ['keys', 'encryption', 'enable', '--yes', '-o', 'json'];
const READ = ['api', 'GET', '/getfees', '-o', 'json'];
/** A change whose request has a body. */
const CHANGE = ['api', 'POST', '/addbankaccount', '-f', 'accountNumber=0123456789', '-f', 'bankCode=000013', '--yes'];

const statusOf = (home: Home) => fiatrailJson<Status>(home, ['keys', 'encryption', 'show']);
const keysPath = (home: Home) => join(secretsFolder(home), 'main.encryption-keys');
const privateKeys = (home: Home) => readFileSync(keysPath(home), 'utf8').trim().split('\n');

/** What the service sends to who does not open it. */
async function wireBody({ url, apiKey }: Served): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/getfees`, { headers: { 'x-api-key': apiKey } });
  return (await answer.json()) as Record<string, unknown>;
}

/** Runs a command to the error that it prints as JSON. */
async function refused(home: Home, argv: readonly string[], stdin = '') {
  const { code, stderr } = await fiatrail(home, [...argv, '-q', '-o', 'json'], { stdin });
  const { error } = JSON.parse(stderr) as { error: { code: string; hint: string; message: string } };
  return { exit: code, ...error };
}

async function field() {
  const served = await serveSandbox(onTestFinished);
  return { served, home: await accountOf(served, onTestFinished) };
}

test('enable makes the service encrypt responses, which every command opens', async () => {
  const { served, home } = await field();
  expect(Object.keys(await wireBody(served))).toContain('response_code');
  const made = await fiatrailJson<Status>(home, ENABLE);
  expect(made).toMatchObject({ privateKeys: 1, requestsEncrypted: false, responsesEncryptedTo: expect.any(String) });
  expect(Object.keys(await wireBody(served))).toEqual(['payload']);
  for (const argv of [['status'], READ, CHANGE, ['users', 'list'], ['balances', 'account']]) await must(home, argv);
  expect(await statusOf(home)).toMatchObject({ answersOpen: true, responsesEncryptedTo: made.responsesEncryptedTo });
});

test('prints the requested fields and rejects unknown ones before registering', async () => {
  const { served, home } = await field();
  await must(home, [...ENABLE, '--fields', 'updatedAt'], '', [2]);
  expect(Object.keys(await wireBody(served))).toContain('response_code');
  const { stdout } = await must(home, [...ENABLE, '--fields', 'privateKeys']);
  expect(JSON.parse(stdout)).toEqual({ privateKeys: 1 });
});

test('another host needs the private key (2 on a read, 6 on a change) and reads it from standard input', async () => {
  const { served, home } = await field();
  await must(home, ENABLE);
  const other = await accountOf(served, onTestFinished);
  const hint = expect.stringContaining('fiatrail keys encryption show');
  const error = await refused(other, READ);
  expect(error).toMatchObject({ exit: 2, retryable: false, hint: expect.stringContaining('--private-key-stdin') });
  expect(error.message).toBe('the service’s response is encrypted, and this profile has no private key');
  expect(await refused(other, CHANGE)).toMatchObject({ exit: 6, hint });
  const [key = ''] = privateKeys(home);
  for (const wrong of ['', key.slice(1), `${key}0`, key.replace(/.$/, 'g'), `"${key}"`]) {
    const { stderr } = await must(other, [...ENABLE, '--private-key-stdin'], wrong, [2]);
    expect({
      code: JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code,
      hasKey: stderr.includes(key.slice(1, 40)),
    }).toEqual({ code: 'INVALID_PRIVATE_KEY', hasKey: false });
  }
  await must(other, [...ENABLE, '--private-key-stdin'], `${key.toUpperCase()}\n`);
  expect(privateKeys(other)).toEqual([key]);
  await must(other, READ);
  await must(home, READ);
});

test('rotate keeps the older key for what was encrypted with it', async () => {
  const { served, home } = await field();
  await must(home, ENABLE);
  const [first = ''] = privateKeys(home);
  await must(home, ['keys', 'encryption', 'rotate']);
  expect(privateKeys(home)).toEqual([expect.not.stringContaining(first), first]);
  // Another host registers the first key again; this host still has it.
  const other = await accountOf(served, onTestFinished);
  await must(other, [...ENABLE, '--private-key-stdin'], first);
  await must(home, READ);
});

test('rotate does not turn encryption on, and exits with 2', async () => {
  const { home } = await field();
  const { code, stderr } = await fiatrail(home, ['keys', 'encryption', 'rotate', '--yes']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('encryption is off in profile main, so there is no key to rotate'),
  });
  expect(stderr).toContain('turn it on with: fiatrail keys encryption enable');
  expect(await fiatrailJson(home, ['keys', 'encryption', 'show'])).toMatchObject({
    encryptionPolicy: 'off',
    privateKeys: 0,
  });
});

test('exits with 9 rather than encrypt a request to a key that was not accepted', async () => {
  const { home } = await field();
  await must(home, [...ENABLE, '--encrypt-requests', 'on']);
  const { platformKey, requestsEncrypted } = await statusOf(home);
  expect({ requestsEncrypted, platformKey }).toEqual({
    requestsEncrypted: true,
    platformKey: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  await must(home, CHANGE);
  const path = join(home.path, 'config', 'profiles', 'main.json');
  const another = 'de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f';
  writeFileSync(path, readFileSync(path, 'utf8').replace(platformKey ?? '', another));
  expect(await statusOf(home)).toMatchObject({ platformKeyUnchanged: false });
  expect(await refused(home, CHANGE)).toMatchObject({ exit: 9, code: 'PLATFORM_KEY_CHANGED' });
  expect(await refused(home, ENABLE)).toMatchObject({ exit: 9, code: 'PLATFORM_KEY_CHANGED' });
  for (const more of [[], ['--yes']])
    expect(await refused(home, ['keys', 'platform', 'accept', ...more])).toMatchObject({
      exit: 2,
      code: 'FINGERPRINT_NEEDED',
    });
  const { fingerprint } = await fiatrailJson<{ fingerprint: string }>(home, ['keys', 'platform', 'show']);
  const other = `${fingerprint.slice(0, -2)}${fingerprint.endsWith('AA') ? 'BB' : 'AA'}`;
  expect(await refused(home, ['keys', 'platform', 'accept', '--fingerprint', other])).toMatchObject({
    exit: 9,
    code: 'PLATFORM_KEY_MISMATCH',
  });
  expect(await statusOf(home)).toMatchObject({ platformKeyUnchanged: false });
  await must(home, ['keys', 'platform', 'accept', '--fingerprint', fingerprint]);
  await must(
    home,
    CHANGE.map((word) => word.replace('0123456789', '0123456788')),
  );
  await must(home, [...ENABLE, '--encrypt-requests', 'off']);
  expect(await statusOf(home)).toMatchObject({ requestsEncrypted: false, platformKeyUnchanged: true });
});

test('registers a key in the older envelope', async () => {
  const { served, home } = await field();
  const { stderr } = await must(home, [...ENABLE, '--aes-envelope', '-v']);
  expect(Object.keys(await wireBody(served))).toEqual(['payload']);
  expect(await statusOf(home)).toMatchObject({ answersOpen: true, privateKeys: 1 });
  const { aesKey } = await fiatrailJson<{ aesKey: string }>(home, ['keys', 'aes', 'show', '--print-key']);
  for (const secret of [aesKey, ...privateKeys(home)]) expect(stderr).not.toContain(secret);
});

test('a dry run registers and stores nothing', async () => {
  const { served, home } = await field();
  for (const more of [[], ['--encrypt-requests', 'on']]) await must(home, [...ENABLE, '--dry-run', ...more]);
  expect({
    exists: existsSync(keysPath(home)),
    hasPayload: Object.keys(await wireBody(served)).includes('payload'),
  }).toEqual({ exists: false, hasPayload: false });
  expect(await statusOf(home)).toMatchObject({ responsesEncryptedTo: null, privateKeys: 0, platformKey: null });
});

test('rejects an account set by environment variables and exits with 2', async () => {
  const { url, apiKey } = await serveSandbox(onTestFinished);
  const home = newHome(onTestFinished);
  const env = { FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey };
  for (const words of [ENABLE, ['keys', 'encryption', 'show', '-o', 'json']]) {
    const { code, stderr } = await fiatrail(home, [...words, '-q'], { env });
    expect({ code, errorCode: JSON.parse(stderr).error.code }).toEqual({ code: 2, errorCode: 'NO_PROFILE' });
  }
});

describe('enable', () => {
  const BARE = ['keys', 'encryption', 'enable'];

  test('asks first, says what it breaks, and on Enter registers and stores nothing', async () => {
    const { served, home } = await field();
    const { screen, code, missed } = await fiatrailOnTerminal(home, BARE, [{ expect: 'Continue?', send: '\r' }]);
    expect({ code, missed }, screen).toEqual({ code: 9, missed: null });
    expect(screen).toContain('cannot be undone');
    expect(screen.replaceAll(/\s+/g, ' ')).toContain('every other host with this API key fails');
    expect(existsSync(keysPath(home))).toBe(false);
    expect(Object.keys(await wireBody(served))).toContain('response_code');
  });

  test('needs --yes without a terminal, exits with 2 and registers nothing', async () => {
    const { served, home } = await field();
    expect(await refused(home, BARE)).toMatchObject({ exit: 2, code: 'CONFIRMATION_NEEDED' });
    expect(await refused(home, [...BARE, '--private-key-stdin'], 'ab'.repeat(32))).toMatchObject({ exit: 2 });
    expect(existsSync(keysPath(home))).toBe(false);
    expect(Object.keys(await wireBody(served))).toContain('response_code');
  });

  test('does not ask again for the key that is registered, nor rotate for another one', async () => {
    const { home } = await field();
    await must(home, ENABLE);
    await must(home, BARE);
    await must(home, ['keys', 'encryption', 'rotate']);
  });
});
