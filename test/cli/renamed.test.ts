import { describe, expect, test } from 'vitest';
import { RENAMED } from '../../src/contract/renamed.ts';
import { main } from '../../src/main.ts';
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
