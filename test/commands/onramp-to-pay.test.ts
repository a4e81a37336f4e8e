import { describe, expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { fakeClock, fakeWorld } from '../support/world.ts';

const TO_PAY = ['totalAmountWithFee', 'accountNumber', 'bankName', 'accountName', 'expiresAt'];

async function withUser() {
  const world = fakeWorld({ clock: fakeClock() });
  const run = async (...argv: readonly string[]) => {
    const [out, err] = [world.stdout.text().length, world.stderr.text().length];
    const code = await main(argv, world);
    return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
  };
  await run('sandbox', 'seed', '--users', '1', '--pace', 'instant', '--rate-limits', 'off', '-q');
  const userId = JSON.parse((await run('users', 'list', '-o', 'json', '--query', 'users[0].userId')).stdout) as string;
  const start = (...more: readonly string[]) =>
    run('onramp', 'create', userId, '--amount', '1000', '--yes', '-q', ...more);
  return { world, run, start };
}

test('what to pay is what onramp account says, under the same names', async () => {
  const { run, start } = await withUser();
  const started = JSON.parse((await start('-o', 'json')).stdout);
  const account = JSON.parse((await run('onramp', 'account', started.requestId, '-o', 'json')).stdout);
  expect(started.totalAmountWithFee).toEqual({ value: '1022.00', asset: 'NGN' });
  for (const name of TO_PAY) expect({ name, value: started[name] }).toEqual({ name, value: account[name] });
});

test.each(['csv', 'yaml', 'ndjson', 'table'])('it is printed with -o %s too', async (format) => {
  const { start } = await withUser();
  const { code, stdout } = await start('-o', format);
  expect({ code, hasSum: /1,?022\.00/.test(stdout), hasAccount: /\b7\d{9}\b/.test(stdout) }).toEqual({
    code: 0,
    hasSum: true,
    hasAccount: true,
  });
});

test('with --wait, it is said before the wait, also with --quiet', async () => {
  const { start } = await withUser();
  const { code, stdout, stderr } = await start('-o', 'json', '--wait', '2s');
  expect(code).toBe(8);
  expect(stderr).toMatch(/^ {2}pay exactly +₦1,022\.00\n {2}account number +7\d{9}\n/);
  expect(JSON.parse(stdout).totalAmountWithFee.value).toBe('1022.00');
});

test('a second run under the idempotency key prints the same, until the account has expired', async () => {
  const { start, run } = await withUser();
  const first = await start('-o', 'json', '--once', 'k');
  expect(await start('-o', 'json', '--once', 'k')).toEqual(first);
  await run('sandbox', 'advance', '31m', '-q');
  const late = JSON.parse((await start('-o', 'json', '--once', 'k')).stdout);
  expect({ requestId: late.requestId, accountNumber: late.accountNumber }).toEqual({
    requestId: JSON.parse(first.stdout).requestId,
    accountNumber: null,
  });
});

test.each([
  [['--wait', '2s'], true],
  [[], false],
])('a bridge says what to send before it waits, also with --quiet: %j', async (wait, isSaid) => {
  const { run } = await withUser();
  const address = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
  const route = ['--from-network', 'base', '--to-network', 'bsc', '--from', address, '--to', address];
  const { stdout, stderr } = await run(
    'bridge',
    'create',
    ...route,
    '--amount',
    '500',
    '--yes',
    '-q',
    '-o',
    'json',
    ...wait,
  );
  const { receivableAddress } = JSON.parse(stdout) as { receivableAddress: string };
  expect(stderr.includes(`now send 500.00 cNGN on base from ${address} to ${receivableAddress}`)).toBe(isSaid);
});

describe('onramp status says where to see what to pay', () => {
  const hint = (id: string) => `these amounts exclude fees; show what to pay with: fiatrail onramp account ${id}\n`;

  test.each(['table', 'json'])('until it is paid, with -o %s', async (format) => {
    const { start, run } = await withUser();
    const { requestId, accountNumber } = JSON.parse((await start('-o', 'json')).stdout);
    const status = (...more: readonly string[]) => run('onramp', 'status', requestId, '-o', format, ...more);
    expect((await status()).stderr).toContain(hint(requestId));
    expect((await status('--wait', '1s')).stderr).toContain(hint(requestId));
    expect((await status('-q')).stderr).toBe('');
    await run('sandbox', 'pay', accountNumber, '--amount', '1022', '--sender', 'ADA OBI', '-q');
    await run('sandbox', 'settle', '-q');
    expect((await status()).stderr).not.toContain('exclude fees');
  });

  test('but not once the account has expired', async () => {
    const { start, run } = await withUser();
    const { requestId } = JSON.parse((await start('-o', 'json')).stdout);
    await run('sandbox', 'advance', '31m', '-q');
    expect((await run('onramp', 'status', requestId)).stderr).not.toContain('exclude fees');
  });
});
