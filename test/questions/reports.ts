import { expect } from 'vitest';
import { main } from '../../src/main.ts';
import type { FakeWorld } from '../support/world.ts';
import { worldAfter } from '../support/world-after.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(world: FakeWorld, ...argv: string[]): Promise<Ran> {
  const [before, errors] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main([...argv, '-q'], world);
  return { code, stdout: world.stdout.text().slice(before), stderr: world.stderr.text().slice(errors) };
}

export async function must(world: FakeWorld, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(world, ...argv);
  expect([0, 8], `${argv.join(' ')}: ${stderr}`).toContain(code);
  return stdout;
}

export const json = async (world: FakeWorld, ...argv: string[]) => JSON.parse(await must(world, ...argv, '-o', 'json'));

export const pass = (world: FakeWorld, ms: number) => world.clock.sleep(ms, new AbortController().signal);

const withAccounts = worldAfter(
  async (world) => {
    await must(world, 'sandbox', 'seed', '--users', '2', '--rate-limits', 'off', '--pace', 'quick');
    await must(world, 'wallets', 'external', 'add', COLD, '--network', 'base', '--label', 'cold', '--yes');
    for (const number of ['0000000009', '0000000011', '0000000013'])
      await must(world, 'bank-accounts', 'add', '--bank-code', '000013', '--account-number', number, '--yes');
    const { accounts } = await json(world, 'bank-accounts', 'list');
    const { accountNumber } = await json(world, 'api', 'GET', '/getfintechvirtualaccount');
    const ids: string[] = (accounts as { accountId: string }[]).map(({ accountId }) => accountId);
    await must(world, 'sync');
    const syncedAt = new Date(world.clock.now() + 1).toISOString();
    await pass(world, MINUTE_MS);
    return { ids, accountNumber: String(accountNumber), syncedAt };
  },
  Date.UTC(2026, 10, 2, 9),
  { name: 'account-of-reports' },
);

/** An account of the embedded sandbox with what the movements need. */
export async function account() {
  const { world, made } = await withAccounts();
  return { world, ...made };
}

interface Printed {
  readonly value: string;
  readonly known?: { readonly is: string; readonly why: string };
}

export interface ReportedAsset {
  readonly asset: string;
  readonly opening: Printed;
  readonly closing: Printed;
  readonly in: Printed;
  readonly out: Printed;
  readonly fees: Printed;
  readonly traded: Printed;
  readonly refunds: Printed;
  readonly inFlight: Printed;
  readonly unlisted: Printed;
}

export const minorOf = ({ value }: Printed) => BigInt(value.replace('.', ''));

/** Runs the report, whatever its exit code, and returns what it printed. */
export async function report(world: FakeWorld, ...more: string[]) {
  const { code, stdout, stderr } = await run(world, 'report', '-o', 'json', ...more);
  const data = stdout === '' ? {} : JSON.parse(stdout);
  return {
    code,
    stderr,
    ...(data as {
      since: string;
      until: string;
      assets: ReportedAsset[];
      parts: { unlisted: Printed; asset: string }[];
    }),
    differences: (data.differences ?? []) as { asset: string; amount: Printed; reason: string | null }[],
    of: (asset: string) => (data.assets as ReportedAsset[]).find((each) => each.asset === asset),
  };
}

/** Tokens that come from a chain, which no list shows. */
export async function topUp(world: FakeWorld, amount: number): Promise<void> {
  const { smartWallet } = await json(world, 'wallets', 'show');
  const sum = ['--amount', String(amount), '--token', 'USDC'];
  await must(world, 'sandbox', 'pay', smartWallet.address, ...sum, '--chain', '--sender', COLD);
}
