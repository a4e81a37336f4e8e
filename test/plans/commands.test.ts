import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { planLines } from '../../src/engine/plans/shown.ts';
import { main } from '../../src/main.ts';
import { type Account, ADDRESS, type Ids, newAccount } from '../examples/account.ts';
import { TO } from '../support/fee-withdrawal.ts';
import { journalRows } from '../support/journal.ts';
import type { FakeWorld } from '../support/world.ts';
import { contentOf } from './support.ts';

/** Made in the first test, and copied for every command. */
let account: Account | undefined;

const BUY = ['--pair', 'CNGN-USDC', '--side', 'buy'];
const BRIDGE = ['--from-network', 'base', '--to-network', 'bsc'];

/** A line of every command whose change can be planned, and what must be so before. */
const LINES: Readonly<Record<string, (ids: Ids) => readonly (readonly string[])[]>> = {
  'onramp create': ({ user }) => [[user, '--amount', '5000']],
  'offramp create': ({ user }) => [
    [user, '--amount', '1500', '--bank-code', '000013', '--account-number', '0123456789'],
  ],
  'payout create': ({ bankAccount }) => [['--amount', '1500', '--to', bankAccount]],
  'withdrawals create': ({ user, userWallet }) => [
    [user, '--amount', '20', '--token', 'CNGN', '--from', userWallet, '--to', ADDRESS],
  ],
  'transfers create': () => [['--amount', '1000', '--to', ADDRESS, '--note', 'a -- note "with" words']],
  'swaps create --wallet': ({ rampWallet }) => [
    [rampWallet, '--sell', 'CNGN'],
    [
      'sandbox',
      'pay',
      rampWallet,
      '--chain',
      '--token',
      'CNGN',
      '--network',
      'base',
      '--amount',
      '9000',
      '--sender',
      ADDRESS,
    ],
  ],
  'swaps create': ({ user }) => [[user, '--sell', 'CNGN', '--buy', 'USDC', '--amount', '5000', '--slippage', '1%']],
  'bridge create': () => [[...BRIDGE, '--amount', '501', '--from', ADDRESS, '--to', ADDRESS]],
  'fees withdraw': ({ bankAccount }) => [['--amount', 'max', '--to', bankAccount, '--reference', 'r']],
  'fx trade': () => [[...BUY, '--amount', '2500']],
  'fx trade --market': () => [[...BUY, '--amount', '2500']],
  'fx orders create': () => [[...BUY, '--price', '1380', '--min', '1000', '--max', '50000', '--spread', '0.5%']],
  'fx orders update': ({ order }) => [[order, '--price', '1385.5']],
  'fx orders pause': ({ order }) => [[order]],
  'fx orders resume': ({ order }) => [[order]],
  api: () => [['POST', '/fx/trade', '-f', 'pair=CNGN-USDC', '-f', 'side=buy', '-f', 'cngnAmount=2500']],
};

const commands = (await Promise.all(CATALOGUE.map(({ load }) => load()))).flat();

test('every command that moves money can be planned', () => {
  const names = (isOne: (command: (typeof commands)[number]) => boolean) =>
    commands.filter(isOne).map(({ words }) => words.join(' '));
  expect(names(({ parameters }) => 'plan' in parameters)).toEqual(
    expect.arrayContaining(names(({ money }) => money !== undefined)),
  );
  const changesJournal = [
    'profiles approvers add',
    'profiles approvers remove',
    'profiles approval-threshold set',
    'report accept',
    'report close',
    'report reopen',
    // test/plans/file-cases.ts
    'bulk create',
  ];
  expect(names(({ parameters }) => 'plan' in parameters).sort()).toEqual(
    [...Object.keys(LINES).filter((name) => !name.includes(' --')), ...changesJournal].sort(),
  );
});

