import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Check, Prompter } from '../../src/base/world.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { main } from '../../src/main.ts';
import { temporaryFolder } from '../support/built.ts';
import type { FakeWorld } from '../support/world.ts';
import { worldAfter } from '../support/world-after.ts';

// An answer may name a file to be written.
const before = process.cwd();
beforeAll(() => process.chdir(temporaryFolder(afterAll)));
afterAll(() => process.chdir(before));

type Kind = keyof Prompter;

/** What a person could type; the first that a prompt takes is the answer. */
const TYPED = [
  '',
  '5000',
  'NGN 5000',
  '127.0.0.1',
  '0123456780',
  '22212345678',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '2h',
]
  .concat(['max', 'acme', 'https://host.test/v1', 'ada@example.com', 'a-live-key-nobody-may-see', 'GET', '/balances'])
  .concat(['users list']);

/** Answers every question with something that it takes, and No to every confirmation. */
function answering(asked: [kind: Kind, question: string][]): Prompter {
  const note = (kind: Kind, question: string) => {
    asked.push([kind, question]);
    if (asked.length > 30) throw new Error('asks without end');
  };
  const typed = (kind: 'text' | 'secret') => async (question: string, check: Check) => {
    note(kind, question);
    const found = TYPED.find((each) => check(each) === true);
    if (found === undefined) throw new Error(`nothing fits "${question}": ${check(TYPED[0] ?? '')}`);
    return found;
  };
  return {
    confirm: async (question) => {
      note('confirm', question);
      return false;
    },
    text: typed('text'),
    secret: typed('secret'),
    select: async (question, choices) => {
      note('select', question);
      const [first] = choices;
      if (!first) throw new Error(`"${question}" offers nothing`);
      return first.value;
    },
    search: async (question, find) => {
      note('search', question);
      for (const words of ['', ...TYPED]) {
        const [first] = await find(words, new AbortController().signal);
        if (first) return first.value;
      }
      throw new Error(`"${question}" offers nothing`);
    },
  };
}

const ON_TERMINAL = {
  isTerminal: true,
  runProgram: async () => ({ kind: 'missing' }) as const,
  network: async () => ({ status: 503, headers: {}, body: '' }),
};

/** A sandbox with users and some work, and a journal with an operation with an unknown outcome. */
const opened = worldAfter(
  async (world) => {
    const run = async (...argv: string[]) => {
      const before = world.stdout.text().length;
      await main([...argv, '--yes', '-q', '-o', 'json'], world);
      return JSON.parse(world.stdout.text().slice(before) || 'null');
    };
    await run('sandbox', 'seed', '--users', '3', '--pace', 'instant');
    const [{ userId }, other] = (await run('users', 'list')).users;
    await run('users', 'deactivate', other.userId, '--reason', 'lost phone');
    await run('onramp', 'create', userId, '--amount', '700');
    await run('wallets', 'external', 'add', '0x52908400098527886E0F7030069857D2E4169EE7', '--network', 'base');
    await run('ip', 'add', '127.0.0.1');
    await run('sandbox', 'fault', 'add', '--on', 'payout create', '--fault', 'lost-response');
    await run('payout', 'create', '--amount', '1500', '--to', 'default');
  },
  undefined,
  ON_TERMINAL,
);
const busyWorld = async () => (await opened()).world;

/** They run until they are ended, take one line after the other, need a live account, or ask again if the service does not answer (init). */
const OTHERS = new Set(['sandbox serve', 'webhooks listen', 'tour', 'sql', 'keys sandbox add', 'init']);

/** Runs a command that is given nothing; returns what it asked for. */
async function bare(world: FakeWorld, words: readonly string[]) {
  const asked: [kind: Kind, question: string][] = [];
  const before = world.stderr.text().length;
  const code = await main([...words], { ...world, prompter: async () => answering(asked) });
  return { code, asked, stderr: world.stderr.text().slice(before) };
}

