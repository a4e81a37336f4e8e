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
