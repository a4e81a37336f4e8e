import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { main } from '../../src/main.ts';
import { commandFor } from '../../src/terminal/command.ts';
import { nearest } from '../../src/terminal/parse/nearest.ts';
import { fakeWorld } from '../support/world.ts';

const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();

async function run(...argv: readonly string[]) {
  return runOn(false, ...argv);
}

async function runOn(isTerminal: boolean, ...argv: readonly string[]) {
  const world = fakeWorld({ isTerminal });
  const code = await main(argv, world);
  return { code, stdout: world.stdout.text(), stderr: world.stderr.text() };
}

describe('the command of an endpoint', () => {
  test.each([
    ['transactions.onramp', 'onramp create'],
    ['transactions.onramp-status', 'onramp status'],
    ['users.onboard-status', 'users onboarding status'],
    ['fx.trade', 'fx trade'],
    ['fx.trade-status', 'fx trades status'],
    ['fx.quote', 'fx quote'],
    ['swaps.status', 'swaps status'],
    ['bridge.initiate', 'bridge create'],
    ['wallets.balance-multi', 'balances account'],
    ['wallets.balance-user', 'balances user'],
    ['fees.accumulated', 'fees earned'],
    ['fx.create-limit-order', 'api'],
  ])('%s is for %s', (id, words) => {
    expect(endpoints.map((endpoint) => endpoint.id)).toContain(id);
    expect(commandFor(id, commands)).toBe(words);
  });

  test('lists that endpoint first, or after the one that it is another way of', () => {
    const wrong = endpoints.filter(({ id }) => {
      const words = commandFor(id, commands);
      return (
        words !== 'api' && !commands.some((each) => each.words.join(' ') === words && each.endpoints.indexOf(id) < 2)
      );
    });
    expect(wrong).toEqual([]);
  });

  test('refers only to existing endpoints', () => {
    const known = new Set(endpoints.map(({ id }) => id));
    const named = commands.flatMap((each) => each.endpoints.map((id) => `${each.words.join(' ')}: ${id}`));
    expect(named.filter((name) => !known.has(name.split(': ')[1] ?? '') && !name.includes(': sandbox.'))).toEqual([]);
  });
});

describe('fiatrail endpoints', () => {
  test('says of which group an endpoint is, and what each field means', async () => {
    const { stdout } = await run('endpoints', 'fx.quote', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      group: 'fx-quotes',
      request: expect.arrayContaining([
        expect.objectContaining({
          name: 'cngnAmount',
          meaning: 'The amount to trade in cNGN. Decimal string in cNGN. At least 1000 cNGN.',
        }),
      ]),
    });
  });

  test('prints every endpoint and no sandbox control as a JSON array', async () => {
    const { code, stdout, stderr } = await run('endpoints', '-o', 'json');
    const rows = JSON.parse(stdout) as { id: string }[];
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(rows.map(({ id }) => id).toSorted()).toEqual(endpoints.map(({ id }) => id).toSorted());
    for (const row of rows) expect(Object.keys(row)).toEqual(['id', 'method', 'path', 'aliases', 'effect', 'command']);
  });

  test('fits in 80 columns', async () => {
    const { stdout } = await runOn(true, 'endpoints');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test.each(endpoints.map(({ id }) => id))('describes %s completely', async (id) => {
    const { code, stdout } = await runOn(true, 'endpoints', id, '--no-color');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Errors \(\d+\)$/m);
    expect(stdout).not.toContain('more; show all with: -o json');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test.each([
    ['fx.qoute', 'did you mean fx.quote?'],
    ['/getfees', 'did you mean fees.get?'],
    ['/fx/trades/:tradeId', 'did you mean fx.trade-status?'],
    ['zzzzzzzz', 'list the endpoints with: fiatrail endpoints'],
  ])('exits with 2 for %s: %s', async (id, hint) => {
    const { code, stderr } = await run('endpoints', id);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(hint) });
  });
});

describe('the nearest names', () => {
  const names = ['fx.quote', 'fx.trade', 'fx.trade-status', 'users.list', 'users.onboard'];
  test.each([
    ['fx.quote', ['fx.quote']],
    ['FX.TRADE', ['fx.trade']],
    ['fx.trad', ['fx.trade', 'fx.trade-status']],
    ['trade', ['fx.trade', 'fx.trade-status']],
    ['usres.list', ['users.list']],
    ['', []],
    ['nothing like it', []],
  ])('to %j are %j', (text, near) => {
    expect(nearest(text, names).slice(0, near.length || 5)).toEqual(near);
  });
});
