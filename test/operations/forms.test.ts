import { describe, expect, onTestFinished, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { type AnswerFormName, answerFormsOf } from '../../src/contract/answer-forms.ts';
import { main } from '../../src/main.ts';
import { createSandbox } from '../../src/sandbox/app.ts';
import { GROUPS, type MoneyLine, type Place } from '../faults/money-groups.ts';
import { journalRows } from '../support/journal.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { fakeWorld } from '../support/world.ts';
import { furnished } from './furnished.ts';

const FORMS: readonly AnswerFormName[] = ['interface', 'public', 'public-older'];

/** Draws the same from every choice, so that each line is what its endpoint's group says. */
const always = (index: number) => ({
  one: <T>(of: readonly T[]): T => of[Math.min(index, of.length - 1)] as T,
  below: () => index,
  percent: () => false,
});

/** Every kind of work that moves money and that a list shows, as a command line. `more` is added to the amount. */
function linesOf(place: Place, more = 0): ReadonlyMap<string, Pick<MoneyLine, 'endpoint' | 'argv'>> {
  const lines = GROUPS.flatMap((group) => [0, 1, 2].map((index) => group.line(place, always(index), more)));
  const quoted = `fx trade --pair CNGN-USDC --side buy --amount ${1000 + more} --max-price 9999`;
  return new Map<string, Pick<MoneyLine, 'endpoint' | 'argv'>>([
    ...lines.filter(({ endpoint }) => endpoint !== 'users.onboard').map((line) => [line.endpoint, line] as const),
    ['fx.trade on a quote', { endpoint: 'fx.trade', argv: quoted.split(' ') }],
    ['fees.withdraw without a tag', { endpoint: 'fees.withdraw', argv: words(500 + more, '--no-tag') }],
  ]);
}

const words = (amount: number, more: string) =>
  `fees withdraw --amount ${amount} --bank-code 000013 --account-number 0123456789 --account-name ADA ${more}`.split(
    ' ',
  );

/** A sandbox over the network that answers in one form, with money to move. It was furnished in the form of the specification. */
async function served(form: AnswerFormName) {
  const forms = answerFormsOf(form);
  const { place, beginning } = await furnished();
  const box = await openSandbox({ beginning });
  onTestFinished(box.close);
  const sandbox = forms ? createSandbox(box.service, { forms }) : box.sandbox;
  const network: Exchange = async (request) => {
    const caller = { apiKey: request.headers['x-api-key'], address: '127.0.0.1' };
    const answer = await sandbox.fetch(request, caller);
    return { ...answer, headers: { ...answer.headers, ...box.sandbox.timeHeaders() } };
  };
  const env = { FIATRAIL_BASE_URL: 'http://127.0.0.1:9/v1', FIATRAIL_API_KEY: box.apiKey };
  const world = fakeWorld({ network, env, clock: box.clock });
  const run = async (argv: readonly string[]) => {
    const before = world.stdout.text().length;
    const exit = await main([...argv, '--yes', '-q', '-o', 'json'], world);
    return { exit, stdout: world.stdout.text().slice(before) };
  };
  const reconciled = async () => {
    const { stdout } = await run(['ops', 'reconcile']);
    return (JSON.parse(stdout) as { operations: { found: string }[] }).operations.map(({ found }) => found);
  };
  const newest = () => journalRows(world.stateDir).at(-1);
  return { box, run, world, place, reconciled, newest };
}

const fault = (box: TestSandbox, endpoint: string, kind: string) =>
  box.inside(({ store, nowMs }) =>
    store.run('INSERT INTO fault_rule (endpoint, kind, times, created_at) VALUES (?, ?, 1, ?)', endpoint, kind, nowMs),
  );

/** The names of the lines do not depend on it. */
const ANY_PLACE: Place = {
  userId: '',
  managedWallet: '',
  onrampWallet: '',
  bankAccountId: '',
  bank: '',
  wallet: '',
  destination: '',
};

const NAMES = [...linesOf(ANY_PLACE).keys()];

describe.each(FORMS)('answers in the form %s', (form) => {
  test.each(NAMES)('find the work of a lost response, and none of a lost request: %s', async (name) => {
    const { box, run, world, place, reconciled, newest } = await served(form);
    const lineWith = (more: number) => linesOf(place, more).get(name) ?? { endpoint: '', argv: [] };
    const { endpoint } = lineWith(0);
    const argvWith = (more: number) =>
      endpoint === 'swaps.create' ? [...lineWith(more).argv, '--from', place.managedWallet] : lineWith(more).argv;
    const argv = argvWith(0);
    await fault(box, endpoint, 'lost-response');
    expect((await run([...argv, '--once', 'a'])).exit).toBe(6);
    expect(await reconciled()).toEqual(['ended']);
    const found = newest();
    expect(found?.request_id).toEqual(expect.any(String));
    expect(['accepted', 'settled']).toContain(found?.state);
    // Printed from the journal, and not sent again.
    expect((await run([...argv, '--once', 'a'])).exit).toBe(0);
    await box.clock.pass(20_000);
    await fault(box, endpoint, 'lost-request');
    expect((await run([...argv, '--once', 'b'])).exit).toBe(6);
    const lost = newest()?.id;
    // It is not given the row of the first request.
    expect(await reconciled()).toEqual(['unseen']);
    await box.clock.pass(70_000);
    // An equal one stops as long as the outcome of the lost one is unknown, and one of another amount shows that the list goes on.
    expect((await run([...argv, '--once', 'c'])).exit).toBe(9);
    expect((await run([...argvWith(1), '--once', 'd'])).exit).toBe(0);
    await box.clock.pass(11 * 60_000);
    // No list shows an onramp before it is paid.
    const isListed = endpoint !== 'transactions.onramp';
    expect(await reconciled()).toEqual([isListed ? 'ended' : 'unseen']);
    const detail = expect.stringMatching(/^looked for twice, and not found; .* came after/);
    const state = isListed ? 'resolved' : 'unknown';
    expect(journalRows(world.stateDir).find(({ id }) => id === lost)).toMatchObject({
      state,
      ...(isListed ? { detail } : {}),
    });
  });

  test('show a swap to a person if nothing says whose wallet its row names', async () => {
    const { box, run, place, reconciled } = await served(form);
    await fault(box, 'swaps.create', 'lost-response');
    const swap = ['swaps', 'create', place.userId, '--sell', 'CNGN', '--buy', 'USDC', '--amount', '2000'];
    expect((await run([...swap, '--once', 'a'])).exit).toBe(6);
    // The oldest answers do not show the wallets of a user.
    expect(await reconciled()).toEqual([form === 'public-older' ? 'several' : 'ended']);
  });
});