async function run(world: FakeWorld, ...argv: readonly string[]) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main([...argv, '-q'], world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

test.each(Object.entries(LINES))('%s is planned and applied once', async (name, lineOf) => {
  account ??= await newAccount();
  const [line = [], ...before] = lineOf(account.ids);
  const world = account.open();
  for (const argv of before) expect(await run(world, ...argv, '--yes')).toMatchObject({ code: 0 });
  const rows = () => journalRows(world.stateDir).length;
  const atFirst = rows();
  const path = join(world.homeDir, 'plan.json');
  const written = await run(world, ...name.split(' '), ...line, '--plan', path);
  expect({ ...written, rows: rows() - atFirst }).toMatchObject({ code: 0, stderr: '', rows: 0 });
  const file = contentOf(path);
  const isWithout = ['swaps create --wallet', 'fx orders pause', 'fx orders resume'].includes(name);
  expect(file.plan.amounts.length > 0 || isWithout).toBe(true);
  const { plan: content, ...rest } = file;
  const { lines, previews } = content;
  const labels = planLines({ content, ...rest }, { lines, previews, notes: [], rules: [] }, [], 'sends it again')
    .filter(([label]) => label !== 'the author says')
    .map(([label]) => label);
  for (const said of [/^(?:amount|pays|exact .+)$/, /^destination$/, /^fees?$/, /^rule met here$/, /^applied twice$/])
    expect(labels.filter((label) => said.test(label)).length, `${said} in ${labels}`).toBeGreaterThan(0);
  const first = await run(world, 'plans', 'apply', path, '--yes', '-o', 'json');
  expect(first).toMatchObject({ code: 0 });
  const { request } = journalRows(world.stateDir).at(-1) ?? {};
  expect(JSON.parse(request ?? '')).toEqual(file.plan.request);
  expect(readFileSync(path, 'utf8')).toContain(JSON.stringify(file.hash));
  const second = await run(world, 'plans', 'apply', path, '--yes', '-o', 'json');
  expect({ code: second.code, rows: rows() - atFirst }).toEqual({ code: 0, rows: 1 });
  // What fiatrail api started is printed as its own command prints it, with fields that are not known yet.
  expect(Object.keys(JSON.parse(second.stdout))).toEqual(expect.arrayContaining(Object.keys(JSON.parse(first.stdout))));
});

test('a withdrawal keeps the tag of its plan, by which it is found', async () => {
  account ??= await newAccount();
  const world = account.open();
  const path = join(world.homeDir, 'plan.json');
  await run(world, 'fees', 'withdraw', '--amount', '600', ...TO, '--plan', path);
  const { tag, request } = contentOf(path).plan;
  expect(request.narration).toBe(tag);
  await run(world, 'sandbox', 'fault', 'add', '--on', 'fees.withdraw', '--fault', 'lost-response');
  expect((await run(world, 'plans', 'apply', path, '--yes')).code).toBe(6);
  // The journal finds the withdrawal by its tag, and sends nothing.
  const found = await run(world, 'plans', 'apply', path, '--yes', '-o', 'json');
  expect({ code: found.code, id: JSON.parse(found.stdout).withdrawalId }).toEqual({
    code: 0,
    id: expect.stringMatching(/^FTW_/),
  });
  const { stdout } = await run(world, 'fees', 'withdrawals', 'list', '--all', '-o', 'json');
  const tagged = JSON.parse(stdout).withdrawals.filter(({ narration }: { narration: string }) => narration === tag);
  expect(tagged).toHaveLength(1);
});

test('the most that can be withdrawn is the amount that the plan says', async () => {
  account ??= await newAccount();
  const world = account.open();
  const path = join(world.homeDir, 'plan.json');
  for (const amount of ['90000', '90000'])
    await run(world, 'fees', 'withdraw', '--amount', amount, ...TO, '--again', '--yes');
  expect((await run(world, 'fees', 'withdraw', '--amount', 'max', ...TO, '--plan', path)).code).toBe(0);
  await run(world, 'fees', 'withdraw', '--amount', '500', ...TO, '--again', '--yes');
  const { code, stderr } = await run(world, 'plans', 'apply', path, '--yes');
  expect({ code, stderr }).toEqual({
    code: 9,
    stderr: expect.stringMatching(/no longer holds: amount: ₦.* before, ₦.* now/),
  });
});
