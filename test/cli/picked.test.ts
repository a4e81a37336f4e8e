import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { type Answer, fakeWorld } from '../support/world.ts';

/** Runs a command at a terminal of a sandbox with three users. */
async function atTerminal(argv: readonly string[], answers: readonly Answer[]) {
  const world = fakeWorld({ isTerminal: true, answers });
  expect(await main(['sandbox', 'seed', '--users', '3', '--pace', 'instant', '-q', '-o', 'json'], world)).toBe(0);
  const listed = world.stdout.text().length;
  const code = await main([...argv, '-o', 'json', '-q'], world);
  return { code, data: JSON.parse(world.stdout.text().slice(listed) || 'null'), stderr: world.stderr.text() };
}

const user: Answer = { kind: 'search', asks: 'Which user?', says: '' };

test.each([
  [['users', 'show'], 'userId'],
  [['balances', 'user'], 'userId'],
  [['wallets', 'list'], 'wallets'],
])('%j offers the users by name', async (argv, field) => {
  const { code, data, stderr } = await atTerminal(argv, [user]);
  expect({ code, stderr, hasField: Object.hasOwn(data ?? {}, field) }).toEqual({ code: 0, stderr: '', hasField: true });
});

test('users deactivate offers the active ones, and users activate the others', async () => {
  const reason: Answer = { kind: 'text', asks: 'Reason', says: 'lost phone' };
  const agreed: Answer = { kind: 'confirm', asks: 'Continue?', says: true };
  const { code, data } = await atTerminal(['users', 'deactivate'], [user, reason, agreed]);
  expect({ code, active: data.active }).toEqual({ code: 0, active: false });
  const none = await atTerminal(['users', 'activate'], []);
  expect({ code: none.code, stderr: none.stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('there are no inactive users'),
  });
});

test('bank-accounts show offers the bank accounts, the default one first', async () => {
  const answer: Answer = { kind: 'select', asks: 'Which bank account?', says: 'DAMILOLA' };
  const { code, data } = await atTerminal(['bank-accounts', 'show'], [answer]);
  expect({ code, number: data.accountNumber }).toEqual({ code: 0, number: '0123456789' });
});

test('bank-accounts add offers the banks', async () => {
  const bank: Answer = { kind: 'search', asks: 'Which bank?', types: 'zenith', says: 'ZENITH' };
  const number: Answer = { kind: 'text', asks: 'Account number', says: '0123456780' };
  const agreed: Answer = { kind: 'confirm', asks: 'Continue?', says: true };
  const { code, data } = await atTerminal(['bank-accounts', 'add'], [number, bank, agreed]);
  expect({ code, bank: data.bankName }).toEqual({ code: 0, bank: 'ZENITH BANK' });
});

test.each([
  ['a bank account', ['bank-accounts', 'add', '--account-number', '0123456780', '--bank-code', '000013'], 0],
  [
    'a default wallet',
    ['users', 'default-wallet', 'set', 'u-1', '--address', `0x${'a'.repeat(40)}`, '--network', 'base'],
    3,
  ],
])('%s is a new destination: No sends nothing, --yes asks nothing, and a script needs it', async (_, argv, sent) => {
  const declines: Answer = { kind: 'confirm', asks: 'Continue?', says: false };
  const terminal = fakeWorld({ isTerminal: true, answers: [declines] });
  expect(await main([...argv], terminal)).toBe(9);
  expect(terminal.stderr.text()).toContain('declined; nothing was sent');
  expect(await main([...argv, '--yes', '-q'], fakeWorld({ isTerminal: true }))).toBe(sent);
  const script = fakeWorld();
  expect(await main([...argv, '-q'], script)).toBe(2);
  expect(script.stderr.text()).toContain('add --yes');
  expect(await main([...argv, '--dry-run', '-q'], fakeWorld())).toBe(0);
});

