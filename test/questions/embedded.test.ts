import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { INBOX_URL } from '../../src/contract/sandbox.ts';
import { newHome, sharedEnd } from '../support/built.ts';
import { fiatrail, fiatrailJson } from '../support/in-process.ts';

const BVN = '22345678901';
const home = newHome(sharedEnd());
const json = async (argv: readonly string[], stdin?: string) =>
  (await fiatrailJson(home, [...argv, '-q'], stdin === undefined ? {} : { stdin })) as {
    readonly [name: string]: unknown;
  };

/** What became of a user with an onramp in the embedded sandbox. */
const ids = { user: '', onramp: '', wrong: '', right: '' };

beforeAll(async () => {
  await fiatrail(home, ['sandbox', 'seed', '--pace', 'instant', '-q']);
  await fiatrail(home, ['webhooks', 'set', INBOX_URL, '--new-secret', '--yes', '-q']);
  const onboarded = await json(['users', 'onboard', '--bvn-stdin', '--wait'], `${BVN}\n`);
  ids.user = String(onboarded['userId']);
  // Its last recorded answer is the status, which does not say what was due.
  const started = await json(['onramp', 'create', ids.user, '--amount', '5000', '--yes']);
  ids.onramp = String(started['requestId']);
  const pay = async (amount: string) =>
    (
      await json([
        'sandbox',
        'pay',
        String(started['accountNumber']),
        '--amount',
        amount,
        '--sender',
        'IFEOMA BOLAJI OBI',
      ])
    )['depositId'];
  ids.wrong = String(await pay('5000'));
  ids.right = String(await pay('5100'));
  await json(['onramp', 'status', ids.onramp, '--wait']);
  await json(['sync']);
});

const told = async (argv: readonly string[]) => {
  const story = await json(['find', ...argv]);
  const timeline = story['timeline'] as readonly { what: string; source: string }[];
  return { story, what: timeline.map(({ what }) => what) };
};

describe('find in the embedded sandbox', () => {
  test('tells an onramp with who started it, its payments and whose it is', async () => {
    const { story, what } = await told([ids.onramp]);
    expect(story).toMatchObject({ kind: 'onramp', status: 'completed', user: { userId: ids.user } });
    expect(what[0]).toMatch(/^run by \S+ on \S+: start an onramp of ₦5,000\.00 for user /);
    expect(what).toContain(
      `₦5,000.00 from IFEOMA BOLAJI OBI arrived, but exactly ₦5,100.00 is due; the service refunds it (deposit ${ids.wrong})`,
    );
    expect(what).toContain(`₦5,100.00 from IFEOMA BOLAJI OBI arrived; status: completed (deposit ${ids.right})`);
  });

  test('links a refunded payment to the onramp that it was meant for', async () => {
    const { story, what } = await told([ids.wrong]);
    expect(story['means']).toBe(
      'has failed: ₦5,000.00 from IFEOMA BOLAJI OBI arrived, but exactly ₦5,100.00 is due; the service returns it to the bank account that it came from',
    );
    expect(what[0]).toBe(`onramp ${ids.onramp} started; exactly ₦5,100.00 is due`);
    expect(story['next']).toContainEqual({ command: `fiatrail find ${ids.onramp}` });
  });

  test('tells the events about a thing, and finds an event by its own id', async () => {
    await json(['sandbox', 'settle']);
    const { events } = (await json(['webhooks', 'inbox', 'list'])) as {
      events: { eventId: string; event: string; requestId: string; id: number }[];
    };
    const confirmed = events.find(({ event }) => event === 'payments.confirmed');
    expect((await told([ids.onramp])).what).toContain(`event payments.confirmed (no. ${confirmed?.id})`);
    const { story } = await told([confirmed?.eventId ?? '']);
    expect(story).toMatchObject({ kind: 'event', id: String(confirmed?.id), row: { event: 'payments.confirmed' } });
    expect(story['next']).toContainEqual({ command: `fiatrail find ${confirmed?.requestId}` });
  });

  test('finds the onboarding of a BVN, and repeats it nowhere', async () => {
    const { code, stdout, stderr } = await fiatrail(home, ['find', '--bvn-stdin', '-o', 'json'], { stdin: `${BVN}\n` });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'onboarding', user: { userId: ids.user } });
    expect(stdout + stderr).not.toContain(BVN);
    expect((await fiatrail(home, ['find', '--bvn-stdin'], { stdin: '22345678902' })).code).toBe(3);
  });

  test('finds no onboarding of a BVN that the sandbox had before it was reset, which made it another account', async () => {
    const before = newHome(onTestFinished);
    const run = (argv: readonly string[], stdin = '') => fiatrail(before, [...argv, '-q', '-o', 'json'], { stdin });
    const find = () => run(['find', '--bvn-stdin'], BVN);
    await run(['users', 'onboard', '--bvn-stdin', '--wait'], BVN);
    expect((await find()).code).toBe(0);
    expect((await run(['sandbox', 'reset', '--yes'])).code).toBe(0);
    const { code, stdout } = await find();
    expect({ code, matches: JSON.parse(stdout).matches }).toEqual({ code: 3, matches: [] });
  });
});

describe('an id of another kind', () => {
  test.each([
    ['offramp status', () => ids.onramp, () => `this is the id of an onramp: fiatrail onramp status ${ids.onramp}`],
    ['ops show', () => ids.user, () => `this is the id of a user: fiatrail users show ${ids.user}`],
    ['users show', () => ids.onramp, () => `this is the id of an onramp: fiatrail onramp status ${ids.onramp}`],
  ])('given to %s is named in the hint', async (words, id, hint) => {
    const { code, stderr } = await fiatrail(home, [...words.split(' '), id(), '-o', 'json']);
    expect(code).not.toBe(0);
    expect(JSON.parse(stderr.split('\n').find((line) => line.startsWith('{')) ?? '').error.hint).toBe(hint());
  });

  test.each([
    ['that nothing knows', ['offramp', 'status', 'nobody-0001'], 'list offramps with: fiatrail offramp list'],
    ['of an operation, whose request was meant', ['onramp', 'status', '$OPERATION'], 'this belongs to an onramp'],
  ])('%s', async (_, argv, hint) => {
    const list = await json(['ops', 'list']);
    const [operation] = list['operations'] as readonly { operationId: string }[];
    const words = argv.map((word) => word.replace('$OPERATION', operation?.operationId ?? ''));
    const { stderr } = await fiatrail(home, words);
    expect(stderr).toContain(hint);
  });
});
