import { beforeEach, describe, expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { refusal, success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, dated, type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

let world: FakeWorld;
beforeEach(() => {
  world = fakeWorld();
});

const run = (...argv: string[]) => main([...argv, '-q'], world);

async function json(...argv: string[]): Promise<Record<string, unknown>> {
  const before = world.stdout.text().length;
  const exit = await run(...argv, '-o', 'json');
  if (exit !== 0 && exit !== 6) throw new Error(world.stderr.text());
  return JSON.parse(world.stdout.text().slice(before)) as Record<string, unknown>;
}

/** The state of the last operation on an endpoint. */
const stateOf = (endpoint: string) => journalRows(world.stateDir).findLast((row) => row.endpoint === endpoint)?.state;

async function reconciled(): Promise<string | undefined> {
  const { operations } = (await json('ops', 'reconcile')) as { operations: { found: string }[] };
  return operations.at(-1)?.found;
}

interface Case {
  readonly endpoint: string;
  /** Makes what the change is about, and returns the command line of the change. */
  prepare(): Promise<string[]>;
}

async function newUser(): Promise<string> {
  const { userId } = await json('users', 'onboard', '22222222221', '--wait', '--yes');
  return String(userId);
}

async function newOrder(): Promise<string> {
  const terms = ['--pair', 'CNGN-USDC', '--side', 'buy', '--price', '1390', '--min', '1000', '--max', '5000'];
  const { orderId } = await json('fx', 'orders', 'create', ...terms, '--yes');
  return String(orderId);
}

const CASES: readonly Case[] = [
  {
    endpoint: 'wallets.remove-external',
    prepare: async () => {
      await run('wallets', 'external', 'add', ADDRESS, '--network', 'base', '--yes');
      await run('wallets', 'external', 'add', OTHER, '--network', 'base', '--yes');
      return ['wallets', 'external', 'remove', ADDRESS];
    },
  },
  {
    endpoint: 'banks.delete',
    prepare: async () => {
      const { accounts } = (await json('bank-accounts', 'list')) as { accounts: { accountId: string }[] };
      return ['bank-accounts', 'remove', accounts[0]?.accountId ?? ''];
    },
  },
  {
    endpoint: 'users.remove-default-wallet',
    prepare: async () => {
      const user = await newUser();
      await run('users', 'default-wallet', 'set', user, '--address', ADDRESS, '--network', 'base', '--yes');
      return ['users', 'default-wallet', 'remove', user];
    },
  },
  { endpoint: 'fx.delete-limit-order', prepare: async () => ['fx', 'orders', 'cancel', await newOrder()] },
  {
    endpoint: 'fx.update-limit-order',
    prepare: async () => ['fx', 'orders', 'update', await newOrder(), '--max', '4000', '--spread', '0.5%'],
  },
  {
    endpoint: 'fx.update-limit-order',
    prepare: async () => ['fx', 'orders', 'pause', await newOrder()],
  },
];

describe.each(CASES)('$endpoint', ({ endpoint, prepare }) => {
  const fault = (kind: string) => run('sandbox', 'fault', 'add', '--on', endpoint, '--fault', kind);

  test('is found done when only its response was lost', async () => {
    const line = await prepare();
    await fault('lost-response');
    expect(await run(...line, '--yes')).toBe(6);
    expect(await run('ops', 'reconcile')).toBe(0);
    expect(stateOf(endpoint)).toBe('settled');
  });

  test('is not found done when the request was lost, and in a sandbox believed not done after 10 minutes', async () => {
    const line = await prepare();
    await fault('lost-request');
    expect(await run(...line, '--yes')).toBe(6);
    expect(await reconciled()).toBe('unseen');
    expect(stateOf(endpoint)).toBe('unknown');
    await run('sandbox', 'advance', '11m');
    expect(await run('ops', 'reconcile')).toBe(0);
    expect(stateOf(endpoint)).toBe('resolved');
  });
});

test('a sandbox reset ends the changes that the sandbox alone knew', async () => {
  await run('wallets', 'external', 'add', ADDRESS, '--network', 'base', '--yes');
  await run('sandbox', 'fault', 'add', '--on', 'wallets.remove-external', '--fault', 'lost-request');
  expect(await run('wallets', 'external', 'remove', ADDRESS, '--yes')).toBe(6);
  expect(await run('sandbox', 'reset', '--yes')).toBe(0);
  expect([stateOf('wallets.remove-external'), stateOf('sandbox.reset')]).toEqual(['resolved', 'settled']);
});

describe('an answer that does not say it', () => {
  /** A live service that answers nothing to a removal, and shows `shown` everywhere else. */
  const service = (shown: object) => {
    const clock = fakeClock();
    world = fakeWorld({
      clock,
      env: ACCOUNT,
      network: async (request) => {
        const isRemoval = request.method === 'DELETE' || /"action":"remove"/.test(request.body ?? '');
        return isRemoval ? { status: 502, headers: {}, body: '' } : success(shown);
      },
    });
  };
  const entry = (ip: string) => ({
    isAllowed: true,
    yourIp: '203.0.*.*',
    matchedRule: '203.0.*.*',
    totalConfiguredIps: 2,
    totalIps: 2,
    ipAddresses: [{ index: 0, ip: '203.0.*.*' }, ...(ip === '' ? [] : [{ index: 1, ip }])],
  });

  test.each<[string, object, string[], string]>([
    [
      'a wallet without its list',
      { fintechId: 'f', smartWallet: { address: OTHER } },
      ['wallets', 'external', 'remove', ADDRESS],
      'unclear',
    ],
    ['no default wallet named', { userId: 'u' }, ['users', 'default-wallet', 'remove', 'u'], 'unclear'],
    ['no default wallet', { userId: 'u', defaultWallet: null }, ['users', 'default-wallet', 'remove', 'u'], 'ended'],
    ['a list that has more', { accounts: [], total: 3 }, ['bank-accounts', 'remove', 'a-1'], 'unclear'],
    ['a whole list', { accounts: [], total: 0 }, ['bank-accounts', 'remove', 'a-1'], 'ended'],
    ['a list without the order', { orders: [] }, ['fx', 'orders', 'cancel', 'o-1'], 'unclear'],
    ...(
      [
        ['an order without a price', {}, ['--price', '1'], 'unclear'],
        ['an order without a status', { status: null }, ['pause'], 'unclear'],
        ['an order without a spread', {}, ['--spread', '0.5%'], 'unclear'],
        ['an order of another price', { price: '2.5' }, ['--price', '1', '--spread', '0.5%'], 'unseen'],
        ['an order of another status', {}, ['pause'], 'unseen'],
        ['an order of another spread', { spread: 0.6 }, ['--spread', '0.5%'], 'unseen'],
        ['an order in tokens or base units', { price: '1390000000' }, ['--price', '1390'], 'ended'],
        ['an order of another price in either unit', { price: '1391000000' }, ['--price', '1390'], 'unseen'],
      ] as const
    ).map(([what, order, words, found]): [string, object, string[], string] => [
      what,
      { orders: [{ orderId: 'o-1', status: 'active', ...order }] },
      words[0] === 'pause' ? ['fx', 'orders', 'pause', 'o-1'] : ['fx', 'orders', 'update', 'o-1', ...words],
      found,
    ]),
    [
      'an order that was deleted',
      { orders: [{ orderId: 'o-1', status: 'deleted' }] },
      ['fx', 'orders', 'update', 'o-1', '--price', '1'],
      'unclear',
    ],
  ])('%s', async (_what, shown, line, found) => {
    service(shown);
    if (line[2] === 'update' || line[2] === 'pause') {
      world = {
        ...world,
        network: dated(
          async (request) => (request.method === 'PUT' ? { status: 502, headers: {}, body: '' } : success(shown)),
          world.clock,
        ),
      };
    }
    expect(await run(...line, '--yes')).toBe(6);
    expect(await reconciled()).toBe(found);
  });

  test('a rejection to show the thing', async () => {
    service({ userId: 'u' });
    expect(await run('users', 'default-wallet', 'remove', 'u', '--yes')).toBe(6);
    world = { ...world, network: async () => refusal(404, '02', 'no such user') };
    expect(await reconciled()).toBe('unclear');
  });

  test('a masked entry that looks like the removed one', async () => {
    service(entry('198.51.*.*'));
    expect(await run('ip', 'remove', '198.51.100.7', '--lock-me-out', '--yes')).toBe(6);
    expect(await reconciled()).toBe('unclear');
    world = { ...world, network: async () => success(entry('')) };
    expect(await reconciled()).toBe('ended');
    expect(stateOf('management.ip-allowlist')).toBe('settled');
  });
});
