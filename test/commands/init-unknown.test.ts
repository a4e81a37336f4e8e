import { expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { success } from '../support/exchange.ts';
import type { Answer } from '../support/world.ts';
import { BOX, LIVE, newMachine, URL_ } from './profiles/support.ts';

const network: Exchange = async ({ url }) =>
  success(
    url.includes('allowlist')
      ? { yourIp: '127.0.0.1', isAllowed: true, totalConfiguredIps: 1, ips: [] }
      : { publicKey: 'ab'.repeat(32) },
  );

/** Every answer of init, with `more` at the end. */
const answersWith = (key: string, ...more: readonly Answer[]): readonly Answer[] => [
  { kind: 'secret', asks: 'API key', says: key },
  { kind: 'text', asks: 'Profile name', says: 'main' },
  { kind: 'confirm', asks: 'Encrypt responses', says: false },
  { kind: 'confirm', asks: 'the default profile', says: false },
  ...more,
];

const QUESTION = 'Does anything but fiatrail move money with this account';

test.each([
  ['Yes, or I do not know', 'ask'],
  ['No: end unknown outcomes', 'auto'],
])('init asks once who ends the unknown outcomes of a live account: %s is %s', async (says, unknown) => {
  const machine = newMachine();
  const answers = answersWith(
    LIVE,
    { kind: 'select', asks: QUESTION, says },
    { kind: 'confirm', asks: 'Create a sandbox key', says: false },
  );
  await machine.run(['init', '--base-url', URL_, '--store', 'file'], {
    network,
    isTerminal: true,
    answers,
  });
  expect(machine.profile('main')).toMatchObject({ mode: 'live', unknown });
});

test('init does not ask it for a sandbox, nor if the flag says it', async () => {
  const box = newMachine();
  const line = ['init', '--base-url', URL_, '--store', 'file'];
  await box.run(line, { network, isTerminal: true, answers: answersWith(BOX) });
  expect(box.profile('main')).toMatchObject({ mode: 'sandbox' });
  expect(box.profile('main').unknown).toBeUndefined();
  const live = newMachine();
  const answers = answersWith(LIVE, { kind: 'confirm', asks: 'Create a sandbox key', says: false });
  await live.run([...line, '--unknown', 'auto'], { network, isTerminal: true, answers });
  expect(live.profile('main')).toMatchObject({ mode: 'live', unknown: 'auto' });
});

test('init without prompts leaves the default', async () => {
  const machine = newMachine();
  await machine.run(['init', 'main', '--base-url', URL_, '--key-stdin'], { network, stdin: LIVE });
  expect(machine.profile('main').unknown).toBeUndefined();
});

test('init --embedded takes no other name than that of the embedded sandbox, and changes nothing', async () => {
  const machine = newMachine();
  const { code, stderr } = await machine.run(['init', 'main', '--embedded'], { network });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(
      'the profile of the embedded sandbox is always named sandbox\n  hint: omit the name: fiatrail init --embedded',
    ),
  });
});
