import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { journalRows } from '../support/journal.ts';
import { listenUntil } from '../support/listen.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';

const INBOX = 'https://inbox.fiatrail.invalid/';

async function json(world: FakeWorld, ...argv: string[]): Promise<Record<string, never>> {
  const before = world.stdout.text().length;
  await main([...argv, '--yes', '-q', '-o', 'json'], world);
  return JSON.parse(world.stdout.text().slice(before)) as Record<string, never>;
}

/** A user with cNGN, on an account whose events go to the inbox. */
async function fundedUser(world: FakeWorld): Promise<string> {
  await json(world, 'webhooks', 'set', INBOX);
  const { userId } = await json(world, 'users', 'onboard', '22222222222', '--wait');
  const shown = await json(world, 'users', 'show', String(userId));
  const account = (shown['virtualAccounts'] as unknown as { accountNumber: string; accountName: string }[])[0];
  const paid = ['--amount', '5000', '--sender', account?.accountName ?? ''];
  await json(world, 'sandbox', 'pay', account?.accountNumber ?? '', ...paid);
  await json(world, 'sandbox', 'settle');
  return String(userId);
}

test('a listener finds an unknown outcome as soon as an event is about it', async () => {
  const world = fakeWorld();
  const userId = await fundedUser(world);
  await json(world, 'sandbox', 'fault', 'add', '--on', 'transactions.offramp', '--fault', 'lost-response');
  const bank = ['--bank-code', '000013', '--account-number', '0123456789'];
  const code = await main(['offramp', 'create', userId, '--amount', '1000', ...bank, '--yes', '-q'], world);
  const state = () =>
    journalRows(world.stateDir).findLast(({ endpoint }) => endpoint === 'transactions.offramp')?.state;
  expect([code, state()]).toEqual([6, 'unknown']);
  expect(await listenUntil(world, () => state() !== 'unknown')).toBe(0);
  await json(world, 'sandbox', 'settle');
  expect(await listenUntil(world, () => state() === 'settled')).toBe(0);
  expect(state()).toBe('settled');
  expect(await main(['ops', 'journal', 'verify', '-q'], world)).toBe(0);
});

test('a listener ends accepted work that no status can be read of', async () => {
  const world = fakeWorld();
  const userId = await fundedUser(world);
  const shown = await json(world, 'users', 'show', userId);
  const wallet = String((shown['walletDetails'] as unknown as { evmWallet: string }).evmWallet);
  const to = ['--from', wallet, '--to', '0x52908400098527886E0F7030069857D2E4169EE7', '--network', 'bsc'];
  const argv = ['withdrawals', 'create', userId, '--token', 'CNGN', '--amount', '100', ...to];
  const code = await main([...argv, '--yes', '-q'], world);
  const state = () =>
    journalRows(world.stateDir).findLast(({ endpoint }) => endpoint === 'transactions.withdraw-asset')?.state;
  expect([code, state()]).toEqual([0, 'accepted']);
  await json(world, 'sandbox', 'settle');
  expect(await listenUntil(world, () => state() === 'settled')).toBe(0);
  expect(state()).toBe('settled');
});
