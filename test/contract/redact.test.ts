import { describe, expect, test } from 'vitest';
import { registerMpc } from '../../src/contract/endpoints/fx-vault.ts';
import { redact, redactBody, redactText, secretsIn } from '../../src/contract/redact.ts';

const LINES = ['b3BlbnNzaC1rZXktdjEAAAAA', 'AAAAC3NzaC1lZDI1NTE5AAAA'];
const KEY = ['-----BEGIN OPENSSH PRIVATE KEY-----', ...LINES, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
const REQUEST = {
  mpcVaultApiKey: 'vault-key-1',
  mpcClientSignerPrivateKey: KEY,
  callbackClientSignerPublicKey: 'ssh-ed25519 AAAA ops',
  vaultId: 'v-1',
  tokenWallets: { USDC: '0x1', USDT: '0x2' },
  notificationEmails: ['ops@example.com'],
};

describe('the registration of a vault', () => {
  test('redacts both keys and nothing else', () => {
    expect(redact(registerMpc.request(), REQUEST)).toEqual({
      ...REQUEST,
      mpcVaultApiKey: '[redacted]',
      mpcClientSignerPrivateKey: '[redacted]',
    });
  });

  test.each([
    ['unchanged', KEY],
    ['as JSON', JSON.stringify(KEY)],
    ['on one line', KEY.replaceAll('\n', '')],
    ['with spaces for line breaks', KEY.replaceAll('\n', ' ')],
    ['with CRLF line breaks', KEY.replaceAll('\n', '\r\n')],
    ['in part', LINES[1] ?? ''],
  ])('redacts the private key when it is echoed %s', (_how, repeated) => {
    const redacted = redactText(`refused: ${repeated}`, secretsIn(registerMpc.request(), REQUEST));
    expect(LINES.filter((line) => redacted.includes(line))).toEqual([]);
    expect(redacted).toContain('[redacted]');
  });

  test('redacts the private key when its line breaks are escaped', () => {
    const request = { ...REQUEST, mpcClientSignerPrivateKey: KEY.replaceAll('\n', '\\n') };
    const redacted = redactText(KEY, secretsIn(registerMpc.request(), request));
    expect(LINES.filter((line) => redacted.includes(line))).toEqual([]);
  });
});

describe('a secret in base64', () => {
  const API_KEY = 'live_8fK2~sd>>9?dkf??Zq';

  test.each(
    ['base64', 'base64url'].flatMap((encoding) =>
      ['', 'a', 'ab', 'user:', 'key=ü'].flatMap((before) =>
        ['', '\n', 'xy', ' and more'].map((after) => [encoding, before, after] as const),
      ),
    ),
  )('is redacted: %s, after "%s" and before "%s"', (encoding, before, after) => {
    const text = Buffer.from(before + API_KEY + after).toString(encoding as 'base64');
    const redacted = redactText(`it said ${text}.`, [API_KEY]);
    expect(redacted).toContain('[redacted]');
    // At each end, a character may be left that has bits of other text too.
    const [, start = '', end = ''] = /^it said (.*)\[redacted\](.*)\.$/.exec(redacted) ?? [];
    const left = Buffer.from(start, 'base64').toString('latin1') + Buffer.from(end, 'base64').toString('latin1');
    expect(start.length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(before) * 8) / 6));
    expect(left).not.toContain(API_KEY.slice(0, 4));
  });

  test('does not redact what is too short to be one', () => {
    expect(redactText('YWI= YWJj', ['ab', 'abc'])).toBe('YWI= YWJj');
  });
});

test('a short secret is redacted in a text, where it stands alone, but not in a body, whose words may have it', () => {
  expect(redactText('the key pw-7x was refused', ['pw-7x'])).toBe('the key [redacted] was refused');
  expect(redactBody('{"message":"pw-7x"}', ['pw-7x'])).toBe('{"message":"pw-7x"}');
});

test.each([
  ['as it is', (secret: string) => secret],
  ['in base64', (secret: string) => Buffer.from(secret).toString('base64')],
  ['in a query', encodeURIComponent],
])('a secret that a body repeats %s is redacted', (_how, repeated) => {
  const secret = 'live key/8fK2 sd9';
  const body = JSON.stringify({ message: `${repeated(secret)} was refused`, amount: 1 });
  expect(redactBody(body, [secret, 'pw'])).toBe('{"message":"[redacted] was refused","amount":1}');
});
