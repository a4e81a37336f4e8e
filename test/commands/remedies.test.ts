import { beforeEach, expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';

let world: FakeWorld;
beforeEach(() => {
  const made = fakeWorld();
  // Ids that do not contain the BVN that fails, which would be hidden in them.
  world = { ...made, ids: { ...made.ids, uuid: () => made.ids.uuid().replace('-8000-0000', '-8000-1234') } };
});

async function run(line: string) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main([...line.split(' '), '-o', 'json'], world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

test('an error names what helps', async () => {
  const { requestId } = JSON.parse((await run('users onboard 22345678901 -q')).stdout) as {
    requestId: string;
  };
  await run('sandbox advance 10m -q');
  const { userId } = JSON.parse((await run(`users onboarding status ${requestId} -q`)).stdout) as { userId: string };
  await run(`users deactivate ${userId} --reason gone --yes -q`);
  const toBank = '-f bankCode=000013 -f accountNumber=0123456789';
  const lines: Readonly<Record<string, string>> = {
    [`onramp create ${userId} --amount 5000 --yes`]: 'fiatrail users activate <user id>',
    [`api POST /cngnofframp -f userId=${userId} -f amount=5000 ${toBank} --yes`]: 'fiatrail users activate <user id>',
    'webhooks enable': 'fiatrail webhooks set <url>',
    'webhooks disable --yes': 'fiatrail webhooks set <url>',
    'sandbox pay 9999999999 --amount 5 --sender ADA': 'fiatrail onramp account <request id>',
  };
  for (const [line, remedy] of Object.entries(lines)) {
    const { code, stderr } = await run(`${line} -q`);
    expect({ line, code, stderr }).toEqual({ line, code: 3, stderr: expect.stringContaining(remedy) });
  }
  const recovered = await run(`recover ${requestId}`);
  expect(recovered.stderr).toContain('one that has ended stays as it is');
});

test('a failed onboarding leads to one thing', async () => {
  const { requestId } = JSON.parse((await run('users onboard 00000000000 -q')).stdout) as {
    requestId: string;
  };
  await run('sandbox advance 10m -q');
  const { code, stderr } = await run(`users onboarding status ${requestId} -q`);
  expect(code, stderr).toBe(3);
  expect(stderr).toContain(`correct the input, then start again with: fiatrail users onboard --retry ${requestId}`);
  expect(stderr).not.toContain('final');
});

/** Conditions, the command that meets each, and what its hint says to type, after which it works. */
const REMEDIES: readonly (readonly [condition: string, line: string, hint: string, typed: string])[] = [
  [
    'no webhook',
    'webhooks enable',
    'fiatrail webhooks set <url>',
    'webhooks set https://inbox.fiatrail.invalid/ --yes',
  ],
  [
    'encryption that is off',
    'keys encryption rotate --yes',
    'fiatrail keys encryption enable',
    'keys encryption enable --yes',
  ],
  ['lists that were not copied', 'report pending', 'fiatrail sync', 'sync'],
];

test.each(REMEDIES)('with %s, the hint of %s leads to what makes it work', async (_condition, line, hint, typed) => {
  const failed = await run(`${line} -q`);
  expect({ failed: failed.code !== 0, stderr: failed.stderr }).toEqual({
    failed: true,
    stderr: expect.stringContaining(hint),
  });
  const remedied = await run(`${typed} -q`);
  expect(remedied.code, remedied.stderr).toBe(0);
  const again = await run(`${line} -q`);
  expect(again.code, again.stderr).toBe(0);
});
