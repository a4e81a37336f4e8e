import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { redactedStderr } from '../../src/engine/rotation/steps.ts';

const KEY = 'sandbox_Zr7qW2-mX9_pL4tYc8uB';
const said = (text: string, key = KEY) => redactedStderr(text, new Secret(key));

describe('what a push command said', () => {
  test.each([
    ['', undefined],
    ['\n \n', undefined],
    ['permission denied\n', 'permission denied'],
    ['one\ntwo\r\nthree\n\nfour\n', 'two / three / four'],
    ['10%\r20%\rfailed', '10% / 20% / failed'],
    ['\u001b[31mno\u001b[0m \u0007\u202eway', 'no way'],
    [`long ${'x'.repeat(500)}`, `long ${'x'.repeat(195)}…`],
    ['the sandbox is encrypted', 'the sandbox is encrypted'],
    [
      'request 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de to vault-7.example:8200 failed: HTTP 503, 2026-11-23 08:50:11',
      'request 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de to vault-7.example:8200 failed: HTTP 503, 2026-11-23 08:50:11',
    ],
  ])('%j is shown as %j', (text, shown) => {
    expect(said(text)).toBe(shown);
  });

  const encodings: readonly (readonly [string, (text: string) => string])[] = [
    ['as it is', (text) => text],
    ['in upper case', (text) => text.toUpperCase()],
    ['in base64', (text) => Buffer.from(text).toString('base64')],
    ['in base64 after a user name', (text) => Buffer.from(`ada:${text}`).toString('base64')],
    ['in base64 for a URL', (text) => Buffer.from(`u:${text}`).toString('base64url')],
    ['in hexadecimal digits', (text) => Buffer.from(text).toString('hex')],
    ['in pairs of digits', (text) => Buffer.from(text).toString('hex').replace(/../g, '$& ')],
    ['in a URL', (text) => encodeURIComponent(text)],
    ['in JSON', (text) => JSON.stringify({ value: text })],
    ['with spaces', (text) => [...text].join(' ')],
    ['with an escape in the middle', (text) => `${text.slice(0, 14)}\u001b[1m${text.slice(14)}`],
    ['in base32', () => 'ONQW4ZDCN54F6WTSG5YVOMRNNVMDSX3QJQ2HIWLDHB2UE==='],
    ['in base64 twice', (text) => Buffer.from(Buffer.from(text).toString('base64')).toString('base64')],
    ['in decimal numbers', (text) => [...Buffer.from(text)].join(', ')],
    ['in octal numbers', (text) => [...Buffer.from(text)].map((byte) => byte.toString(8)).join(' ')],
    ['cut off', (text) => text.slice(0, 17)],
    ['without its beginning', (text) => text.slice(12)],
  ];

  test.each(encodings)('never has the key %s', (_, encode) => {
    expect(said(`cannot store ${encode(KEY)}\nencrypted`)).toBe('[redacted] / encrypted');
  });

  test('never has a key that is spread over lines', () => {
    expect(said([KEY.slice(0, 12), KEY.slice(12, 20), KEY.slice(20)].join('\n'))).toBe('[redacted]');
    expect(said(`${KEY.replace(/.{5}/g, '$&\n')}\none\ntwo\nthree`)).toBe('[redacted]');
    expect(said(KEY.slice(8, 23).replace(/.{5}/g, '$&\n'))).toBe('[redacted]');
  });

  test('is hidden for a secret that is too short to be found', () => {
    expect(said('no', 'a-b')).toBe('[redacted]');
  });

  test('never has 8 letters and digits of any key in a row', () => {
    const key = fc.stringMatching(/^[!-~]{12,60}$/).filter((text) => text.replace(/[^A-Za-z0-9]/g, '').length >= 8);
    const around = fc.string({ maxLength: 20 });
    fc.assert(
      fc.property(key, around, around, fc.constantFrom(...encodings.slice(0, 9)), (text, before, after, [, encode]) => {
        const letters = (some: string) => some.toLowerCase().replace(/[^a-z0-9]/g, '');
        const [own, shown] = [letters(encode(text)), letters(said(before + encode(text) + after, text) ?? '')];
        for (let start = 4; start + 12 <= own.length; start++)
          expect(shown).not.toContain(own.slice(start, start + 12));
      }),
    );
  });
});
