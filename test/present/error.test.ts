import { describe, expect, it } from 'vitest';
import { CATEGORIES, type Category, CliError } from '../../src/base/errors.ts';
import { errorJson, errorText } from '../../src/present/error.ts';
import { openPaint } from '../../src/present/style.ts';

const paint = await openPaint(false);

describe('errorText', () => {
  it.each([
    ['a message', new CliError('usage', 'no field "x"'), 'error: no field "x"\n'],
    ['a hint', new CliError('usage', 'wrong', { hint: 'write 5000' }), 'error: wrong\n  hint: write 5000\n'],
    [
      'hints of several lines',
      new CliError('usage', 'wrong', { hint: 'try:\nfiatrail ops\n' }),
      'error: wrong\n  hint: try:\n  fiatrail ops\n',
    ],
    [
      'code and status',
      new CliError('rejected', 'the service rejected the request: insufficient balance', {
        responseCode: '01',
        httpStatus: 400,
      }),
      'error: the service rejected the request: insufficient balance (code 01, HTTP 400)\n',
    ],
    ['a code', new CliError('rejected', 'no', { responseCode: '07' }), 'error: no (code 07)\n'],
    ['a status', new CliError('network', 'no', { httpStatus: 502 }), 'error: no (HTTP 502)\n'],
    [
      'hostile text',
      new CliError('rejected', 'a\u001b[2J\u0007b\nerror: c\u202e', {
        hint: '\u009b31mx\u0000',
        responseCode: '\u001b[1m0\n1',
      }),
      'error: ab error: c (code 0 1)\n  hint: x\n',
    ],
  ])('shows %s', (_name, error, text) => {
    expect(errorText(error, { paint })).toBe(text);
  });

  const LONG = new CliError(
    'usage',
    'the amount is above what the wallet holds on every network that the service reads',
    {
      hint: 'list the balances of the user with: fiatrail balances user 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de --token CNGN; then try again',
    },
  );

  it('wraps at words on a terminal, but keeps a command on one line', () => {
    expect(errorText(LONG, { paint, width: 50 })).toBe(
      [
        'error: the amount is above what the wallet holds',
        '  on every network that the service reads',
        '  hint: list the balances of the user with:',
        '    fiatrail balances user 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de --token CNGN;',
        '    then try again',
        '',
      ].join('\n'),
    );
  });

  it('wraps a list of commands at words', () => {
    const error = new CliError('usage', 'incomplete command', {
      hint: 'expected one of: fiatrail fx a, fiatrail fx b',
    });
    expect(errorText(error, { paint, width: 40 })).toBe(
      'error: incomplete command\n  hint: expected one of: fiatrail fx\n    a, fiatrail fx b\n',
    );
  });

  it.each([undefined, 0, 29])('does not wrap for a width of %s', (width) => {
    expect(errorText(LONG, { paint, width }).split('\n')).toHaveLength(3);
  });

  it('colours only the word error', async () => {
    const colored = await openPaint(true);
    expect(errorText(new CliError('usage', 'wrong', { hint: 'x' }), { paint: colored })).toBe(
      '\u001b[1m\u001b[31merror:\u001b[39m\u001b[22m wrong\n  hint: x\n',
    );
  });
});

const CONTEXT = {
  at: '2026-11-25T04:00:00.000Z',
  command: 'fiatrail balances account',
  profile: 'main',
  host: 'host-1',
  baseUrl: 'https://api.example.com/v1',
};

describe('the run of an error', () => {
  it('is a line after the hint', () => {
    expect(errorText(new CliError('usage', 'wrong', { hint: 'x' }), { paint, context: CONTEXT })).toBe(
      'error: wrong\n  hint: x\n  run: 2026-11-25T04:00:00.000Z · fiatrail balances account · profile main · host host-1 · https://api.example.com/v1\n',
    );
  });

  it('leaves out what is not known', () => {
    const context = { ...CONTEXT, command: null, profile: null, baseUrl: null };
    expect(errorText(new CliError('usage', 'wrong'), { paint, context })).toBe(
      'error: wrong\n  run: 2026-11-25T04:00:00.000Z · fiatrail · host host-1\n',
    );
  });
});

describe('errorJson', () => {
  it('has every field on one line, with null for unknown values', () => {
    expect(errorJson(new CliError('usage', 'wrong'), CONTEXT, [])).toBe(
      '{"error":{"code":"USAGE","category":"usage","message":"wrong","hint":null,"actions":[],"httpStatus":null,"responseCode":null,"candidates":[],"retryable":false,"operationId":null,"at":"2026-11-25T04:00:00.000Z","command":"fiatrail balances account","profile":"main","host":"host-1","baseUrl":"https://api.example.com/v1"}}\n',
    );
  });

  it('has all known values', () => {
    const details = { code: 'INSUFFICIENT', hint: 'h\ni', httpStatus: 400, responseCode: '01', operationId: 'op_1' };
    const actions = [{ argv: ['ops', 'show', 'op_1'] }];
    const text = errorJson(new CliError('rejected', 'a\n\u009b"b"', details), CONTEXT, actions);
    expect(text).not.toMatch(/\p{Cc}(?!$)/u);
    expect(JSON.parse(text)).toEqual({
      error: {
        ...details,
        actions,
        category: 'rejected',
        message: 'a\n\u009b"b"',
        candidates: [],
        retryable: false,
        ...CONTEXT,
      },
    });
  });

  it.each(Object.keys(CATEGORIES) as Category[])('says whether %s is retryable', (category) => {
    expect(JSON.parse(errorJson(new CliError(category, 'x'), CONTEXT, [])).error.retryable).toBe(
      CATEGORIES[category].retryable,
    );
  });
});
