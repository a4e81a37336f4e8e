import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { FORMER_GROUPS, RENAMED } from '../../src/contract/renamed.ts';
import { main } from '../../src/main.ts';
import { parse } from '../../src/terminal/parse/program.ts';
import { fakeWorld } from '../support/world.ts';

async function refused(...argv: readonly string[]) {
  const world = fakeWorld();
  const code = await main(argv, world);
  return { code, stdout: world.stdout.text(), stderr: world.stderr.text() };
}

describe('a former name of a command', () => {
  test.each([...RENAMED])('%s ends with 2 and the line to type: %s', async (before, now) => {
    const { code, stdout, stderr } = await refused(...before.split(' '), 'some-id', '--wait', '5m');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`  hint: type: fiatrail ${now} some-id --wait 5m\n`);
  });

  test('is answered without the BVN and without what may be a key', async () => {
    const key = 'sandbox_live_0123456789abcdef0123456789abcdef';
    const { stderr } = await refused('users', 'onboard', '22222222222', '--bvn=333 3333 3333', key);
    expect(stderr).not.toMatch(/2222|3333|0123456789/);
    expect(stderr).toContain('type: fiatrail users onboarding start BVN --bvn=BVN …');
  });

  test.each([
    ['fx', 'trades', 'start', '--bogus'],
    ['fees', 'withdrawals', 'list', '--bogus'],
    ['users', 'onramp-asset', 'set', 'u-1', '--bogus'],
  ])('is not taken for the beginning of a name that there is: %s %s %s', async (...argv) => {
    const { code, stderr } = await refused(...argv);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown option '--bogus'");
    expect(stderr).not.toContain('another name');
  });
});

const USER_ID = '019ab192e5745000'.repeat(4);

/** Lines in former words, and the same in those of today. */
const PASTED: readonly (readonly [former: string, now: string])[] = [
  [
    'withdraw USER --amount 5 --token USDC --from null --to 0x52908400098527886E0F7030069857D2E4169EE7',
    'withdrawals start USER --amount 5 --token USDC --from null --to 0x52908400098527886E0F7030069857D2E4169EE7',
  ],
  ['--profile main -q withdraw USER', '--profile main -q withdrawals start USER'],
  ['transfer --amount 5 --to vault', 'transfers start --amount 5 --to vault'],
  ['auto-signing', 'approvals show'],
  ['auto-signing show -q', 'approvals show -q'],
  ['balances fintech --token CNGN', 'balances account --token CNGN'],
  ['banks list --search gtb', 'banks --search gtb'],
  ['fees verify 01a21093-9528-7204-b5e8-ef4d9772d740', 'fees withdrawals status 01a21093-9528-7204-b5e8-ef4d9772d740'],
  [
    'fees withdraw --amount max --to default --once fees-{year}',
    "fees withdrawals start --amount max --to default --once 'fees-{year}'",
  ],
  ['fees withdrawals --limit 5', 'fees withdrawals list --limit 5'],
  ['fx auto-signing status', 'fx auto-signing show'],
  ['fx auto-signing threshold 500', 'fx auto-signing set 500'],
  ['fx book CNGN-USDC', 'fx book show CNGN-USDC'],
  ['fx book-token --show', 'fx book token --show'],
  ['fx market-order --pair CNGN-USDC --key=k-1', 'fx market-orders start --pair CNGN-USDC --idempotency-key=k-1'],
  ['fx mpc', 'fx vault show'],
  [
    'fx mpc register --public-key /home/somebody/keys/vault.pem',
    'fx vault set --public-key-file /home/somebody/keys/vault.pem',
  ],
  ['fx orders create --pair CNGN-USDC --max 5', 'fx orders add --pair CNGN-USDC --max 5'],
  ['fx settings', 'fx vault show'],
  ['fx trade --quote q-1 --key abc', 'fx trades start --quote q-1 --idempotency-key abc'],
  ['fx trade-status t-1 --wait', 'fx trades status t-1 --wait'],
  ['fx trades --all --resume 0123456789abcdef0123.1..n', 'fx trades list --all --after 0123456789abcdef0123.1..n'],
  ['keys aes --print-key', 'keys aes show --print-key'],
  ['keys encryption status', 'keys encryption show'],
  ['keys platform', 'keys platform show'],
  ['keys platform --accept --fingerprint USER', 'keys platform accept --fingerprint USER'],
  ['keys platform --accept USER', 'keys platform accept --fingerprint USER'],
  [
    'keys sandbox --at https://sandbox.example.com/v1 --save test',
    'keys sandbox add --base-url https://sandbox.example.com/v1 --save test',
  ],
  ['profiles journal main', 'profiles journal show main'],
  [
    'profiles journal main --url postgres://db.example.com/journal',
    'profiles journal set main --url postgres://db.example.com/journal',
  ],
  ['profiles journal main --url=postgres://me:pw@db.example.com/journal', 'profiles journal set main --url=…'],
  ['profiles journal --local', 'profiles journal set --local'],
  ['profiles operators sign-above 500', 'profiles sign-above set 500'],
  ['swaps trigger --sell CNGN --buy USDC --amount 5', 'swaps wallets start --sell CNGN --buy USDC --amount 5'],
  ['users onboard 222 4567 8901 --wait', 'users onboarding start BVN --wait'],
  ['users onboarding 123', 'users onboarding status 123'],
  ['users onboarding 22222222222', 'users onboarding status BVN'],
  ['users onramp-asset USER --asset USDC --auto-swap on', 'users onramp-asset set USER --asset USDC --enabled on'],
  ['wallets user USER', 'wallets list USER'],
  ['schema withdraw', 'schema withdrawals start'],
  ['schema fx trades', 'schema fx trades list'],
  ['ops list --state failed --limit 5', 'ops list --status failed --limit 5'],
  [
    '--profile main users list --order asc --resume USER.1',
    '--profile main users list --sort-order asc --after USER.1',
  ],
];

