import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Home, newHome, requireBuilt, sharedEnd } from '../support/built.ts';
import { fiatrail, fiatrailJson } from '../support/in-process.ts';
import { journalRows } from '../support/journal.ts';
import { fiatrailOnTerminal, type Step } from '../support/terminal.ts';

/** The wizards on a pseudo-terminal, with the embedded sandbox. */

beforeAll(requireBuilt);

const [ENTER, CTRL_C, CTRL_D, CTRL_T, CLEAR, DOWN] = ['\r', '\u0003', '\u0004', '\u0014', '\u0015', '\u001b[B'];
const BVN = '22345678901';
const TERMS = ['xterm', 'dumb'] as const;
const LEAVING = TERMS.flatMap((term) => [[term, 'Ctrl-C', CTRL_C] as const, [term, 'Ctrl-D', CTRL_D] as const]);

async function run(home: Home, argv: readonly string[], steps: readonly Step[], term: string = 'xterm') {
  const { screen, code, missed } = await fiatrailOnTerminal(home, argv, steps, { term });
  expect({ missed, screen }).toEqual({ missed: null, screen });
  return { screen, code };
}

/** The parts of the BVN that are too long to appear by chance. */
const partsOf = (text: string) => [...text].map((_, at) => text.slice(at, at + 6)).filter((part) => part.length === 6);
const partsOn = (screen: string) => {
  // Ids and account numbers may contain such digits by chance.
  const asked = screen.slice(0, screen.indexOf('User  '));
  return partsOf(BVN)
    .filter((part) => asked.includes(part))
    .concat(screen.includes(BVN) ? [BVN] : []);
};
const usersOf = (home: Home) => fiatrailJson<{ users: { userId: string }[] }>(home, ['users', 'list']);

describe('users onboard', () => {
  const asks = { expect: 'BVN (11 digits):', send: `${BVN}${ENTER}` };
  const confirms = { expect: 'sandbox (embedded)?', send: `y${ENTER}` };
  const ONBOARD = ['users', 'onboard'];

  test.each(TERMS)('asks, waits and shows the user and their account (%s)', async (term) => {
    const home = newHome(onTestFinished);
    const wrong: Step[] = [
      { expect: 'BVN (11 digits):', send: `2234567${term === 'dumb' ? '' : CTRL_T}${ENTER}` },
      { expect: 'invalid BVN; expected 11 digits', send: term === 'dumb' ? '' : CLEAR },
    ];
    const { screen, code } = await run(home, ONBOARD, [...wrong, asks, confirms], term);
    const { users } = await usersOf(home);
    const { virtualAccounts } = await fiatrailJson<{ virtualAccounts: Record<string, string>[] }>(home, [
      'users',
      'show',
      users[0]?.userId ?? '',
    ]);
    expect({ code, users: users.length, parts: partsOn(screen) }).toEqual({ code: 0, users: 1, parts: [] });
    for (const shown of ['accountNumber', 'accountName', 'bankName'])
      expect(screen).toContain(virtualAccounts[0]?.[shown]);
    expect(screen).toContain('the onboarding completed');
    expect(screen.trimEnd()).toMatch(/equivalent command: fiatrail users onboard --bvn-stdin --wait < bvn.txt$/);
    expect(screen.includes('\u001b')).toBe(term !== 'dumb');
  });

  test.each(LEAVING)('sends nothing when a prompt is cancelled (%s, %s)', async (term, _, key) => {
    const home = newHome(onTestFinished);
    const atBvn = await run(home, ONBOARD, [{ ...asks, send: `2234${key}` }], term);
    const atConfirm = await run(home, ONBOARD, [asks, { ...confirms, send: key }], term);
    const said = [atBvn, atConfirm].map(({ screen }) => screen.includes('interrupted; nothing was sent'));
    expect({ atBvnCode: atBvn.code, atConfirmCode: atConfirm.code, said, users: (await usersOf(home)).users }).toEqual({
      atBvnCode: 130,
      atConfirmCode: 130,
      said: [true, true],
      users: [],
    });
    expect([...partsOn(atBvn.screen), ...partsOn(atConfirm.screen)]).toEqual([]);
  });

  test('exits with 9 when declined and sends nothing', async () => {
    const home = newHome(onTestFinished);
    const { code } = await run(home, ONBOARD, [asks, { ...confirms, send: `n${ENTER}` }]);
    expect({ code, users: (await usersOf(home)).users }).toEqual({ code: 9, users: [] });
  });

  test('is not a wizard with a given BVN or --no-input', async () => {
    const home = newHome(onTestFinished);
    const given = await run(home, [...ONBOARD, BVN], []);
    const quiet = await run(home, [...ONBOARD, '--no-input'], []);
    expect({
      givenCode: given.code,
      hasOneLine: given.screen.includes('equivalent command'),
      quietCode: quiet.code,
    }).toEqual({ givenCode: 0, hasOneLine: false, quietCode: 2 });
  });
});

