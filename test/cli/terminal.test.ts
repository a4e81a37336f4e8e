import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newHome, requireBuilt } from '../support/built.ts';
import { fiatrail } from '../support/in-process.ts';
import { journalRows } from '../support/journal.ts';
import { fiatrailOnTerminal, type Step } from '../support/terminal.ts';

/** Commands on a pseudo-terminal. */

beforeAll(requireBuilt);

const [ENTER, CTRL_C, CTRL_D, CLEAR] = ['\r', '\u0003', '\u0004', '\u0015'];
const [CTRL_B, ESCAPE, DOWN] = ['\u0002', '\u001b', '\u001b[B'];
/** What a terminal sends for a paste. */
const PASTE = (text: string) => `\u001b[200~${text}\u001b[201~`;
const PAY = ['onramp', 'create', 'somebody', '--amount', '5000'];

async function typing(argv: readonly string[], ...steps: readonly Step[]) {
  const home = newHome(onTestFinished);
  const { screen, code, missed } = await fiatrailOnTerminal(home, argv, steps);
  expect({ missed, screen }).toEqual({ missed: null, screen });
  return { screen, code, rows: journalRows(home.stateDir) };
}

describe('a prompt', () => {
  test('asks for missing input', async () => {
    const { code, screen } = await typing(['onramp', 'account'], { expect: 'Which request?', send: `nothing${ENTER}` });
    expect({ code, screen }).toEqual({ code: 3, screen: expect.stringContaining('the service rejected the request') });
  });

  test('reports an invalid answer and asks again', async () => {
    const { code, screen } = await typing(
      ['onramp', 'create', 'somebody', '--yes'],
      { expect: 'Amount in Naira:', send: `0${ENTER}` },
      { expect: 'greater than 0', send: `${CLEAR}5${ENTER}` },
      { expect: 'Where should the cNGN go?', send: ENTER },
    );
    expect({ code, screen }).toEqual({ code: 3, screen: expect.stringContaining('User not found') });
  });

  test('takes one pasted line', async () => {
    const { code } = await typing(
      ['onramp', 'account'],
      { expect: 'Which request?', send: PASTE('nothing') },
      { expect: 'nothing', send: ENTER },
    );
    expect(code).toBe(3);
  });

  test.each([
    ['a line break at its end', `nothing\r`],
    ['a line break of Windows at its end', `nothing\r\n`],
  ])('takes a paste with %s, and waits for Enter', async (_, text) => {
    const { code } = await typing(
      ['onramp', 'account'],
      { expect: 'Which request?', send: PASTE(text) },
      { expect: 'nothing', send: ENTER },
    );
    expect(code).toBe(3);
  });

  test.each([
    ['two lines', `5000\r5`],
    ['many lines', `5000\r${'y\r'.repeat(300)}`],
  ])('refuses a paste of %s, and sends nothing', async (_, text) => {
    const { code, screen, rows } = await typing(['onramp', 'create', 'somebody'], {
      expect: 'Amount in Naira:',
      send: PASTE(text),
    });
    expect({ code, rows }).toEqual({ code: 2, rows: [] });
    expect(screen).toContain('the pasted text has several lines; nothing was sent');
    expect(screen).not.toContain('y\r\ny');
  });

  test('is not shown with --no-input', async () => {
    expect((await typing(['users', 'show', '--no-input'])).code).toBe(2);
  });
});

