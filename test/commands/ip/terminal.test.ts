import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Home, newHome, requireBuilt } from '../../support/built.ts';
import { fiatrail, fiatrailJson } from '../../support/in-process.ts';
import { fiatrailOnTerminal, type Step } from '../../support/terminal.ts';

/** The questions of `ip add` on a real terminal. */

beforeAll(requireBuilt);

const [ENTER, CTRL_C, CLEAR] = ['\r', '\u0003', '\u0015'];

async function typing(home: Home, argv: readonly string[], ...steps: readonly Step[]) {
  const { screen, code, missed } = await fiatrailOnTerminal(home, argv, steps);
  expect({ missed, screen }).toEqual({ missed: null, screen });
  const { totalIps } = await fiatrailJson<{ totalIps: number }>(home, ['ip', 'list', '-q']);
  return { screen, code, totalIps };
}

/** A list with one entry, which allows this machine. */
async function homeWithEntry(): Promise<Home> {
  const home = newHome(onTestFinished);
  await fiatrail(home, ['ip', 'add', '127.0.0.1', '--yes', '-q']);
  return home;
}

const ADDRESS = { expect: 'Address or range:', send: `127.0.0.1${ENTER}` };
const LABEL = { expect: 'Label (Enter for none):', send: `my desk${ENTER}` };
const ELSEWHERE = { expect: 'Address or range:', send: `203.0.113.7${ENTER}` };

describe('ip add', () => {
  test('prompts, adds, verifies and prints the equivalent command', async () => {
    const yes = { expect: 'Continue?', send: `y${ENTER}` };
    const { screen, code, totalIps } = await typing(newHome(onTestFinished), ['ip', 'add'], ADDRESS, LABEL, yes);
    expect({ code, totalIps }).toEqual({ code: 0, totalIps: 1 });
    expect(screen).toContain('this machine (127.0.0.1) is allowed, like every address: the allowlist is empty');
    expect(screen).toContain('this machine (127.0.*.*) is allowed by the entry 127.0.*.*');
    expect(screen).toContain("equivalent command: fiatrail ip add 127.0.0.1 --label 'my desk'");
  });

  test('validates input like an argument and prompts again', async () => {
    const { code, totalIps } = await typing(
      newHome(onTestFinished),
      ['ip', 'add'],
      { expect: 'Address or range:', send: `10.1.2.3/8${ENTER}` },
      { expect: 'it has bits set after the /8 prefix', send: `${CLEAR}203.0.113.7${ENTER}` },
      { expect: 'would be the only entry', send: `${CLEAR}127.0.0.1${ENTER}` },
      { expect: 'Label', send: ENTER },
      { expect: 'Continue?', send: ENTER },
    );
    expect({ code, totalIps }).toEqual({ code: 9, totalIps: 0 });
  });

  test('asks once about an address that is not this machine’s', async () => {
    const { screen, code, totalIps } = await typing(
      await homeWithEntry(),
      ['ip', 'add'],
      ELSEWHERE,
      { expect: 'Label', send: ENTER },
      { expect: 'Continue?', send: `y${ENTER}` },
    );
    expect({ code, totalIps }).toEqual({ code: 0, totalIps: 2 });
    expect(screen).toContain('equivalent command: fiatrail ip add 203.0.113.7');
  });

  const LEFT: readonly (readonly [question: string, before: readonly Step[]])[] = [
    ['Address or range:', []],
    ['Label (Enter for none):', [ADDRESS]],
    ['Continue?', [ADDRESS, LABEL]],
  ];
  test.each(LEFT)('exits with 130 on Ctrl-C at %s and changes nothing', async (question, before) => {
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
    [['ip', 'remove', '203.0.113.7'], 'Continue?'],
    [['ip', 'remove'], 'Which entry?'],
    [['ip', 'replace', '203.0.113.7', '--with', '203.0.113.8'], 'Continue?'],
    [['ip', 'replace', '203.0.113.7'], 'New address or range:'],
  ])('%j exits with 130 on Ctrl-C and changes nothing', async (argv, question) => {
    const home = await homeWithEntry();
    await fiatrail(home, ['ip', 'add', '203.0.113.7', '-q']);
    const { code, totalIps } = await typing(home, argv, { expect: question, send: CTRL_C });
    expect({ code, totalIps }).toEqual({ code: 130, totalIps: 2 });
  });
});