test('every command asks for what it needs, and for a secret last', async () => {
  const commands = (await Promise.all(CATALOGUE.map(({ load }) => load()))).flat();
  const world = await busyWorld();
  const wrong: string[] = [];
  let count = 0;
  for (const { words, parameters, guide, asks } of commands) {
    const name = words.join(' ');
    const isAsking = guide ?? asks ?? Object.values(parameters).some(({ required }) => required);
    if (!isAsking || OTHERS.has(name)) continue;
    count += 1;
    const { code, asked, stderr } = await bare(world, words);
    const kinds = asked.filter(([kind]) => kind !== 'confirm').map(([kind]) => kind);
    const isOrdered =
      !kinds.includes('secret') || kinds.slice(kinds.indexOf('secret')).every((each) => each === 'secret');
    if (code === 1 || kinds.length === 0 || !isOrdered || /missing|required/.test(stderr))
      wrong.push(`${name} exits with ${code} after ${JSON.stringify(asked)}: ${stderr.slice(0, 400)}`);
  }
  expect(count).toBeGreaterThan(80);
  expect(wrong).toEqual([]);
}, 120_000);

test.each([
  [
    ['fx', 'trade'],
    ['Pair', 'Side', 'Amount in cNGN:', 'Buy USDC with 5,000.00 cNGN. Continue?'],
  ],
  [
    ['fx', 'orders', 'create'],
    ['Pair', 'Side', 'Price', 'Minimum', 'Maximum', 'Place an order on CNGN-USDC'],
  ],
  [
    ['profiles', 'add', 'acme'],
    ['Base URL', 'API key:'],
  ],
  [['profiles', 'use'], ['Which profile?']],
  [['find'], ['What do you look for?']],
  [['ops', 'resume'], ['Which operation?']],
  [
    ['ops', 'resolve'],
    ['Which operation?', 'How did it end?', 'How do you know?'],
  ],
  [['sandbox', 'events', 'show'], ['Which event?']],
])('%j asks in this order: %j', async (words, expected) => {
  const { asked } = await bare(await busyWorld(), words);
  expect(asked.map(([, question]) => question)).toEqual(expected.map((each) => expect.stringContaining(each)));
});

test.each([
  [['fx', 'trade'], 'Amount in cNGN:', '12', 'below the minimum of 1,000.00 cNGN'],
  [['fx', 'trade', '--order', 'o-1'], 'Amount in cNGN:', '12', true],
  [['fx', 'orders', 'create', '--min', '6000'], 'Maximum per trade', '5000', '--min'],
  [['withdrawals', 'create', 'u-1', '--token', 'USDC'], 'Amount in whole tokens:', '5 USDT', 'not an amount of USDC'],
  [['transfers', 'create', '--token', 'USDC'], 'Amount in whole tokens:', '5 USDT', 'not an amount of USDC'],
] as const)('%j asks again for what does not fit the other values', async (words, question, typed, expected) => {
  const verdicts: unknown[] = [];
  const real = answering([]);
  const text: Prompter['text'] = (asked, check) => {
    if (asked.includes(question)) verdicts.push(check(typed), check('50000'));
    return real.text(asked, check);
  };
  await main([...words], { ...(await busyWorld()), prompter: async () => ({ ...real, text }) });
  expect(verdicts).toEqual([expected === true ? true : expect.stringContaining(expected), true]);
});

test('swaps create does not offer the token that is sold, and takes no amount of another one', async () => {
  const world = await busyWorld();
  const real = answering([]);
  const offered: unknown[] = [];
  const select: Prompter['select'] = (asked, choices, asking) => {
    if (asked.includes('buy')) offered.push(choices.map(({ name }) => name));
    return real.select(asked, choices, asking);
  };
  const text: Prompter['text'] = (asked, check) => {
    offered.push(check('5 USDT'), check('5 cNGN'));
    return real.text(asked, check);
  };
  await main(['swaps', 'create', '--sell', 'CNGN'], { ...world, prompter: async () => ({ ...real, select, text }) });
  expect(offered).toEqual([['USDC', 'USDT'], expect.stringContaining('the token to sell'), true]);
});
