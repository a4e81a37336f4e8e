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
  [['wallets', 'user'], 'wallets'],
])('%j offers the users by name', async (argv, field) => {
  const { code, data, stderr } = await atTerminal(argv, [user]);
  expect({ code, stderr, hasField: Object.hasOwn(data ?? {}, field) }).toEqual({ code: 0, stderr: '', hasField: true });
});

test('users deactivate offers the active ones, and users activate the others', async () => {
  const reason: Answer = { kind: 'text', asks: 'Reason', says: 'lost phone' };
  const { code, data } = await atTerminal(['users', 'deactivate'], [user, reason]);
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
  const { code, data } = await atTerminal(['bank-accounts', 'add'], [number, bank]);
  expect({ code, bank: data.bankName }).toEqual({ code: 0, bank: 'ZENITH BANK' });
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
  expect(world.stderr.text()).toContain('missing required input: --pair <pair>, --side <side>, --amount <cngn>');
});