describe('a step back', () => {
  const TRADE = ['fx', 'trade'];

  test('asks the previous question again, with the earlier answer as its default', async () => {
    const { code, screen } = await typing(
      TRADE,
      { expect: 'Pair (CNGN-USDC or CNGN-USDT):', send: DOWN },
      { expect: '❯ CNGN-USDT', send: ENTER },
      { expect: 'Side (buy or sell the stablecoin):', send: CTRL_B },
      { expect: '❯ CNGN-USDT', send: ENTER },
      { expect: '❯ buy', send: DOWN },
      { expect: '❯ sell', send: ENTER },
      { expect: 'Amount in cNGN:', send: ESCAPE },
      { expect: '❯ sell', send: ENTER },
      { expect: 'Amount in cNGN:', send: `5000${ENTER}` },
      { expect: 'Continue?', send: ENTER },
    );
    expect({ code, says: screen.split('Esc or Ctrl-B goes back one question').length - 1 }).toEqual({
      code: 9,
      // Before the first question, and before the consent.
      says: 2,
    });
    expect(screen).toContain('Sell USDT for 5,000.00 cNGN. Continue?');
  });

  test.each([
    ['payout', ['payout', 'create', '--to', 'default'], 'Amount in cNGN:', '5000', '7000', '7,000.00 cNGN'],
    ['threshold', ['fx', 'auto-signing', 'set'], 'Threshold in US dollars:', '500', '700', '700'],
  ] as const)(
    'from the consent of a %s asks the last question again',
    async (_what, argv, question, first, second, shown) => {
      const { code, screen, rows } = await typing(
        argv,
        { expect: question, send: `${first}${ENTER}` },
        { expect: 'Continue?', send: ESCAPE },
        { expect: question, send: `${second}${ENTER}` },
        { expect: shown, send: '' },
        { expect: 'Continue?', send: CTRL_B },
        { expect: question, send: ENTER },
        { expect: 'Continue?', send: `n${ENTER}` },
      );
      expect({ code, rows }).toEqual({ code: 9, rows: [] });
      expect(screen.split('Continue?').length).toBeGreaterThan(3);
    },
  );

  test('from a consent sends what was confirmed, once', async () => {
    const { code, rows } = await typing(
      ['payout', 'create', '--to', 'default'],
      { expect: 'Amount in cNGN:', send: `5000${ENTER}` },
      { expect: 'Continue?', send: ESCAPE },
      { expect: 'Amount in cNGN:', send: `7000${ENTER}` },
      { expect: 'Continue?', send: `y${ENTER}` },
    );
    expect({ code, sent: rows.length, summary: rows.map((row) => row['summary']) }).toEqual({
      code: 0,
      sent: 1,
      summary: [expect.stringContaining('7,000')],
    });
  });

  test('does nothing at a consent before which nothing was asked', async () => {
    const { code, screen } = await typing(
      PAY,
      { expect: 'Continue?', send: ESCAPE },
      { expect: '', send: `n${ENTER}` },
    );
    expect({ code, says: screen.includes('goes back') }).toEqual({ code: 9, says: false });
  });

  test('keeps a secret that was typed before', async () => {
    const { code } = await typing(
      ['users', 'onboard'],
      { expect: 'BVN (11 digits):', send: `22345678901${ENTER}` },
      { expect: 'sandbox (embedded)?', send: CTRL_B },
      { expect: '(Enter keeps it)', send: ENTER },
      { expect: 'sandbox (embedded)?', send: `y${ENTER}` },
    );
    expect(code).toBe(0);
  });
});

describe('a confirmation', () => {
  test('declines on Enter, exits with 9 and sends nothing', async () => {
    const { code, screen, rows } = await typing(PAY, { expect: 'Continue?', send: ENTER });
    expect({ code, rows }).toEqual({ code: 9, rows: [] });
    expect(screen).toContain('declined; nothing was sent');
  });

  test('declines on n and exits with 9', async () => {
    expect((await typing(PAY, { expect: 'Continue?', send: `n${ENTER}` })).code).toBe(9);
  });

  test('accepts on y', async () => {
    const { code } = await typing(['sandbox', 'reset'], { expect: 'Continue?', send: `y${ENTER}` });
    expect(code).toBe(0);
  });

  test('shows the amount and the destination first', async () => {
    const { screen } = await typing(PAY, { expect: 'Continue?', send: ENTER });
    const before = screen.slice(0, screen.indexOf('Continue?'));
    expect(before).toContain('₦5,000.00 (500,000 kobo), sent as 5000 naira');
    expect(before).toContain('a new wallet of the user');
  });

  test('exits with 130 on Ctrl-C and sends nothing', async () => {
    const { code, screen, rows } = await typing(PAY, { expect: 'Continue?', send: CTRL_C });
    expect({ code, rows, hasInternalError: screen.includes('internal error') }).toEqual({
      code: 130,
      rows: [],
      hasInternalError: false,
    });
  });

  test('fails cleanly at the end of input', async () => {
    const { code, screen, rows } = await typing(PAY, { expect: 'Continue?', send: CTRL_D });
    expect({ isDeclined: [9, 130].includes(code), rows, hasInternalError: screen.includes('internal error') }).toEqual({
      isDeclined: true,
      rows: [],
      hasInternalError: false,
    });
    expect(screen).not.toMatch(/Continue\?[^\r\n]*error:/);
  });
});