const pick = (asks: string, says: string, types?: string): Answer => ({
  kind: 'search',
  asks,
  says,
  ...(types === undefined ? {} : { types }),
});
/** A sandbox with an order, a trade and an onramp, and what a command then prints. */
async function withWork(argv: readonly string[], answers: readonly Answer[]) {
  const world = fakeWorld({ isTerminal: true, answers });
  const run = async (...words: string[]) => {
    const before = world.stdout.text().length;
    const code = await main([...words, '--yes', '-o', 'json', '-q'], world);
    return { code, data: JSON.parse(world.stdout.text().slice(before) || 'null'), stderr: world.stderr.text() };
  };
  await run('sandbox', 'seed', '--users', '1', '--pace', 'instant');
  const [{ userId }] = (await run('users', 'list')).data.users;
  await run('onramp', 'create', userId, '--amount', '700');
  await run('onramp', 'create', userId, '--amount', '900');
  await run('payout', 'create', '--amount', '1500', '--to', 'default');
  const terms = ['--pair', 'CNGN-USDC', '--price', '1300', '--min', '1000', '--max', '5000', '--side'];
  await run('fx', 'orders', 'create', ...terms, 'buy');
  await run('fx', 'trade', '--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '2000');
  await run(
    'wallets',
    'external',
    'add',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '--network',
    'base',
    '--label',
    'vault',
  );
  return run(...argv);
}

test.each([
  [['onramp', 'account'], pick('Which request?', 'start an onramp of ₦700.00', '700'), 'totalAmountWithFee'],
  [['onramp', 'status'], pick('Which request?', 'start an onramp of ₦900.00'), 'walletAddress'],
  [['payout', 'status'], pick('Which request?', 'start a payout of 1,500.00 cNGN'), 'status'],
  [['fx', 'trades', 'status'], pick('Which trade?', 'buy CNGN-USDC 2,000.00 cNGN'), 'tradeId'],
  [['fx', 'orders', 'cancel'], pick('Which order?', 'buy CNGN-USDC 1,300.00 cNGN'), 'orderId'],
  [['wallets', 'external', 'remove'], pick('Which wallet?', 'vault'), 'address'],
  [['ops', 'show'], pick('Which operation?', 'start an onramp of ₦700.00', '₦700 2026-01-05'), 'operationId'],
] as const)('%j offers what there is', async (argv, answer, field) => {
  const { code, data, stderr } = await withWork(argv, [answer]);
  expect({ code, stderr, hasField: Object.hasOwn(data ?? {}, field) }).toEqual({ code: 0, stderr: '', hasField: true });
});

test('an order that was removed is not offered: its id is asked for', async () => {
  const world = fakeWorld({ isTerminal: true, answers: [{ kind: 'text', asks: 'Which order?', says: 'ord-1' }] });
  const run = (...words: string[]) => main([...words, '--yes', '-o', 'json', '-q'], world);
  const terms = ['--pair', 'CNGN-USDC', '--price', '1300', '--min', '1000', '--max', '5000', '--side', 'buy'];
  expect(await run('sandbox', 'seed', '--users', '1', '--pace', 'instant')).toBe(0);
  expect(await run('fx', 'orders', 'create', ...terms)).toBe(0);
  const [, added = ''] = /"orderId":\s*"([^"]+)"/.exec(world.stdout.text()) ?? [];
  expect(await run('fx', 'orders', 'cancel', added)).toBe(0);
  expect(await run('fx', 'orders', 'cancel')).not.toBe(0);
  expect(world.stderr.text()).toContain('no order with this id');
});

test('recover offers work of every kind', async () => {
  expect((await withWork(['recover'], [pick('Which request?', 'start a payout')])).code).toBe(0);
  expect((await withWork(['recover'], [pick('Which request?', 'start an onramp of ₦700.00', '₦700')])).code).toBe(0);
});

test('a request of another machine can be typed, and nothing else is offered then', async () => {
  const id = '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de';
  const { code, stderr } = await withWork(['onramp', 'status'], [pick('Which request?', 'use this id', id)]);
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('no onramp has this request id') });
});

test('a request is typed where this machine started none', async () => {
  const typed: Answer = { kind: 'text', asks: 'Which request?', says: 'r-1' };
  expect((await atTerminal(['bridge', 'status'], [typed])).code).toBe(3);
});

test('a value out of a few is chosen, not typed', async () => {
  const answers: Answer[] = [
    { kind: 'select', asks: 'Pair', says: 'CNGN-USDC' },
    { kind: 'select', asks: 'Side', says: 'buy' },
    { kind: 'text', asks: 'Amount', says: '5000' },
  ];
  const { code, data } = await atTerminal(['fx', 'quote'], answers);
  expect({ code, side: data.side }).toEqual({ code: 0, side: 'buy' });
});

test('without a terminal, everything that is missing is named at once', async () => {
  const world = fakeWorld();
  expect(await main(['fx', 'quote'], world)).toBe(2);
  expect(world.stderr.text()).toContain('missing --pair <pair>, --side <side>, --amount <amount>');
});
