import { expect, test } from 'vitest';
import { whoDid } from '../../../src/commands/ops/index.ts';
import { main } from '../../../src/main.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';

async function run(world: FakeWorld, ...argv: readonly string[]) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main([...argv, '--yes'], world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

const withdraw = (world: FakeWorld, amount: string, key: string) =>
  run(world, 'fees', 'withdraw', '--amount', amount, '--to', 'default', '--once', key, '-q');

async function shown(world: FakeWorld, name: string): Promise<{ operationId: string; requestId: string }> {
  const { code, stdout } = await run(world, 'ops', 'show', name, '-o', 'json');
  expect(code).toBe(0);
  return JSON.parse(stdout) as { operationId: string; requestId: string };
}

test('an operation is named by its id, its request id or its idempotency key, which may have spaces', async () => {
  const world = fakeWorld();
  expect((await withdraw(world, '500', 'June fees')).code).toBe(0);
  expect((await withdraw(world, '600', 'fees-july')).code).toBe(0);
  const june = await shown(world, 'June fees');
  expect(await shown(world, june.requestId)).toEqual(june);
  expect(await shown(world, june.operationId)).toEqual(june);
  const july = await shown(world, 'fees-july');
  expect(july.operationId).not.toBe(june.operationId);
  await run(world, 'sandbox', 'settle', '-q');
  expect(await run(world, 'ops', 'resume', 'fees-july', '-q')).toMatchObject({ code: 0 });
  expect(await run(world, 'ops', 'resolve', 'June fees', '--not-done', '--reason', 'r')).toMatchObject({
    code: 9,
    stderr: expect.stringContaining(`fiatrail ops show ${june.operationId}`),
  });
  expect(await run(world, 'ops', 'reconcile', 'fees-july', '-q')).toMatchObject({ code: 0 });
});

test('a name of several operations ends with the list of them', async () => {
  const world = fakeWorld();
  // A refused operation gives its key back.
  expect((await withdraw(world, '110000', 'k')).code).toBe(3);
  expect((await withdraw(world, '500', 'k')).code).toBe(0);
  const { code, stderr } = await run(world, 'ops', 'show', 'k');
  expect(code).toBe(2);
  expect(stderr).toMatch(/more than one operation has this id prefix, request id or idempotency key/);
  expect(stderr).toMatch(
    /newest first:\n +[\da-f-]{36}: .*₦500.*; accepted\n +[\da-f-]{36}: .*₦110,000.*; rejected\n +run: .*\n$/,
  );
});

test('says who planned, signed and applied', () => {
  const run = { runBy: 'chi', host: 'pay-1' };
  expect(whoDid({ ...run, authority: null })).toBe('run by chi on pay-1, without a plan');
  const author = { user: 'ada', host: 'desk', approver: 'Ada' };
  const signed = { keyFingerprint: 'f', signedAt: '2026-11-25T04:00:00.000Z' };
  const signers = [
    { ...signed, name: 'Ada', role: 'author' as const },
    { ...signed, name: 'Bola', role: 'signer' as const },
  ];
  expect(whoDid({ ...run, authority: { plan: 'p', author, signers } })).toBe(
    'planned by ada on desk (approver Ada); approved by Ada (its author), Bola; applied by chi on pay-1',
  );
});