describe('the line to type for a former one', () => {
  test.each(PASTED)('%s works when it is pasted: %s', async (former, now) => {
    const withUser = (line: string) => line.replaceAll('USER', USER_ID);
    const { code, stderr } = await refused(...withUser(former).split(' '));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`hint: type: fiatrail ${withUser(now)}\n`),
    });
    const pasted = /type: fiatrail (.*)/.exec(stderr)?.[1]?.replaceAll("'", '') ?? '';
    expect(await parse(pasted.split(' '), CATALOGUE, fakeWorld())).toMatchObject({ kind: 'command' });
  });

  test('is tried for every former name', () => {
    const isTried = (name: string) => PASTED.some(([former]) => `${former} `.startsWith(`${name} `));
    expect([...RENAMED.keys(), ...FORMER_GROUPS.keys()].filter((name) => !isTried(name))).toEqual([]);
  });
});

describe('a former name of a flag', () => {
  test.each([
    ['webhooks trigger user.onboarded --to http://127.0.0.1:9/', '--target http://127.0.0.1:9/'],
    ['sandbox pay 7387420489 --amount 5 --from=ADA', 'sandbox pay 7387420489 --amount 5 --sender=ADA'],
    ['users list --order asc', 'users list --sort-order asc'],
    ['ops list --state failed', 'ops list --status failed'],
    ['users list --all --resume 0123456789ab.1..n', 'users list --all --after 0123456789ab.1..n'],
    ['fx trades start --key k-1 --quote q', 'fx trades start --idempotency-key k-1 --quote q'],
  ])('%s ends with 2 and the line to type', async (line, now) => {
    const { code, stderr } = await refused(...line.split(' '));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: --\w+ has another name now: --/);
    expect(stderr).toContain(now);
  });

  test.each(['--offset', '--page'])('%s had another value, so no line to paste is made of it', async (flag) => {
    const { code, stderr } = await refused('bridge', 'list', flag, '5');
    expect(code).toBe(2);
    expect(stderr).toContain('each page ends with its cursor');
    expect(stderr).not.toContain('--after 5');
  });
});