describe('a BVN', () => {
  const BVN = '22345678901';
  const CONFIRM = { expect: 'sandbox (embedded)?', send: `y${ENTER}` };

  test('is not echoed', async () => {
    const { code, screen } = await typing(
      ['users', 'onboard'],
      { expect: 'BVN (11 digits):', send: `${BVN}${ENTER}` },
      CONFIRM,
    );
    const typed = [...BVN].map((_, index) => BVN.slice(0, index + 2)).filter((part) => part.length > 3);
    // The rest of the screen has ids, in which a few digits may follow each other by chance.
    const asked = screen.slice(0, screen.indexOf(CONFIRM.expect));
    expect(asked).toContain('BVN (11 digits):');
    expect({ code, typed: typed.filter((part) => asked.includes(part)) }).toEqual({ code: 0, typed: [] });
    expect(screen).not.toContain(BVN.slice(0, 9));
  });

  test('is taken from a paste with spaces and a line break, as a spreadsheet copies it', async () => {
    const { code, screen } = await typing(
      ['users', 'onboard'],
      { expect: 'BVN (11 digits):', send: PASTE('222 4567 8901\r') },
      { expect: '•••', send: ENTER },
      CONFIRM,
    );
    expect({ code, has4567: screen.slice(0, screen.indexOf(CONFIRM.expect)).includes('4567') }).toEqual({
      code: 0,
      has4567: false,
    });
  });

  test('is not sent on Enter alone', async () => {
    const { code, screen, rows } = await typing(
      ['users', 'onboard'],
      { expect: 'BVN (11 digits):', send: `${BVN}${ENTER}` },
      { ...CONFIRM, send: ENTER },
    );
    expect({ code, rows }).toEqual({ code: 9, rows: [] });
    expect(screen).toContain('declined; nothing was sent');
  });

  test('is asked for again if invalid, and still not echoed', async () => {
    const { code, screen } = await typing(
      ['users', 'onboard'],
      { expect: 'BVN (11 digits):', send: `2234567${ENTER}` },
      { expect: 'expected 11 digits', send: `${CLEAR}${BVN}${ENTER}` },
      CONFIRM,
    );
    expect({ code, has2234: screen.includes('2234') }).toEqual({ code: 0, has2234: false });
  });

  test('exits with 130 on Ctrl-C and does not ask again', async () => {
    const { code, screen } = await typing(['users', 'onboard'], {
      expect: 'BVN (11 digits):',
      send: CTRL_C,
    });
    expect({ code, hasInternalError: screen.includes('internal error') }).toEqual({
      code: 130,
      hasInternalError: false,
    });
  });
});

describe('color', () => {
  const BOLD = '\u001b[1m';

  test('is used on a terminal', async () => {
    expect((await typing(['sandbox', 'clock'])).screen).toContain(BOLD);
  });

  test('is not used with --no-color', async () => {
    expect((await typing(['sandbox', 'clock', '--no-color'])).screen).not.toContain(BOLD);
  });

  test('is not used without a terminal', async () => {
    const { stdout, stderr } = await fiatrail(newHome(onTestFinished), ['sandbox', 'clock']);
    expect(stdout + stderr).not.toContain('\u001b');
  });
});
