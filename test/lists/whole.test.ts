import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';

const FIRST = '0x52908400098527886E0F7030069857D2E4169EE7';
const SECOND = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

async function run(world: FakeWorld, ...argv: readonly string[]) {
  const before = world.stdout.text().length;
  const code = await main([...argv, '--yes', '-q'], world);
  return { code, stdout: world.stdout.text().slice(before) };
}

/** An account with something in each of the lists that have no pages. */
async function withRows(): Promise<FakeWorld> {
  const world = fakeWorld();
  await run(world, 'ip', 'add', '127.0.0.1', '--label', 'this machine', '--yes');
  await run(world, 'wallets', 'external', 'add', FIRST, '--network', 'base', '--label', 'Cold vault', '--yes');
  await run(world, 'sandbox', 'advance', '72h');
  await run(world, 'ip', 'add', '203.0.113.7', '--label', 'office', '--yes');
  await run(world, 'wallets', 'external', 'add', SECOND, '--network', 'base', '--label', 'desk', '--yes');
  await run(world, 'wallets', 'external', 'disable', SECOND);
  const more = ['--account-number', '0123456780', '--bank-code', '000014', '--label', 'Payroll'];
  await run(world, 'bank-accounts', 'add', ...more);
  await run(world, 'profiles', 'add', 'test-box', '--mode', 'embedded');
  await run(world, 'sandbox', 'fault', 'add', '--on', 'fees.get', '--fault', 'http-500');
  await run(world, 'sandbox', 'fault', 'add', '--on', 'fx.trade', '--fault', 'slow');
  return world;
}

test.each<[string, string, readonly string[]]>([
  ['bank-accounts list --search payroll', 'accounts[].label', ['Payroll']],
  ['bank-accounts list --search access', 'accounts[].label', ['Payroll']],
  ['bank-accounts list --since 2026-01-07', 'accounts[].label', ['Payroll']],
  ['bank-accounts list --until 2026-01-06', 'accounts[].label', ['settlement']],
  ['bank-accounts list --search nobody', 'accounts[].label', []],
  ['ip list --search OFFICE', 'ipAddresses[].description', ['office']],
  ['wallets external list', 'externalWallets[].label', ['Cold vault', 'desk']],
  ['wallets external list --search "vault cold"', 'externalWallets[].label', ['Cold vault']],
  ['wallets external list --status inactive', 'externalWallets[].label', ['desk']],
  ['wallets external list --until 2026-01-06', 'externalWallets[].label', ['Cold vault']],
  ['profiles list --search box', 'profiles[].name', ['sandbox', 'test-box']],
  ['profiles list --search test', 'profiles[].name', ['test-box']],
  ['sandbox fault list --search slow', 'faults[].endpoint', ['fx.trade']],
  ['profiles approvers list --search ada --since 7d', 'approvers[].name', []],
])('%s', async (line, query, expected) => {
  const world = await withRows();
  const argv = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  const { code, stdout } = await run(world, ...argv, '-o', 'json', '--query', query);
  expect({ code, found: JSON.parse(stdout) }).toEqual({ code: 0, found: expected });
});

test('the count of a filtered list is that of its rows, and -o raw has no others', async () => {
  const world = await withRows();
  const filtered = ['bank-accounts', 'list', '--search', 'payroll'];
  const { pagination } = JSON.parse((await run(world, ...filtered, '-o', 'json')).stdout);
  expect(pagination).toMatchObject({ total: 1, hasMore: false });
  expect((await run(world, ...filtered, '-o', 'raw')).stdout).not.toContain('settlement');
});

test('a period that ends before it starts is a usage error before anything is read', async () => {
  const world = fakeWorld();
  expect(await run(world, 'bank-accounts', 'list', '--since', 'today', '--until', 'yesterday')).toMatchObject({
    code: 2,
  });
});