describe('onramp create', () => {
  const START = ['onramp', 'create'];
  const searched = 'name, id or account number:';
  const PAY = {
    expect: 'within',
    find: 'to +(\\d{10})',
    run: ['sandbox', 'pay', '{}', '--amount', '5100', '--sender', 'ANYBODY'],
  };
  const CONFIRM = { expect: 'Continue?', send: `y${ENTER}` };
  const atEnd = sharedEnd();
  let home: Home;
  let ids: readonly string[] = [];

  beforeAll(async () => {
    home = newHome(atEnd);
    for (const stdin of ['22345678902', '22345678903', BVN])
      await fiatrailJson(home, ['users', 'onboard', '--bvn-stdin', '--wait'], { stdin });
    ids = (await usersOf(home)).users.map(({ userId }) => userId);
  });

  /** The steps for each kind of terminal: a search narrows the list, and Enter selects the first entry. */
  const typingOn = (term: string): readonly Step[] =>
    term === 'dumb'
      ? [
          { expect: 'Type text to search for:', send: `nobody\n` },
          { expect: 'Type other text:', send: `adeyemi\n` },
          { expect: 'Type a number, or other text:', send: `1\n` },
        ]
      : [
          { expect: searched, send: 'adeyemi' },
          { expect: 'adeyemi', send: '' },
          { expect: 'SADE ADEYEMI', send: '' },
          { expect: 'adeyemi', send: ENTER },
        ];

  const amountOn = (term: string): readonly Step[] => [
    { expect: 'Amount in Naira:', send: `1.234,56${ENTER}` },
    { expect: 'invalid NGN amount', send: `${term === 'dumb' ? '' : CLEAR}5000${ENTER}` },
    { expect: '₦5,000.00 (500,000 kobo)', send: '' },
  ];

  test.each(TERMS)('asks for everything by typing and waits for the payment (%s)', async (term) => {
    const before = journalRows(home.stateDir).length;
    const routes: Step[] =
      term === 'dumb'
        ? [
            { expect: 'start of a name (1):', send: `swap\n` },
            { expect: '2 matches', send: `3\n` },
            { expect: 'Which asset?', send: `usdt\n` },
          ]
        : [
            { expect: 'Where should the cNGN go?', send: 'swap' },
            { expect: '❯ Swap', send: ENTER },
            { expect: 'Which asset?', send: 'usdt' },
            { expect: '❯ USDT', send: ENTER },
          ];
    const steps = [...typingOn(term), ...amountOn(term), ...routes, CONFIRM, PAY];
    const { screen, code } = await run(home, START, steps, term);
    const userId = ids[2] ?? 'none';
    expect({ code, journaled: journalRows(home.stateDir).length - before }).toEqual({ code: 0, journaled: 1 });
    expect(screen).toContain('₦100.00: ₦75.00 to the platform, ₦25.00 to you');
    expect(screen).toMatch(/to pay +₦5,100\.00/);
    expect(screen).toMatch(
      term === 'dumb' ? /Pay\/SADE .*\) within 30 min\r\n/ : /\(Harmattan Pay.*\) within (29:\d\d|30:00)/,
    );
    expect(screen).toContain('the onramp completed');
    expect(screen.replaceAll(/(?: \\\r\n)?\s+/g, ' ')).toContain(
      `equivalent command: fiatrail onramp create ${userId} --amount 5000 --auto-swap USDT --wait 40m`,
    );
    expect(screen.includes('\u001b')).toBe(term !== 'dumb');
  });

  const ARROWS: readonly Step[] = [
    { expect: 'GBENGA', send: DOWN },
    { expect: '❯ GBENGA', send: ENTER },
    { expect: 'Amount in Naira:', send: `5000${ENTER}` },
    { expect: 'Where should the cNGN go?', send: DOWN },
    { expect: '❯ Send', send: ENTER },
  ];

  test('asks for everything with arrow keys, exits with 130 on Ctrl-C, and the onramp continues', async () => {
    const { screen, code } = await run(home, START, [...ARROWS, CONFIRM, { expect: 'within', send: CTRL_C }]);
    const requestId = /fiatrail onramp status (\S+) --wait/.exec(screen)?.[1] ?? 'none';
    const { status } = await fiatrailJson<{ status: string }>(home, ['onramp', 'status', requestId]);
    const { metadata } = await fiatrailJson<{ metadata: unknown }>(home, ['onramp', 'status', requestId]);
    expect({ code, status, metadata }).toEqual({
      code: 130,
      status: expect.stringMatching(/^(requested|pending)$/),
      metadata: { tokenBuy: 'CNGN', autoSwap: false, sweepToOfframp: true },
    });
    expect(screen.replaceAll(/\s+/g, ' ')).toContain('it continues without this command');
  });

  test('fails with 3 if the payment does not arrive in time', async () => {
    const late = { expect: 'within', find: '(within)', run: ['sandbox', 'advance', '31m'] };
    const { screen, code } = await run(home, START, [...ARROWS, CONFIRM, late]);
    expect({ code, screen }).toEqual({
      code: 3,
      screen: expect.stringContaining('the onramp failed: the account was not paid in time'),
    });
  });

  test('asks only for missing input', async () => {
    const argv = [...START, ids[0] ?? '', '--auto-swap', 'USDC', '--yes', '--profile', 'sandbox'];
    const { screen, code } = await run(home, argv, [{ expect: 'Amount in Naira:', send: `5000${ENTER}` }, PAY]);
    expect({ code, hasWhereShould: screen.includes('Where should') }).toEqual({ code: 0, hasWhereShould: false });
    expect(screen.replaceAll(/(?: \\\r\n)?\s+/g, ' ')).toContain(
      '--amount 5000 --auto-swap USDC --wait 40m --profile sandbox --yes',
    );
  });

  test('rejects conflicting options before the first prompt', async () => {
    const address = `0x${'1'.repeat(40)}`;
    const { code } = await run(home, [...START, '--sweep', '--destination', address], []);
    expect(code).toBe(2);
  });

  const QUESTIONS = {
    xterm: [
      { expect: 'GBENGA', send: ENTER },
      { expect: 'Amount in Naira:', send: `5000${ENTER}` },
      { expect: 'Where should the cNGN go?', send: 'swap' },
      { expect: '❯ Swap', send: ENTER },
      { expect: 'Which asset?', send: ENTER },
      { expect: 'Continue?', send: ENTER },
    ],
    dumb: [
      { expect: 'Type text to search for:', send: '\n' },
      { expect: 'Type a number, or other text:', send: '1\n' },
      { expect: 'Amount in Naira:', send: '5000\n' },
      { expect: 'start of a name (1):', send: '3\n' },
      { expect: 'start of a name (1):', send: '1\n' },
      { expect: 'Continue?', send: '\n' },
    ],
  } as const;

  test.each(LEAVING)('sends nothing when a prompt is cancelled (%s, %s)', async (term, _, key) => {
    const before = journalRows(home.stateDir).length;
    const questions = QUESTIONS[term];
    const codes = await Promise.all(
      questions.map(async (question, at) => {
        const { screen, code } = await run(home, START, [...questions.slice(0, at), { ...question, send: key }], term);
        return [code, screen.includes('internal error')];
      }),
    );
    expect(codes).toEqual(questions.map(() => [130, false]));
    expect(journalRows(home.stateDir).length).toBe(before);
    const { stdout } = await fiatrail(home, ['ops', 'list', '-o', 'json', '--query', 'length(operations)']);
    expect(Number(stdout)).toBe(before);
  });
});
