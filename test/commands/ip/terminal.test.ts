import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  fiatrail,
  fiatrailJson,
  fiatrailOnTerminal,
  type Home,
  newHome,
  requireBuilt,
  type Step,
} from '../../support/built.ts';

/** The questions of `ip add` on a real terminal. */

beforeAll(requireBuilt);

const [ENTER, CTRL_C, CLEAR] = ['\r', '\u0003', '\u0015'];

async function typing(home: Home, argv: readonly string[], ...steps: readonly Step[]) {
  const { screen, code, missed } = await fiatrailOnTerminal(home, argv, steps);
  expect({ missed, screen }).toEqual({ missed: null, screen });
  const { totalIps } = await fiatrailJson<{ totalIps: number }>(home, ['ip', 'list', '-q']);
  return { screen, code, totalIps };
}

/** A list with one entry that lets this machine in. */
async function homeWithEntry(): Promise<Home> {
  const home = newHome(onTestFinished);
  await fiatrail(home, ['ip', 'add', '127.0.0.1', '-q']);
  return home;
}

const ADDRESS = { expect: 'Address or range:', send: `127.0.0.1${ENTER}` };
const LABEL = { expect: 'Label (Enter for none):', send: `my desk${ENTER}` };
const ELSEWHERE = { expect: 'Address or range:', send: `203.0.113.7${ENTER}` };

describe('ip add', () => {
  test('asks, adds, proves, and ends with the line that does the same', async () => {
    const yes = { expect: 'go ahead?', send: `y${ENTER}` };
    const { screen, code, totalIps } = await typing(newHome(onTestFinished), ['ip', 'add'], ADDRESS, LABEL, yes);
    expect({ code, totalIps }).toEqual({ code: 0, totalIps: 1 });
    expect(screen).toContain('this machine (127.0.0.1) may call, as everybody may: the list is empty');
    expect(screen).toContain('this machine (127.0.*.*) may call, by the entry 127.0.*.*');
    expect(screen).toContain("the same in one line: fiatrail ip add 127.0.0.1 --label 'my desk'");
  });

  test('says of an answer what it says of an argument, and asks again', async () => {
    const { code, totalIps } = await typing(
      newHome(onTestFinished),
      ['ip', 'add'],
      { expect: 'Address or range:', send: `10.1.2.3/8${ENTER}` },
      { expect: 'has bits beyond its /8', send: `${CLEAR}203.0.113.7${ENTER}` },
      { expect: 'would be the only entry', send: `${CLEAR}127.0.0.1${ENTER}` },
      { expect: 'Label', send: ENTER },
      { expect: 'go ahead?', send: ENTER },
    );
    expect({ code, totalIps }).toEqual({ code: 9, totalIps: 0 });
  });

  test('asks whether an address elsewhere is meant', async () => {
    const { screen, code, totalIps } = await typing(
      await homeWithEntry(),
      ['ip', 'add'],
      ELSEWHERE,
      { expect: 'is 203.0.113.7 meant?', send: `y${ENTER}` },
      { expect: 'Label', send: ENTER },
      { expect: 'go ahead?', send: `y${ENTER}` },
    );
    expect({ code, totalIps }).toEqual({ code: 0, totalIps: 2 });
    expect(screen).toContain('the same in one line: fiatrail ip add 203.0.113.7');
  });

  const LEFT: readonly (readonly [question: string, before: readonly Step[]])[] = [
    ['Address or range:', []],
    ['meant?', [ELSEWHERE]],
    ['Label (Enter for none):', [ADDRESS]],
    ['go ahead?', [ADDRESS, LABEL]],
  ];
  test.each(LEFT)('changes nothing on Ctrl-C at %s: 130', async (question, before) => {
    const steps = [...before, { expect: question, send: CTRL_C }];
    const { screen, code, totalIps } = await typing(await homeWithEntry(), ['ip', 'add'], ...steps);
    expect({ code, totalIps, hasInternalError: screen.includes('internal error') }).toEqual({
      code: 130,
      totalIps: 1,
      hasInternalError: false,
    });
  });
});

describe('ip remove and ip replace', () => {
  test.each([
    [['ip', 'remove', '203.0.113.7'], 'go ahead?'],
    [['ip', 'remove'], 'Which entry?'],
    [['ip', 'replace', '203.0.113.7', '--with', '203.0.113.8'], 'go ahead?'],
    [['ip', 'replace', '203.0.113.7'], 'New address or range:'],
  ])('%j changes nothing on Ctrl-C: 130', async (argv, question) => {
    const home = await homeWithEntry();
    await fiatrail(home, ['ip', 'add', '203.0.113.7', '-q']);
    const { code, totalIps } = await typing(home, argv, { expect: question, send: CTRL_C });
    expect({ code, totalIps }).toEqual({ code: 130, totalIps: 2 });
  });
});
