import { describe, expect, test } from 'vitest';
import { registerMpc } from '../../src/contract/endpoints/fx-vault.ts';
import { onboard, onboardStatus } from '../../src/contract/endpoints/users.ts';
import { eventText, pathText } from '../../src/contract/exchange-text.ts';
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
  expect(redactText('the key pw-7x was rejected', ['pw-7x'])).toBe('the key [redacted] was rejected');
  expect(redactBody('{"message":"pw-7x"}', ['pw-7x'])).toBe('{"message":"pw-7x"}');
});

test.each([
  ['as it is', (secret: string) => secret],
  ['in base64', (secret: string) => Buffer.from(secret).toString('base64')],
  ['in a query', encodeURIComponent],
])('a secret that a body repeats %s is redacted', (_how, repeated) => {
  const secret = 'live key/8fK2 sd9';
  const body = JSON.stringify({ message: `${repeated(secret)} was rejected`, amount: 1 });
  expect(redactBody(body, [secret, 'pw'])).toBe('{"message":"[redacted] was rejected","amount":1}');
});

describe('what the contract does not know', () => {
  const BVN = '22345678901';

  test.each([
    ['a BVN that another field repeats', { bvn: BVN, note: BVN }, { bvn: '[redacted]', note: '[redacted]' }],
    ['a BVN in a text', { bvn: BVN, note: `of ${BVN}.` }, { bvn: '[redacted]', note: 'of [redacted].' }],
    [
      'a BVN that is a number',
      { bvn: BVN, odd: { deep: [22_345_678_901] } },
      { bvn: '[redacted]', odd: { deep: ['[redacted]'] } },
    ],
    [
      'a BVN in base64',
      { bvn: BVN, odd: Buffer.from(BVN).toString('base64') },
      { bvn: '[redacted]', odd: '[redacted]' },
    ],
    ['a BVN in the name of a field', { bvn: BVN, [`b${BVN}`]: 1 }, { bvn: '[redacted]', 'b[redacted]': 1 }],
    ['a BVN under another name alone', { number: BVN }, { number: '[redacted]' }],
    ['a number under another name alone', { number: 22_345_678_901 }, { number: '[redacted]' }],
    [
      'a misspelled secret',
      { sekret: 'whsec-9', bnv: '1', passwrd: 'x' },
      { sekret: '[redacted]', bnv: '[redacted]', passwrd: '[redacted]' },
    ],
    [
      'the value of a misspelled secret elsewhere',
      { sekret: 'whsec-9fK2', odd: 'is whsec-9fK2' },
      { sekret: '[redacted]', odd: 'is [redacted]' },
    ],
  ])('is redacted: %s', (_what, request, shown) => {
    expect(redact(onboard.request(), request)).toEqual(shown);
  });

  test('stays if nothing suggests a secret', () => {
    const request = {
      at: 1_786_000_000,
      id: 'e-22345678901-a',
      hash: `0x${'1'.repeat(11)}`,
      sum: '22345678901.25',
      section: 'a',
      ban: [],
    };
    expect(redact(onboard.request(), request)).toEqual({ ...request, ban: '[redacted]' });
  });

  test('stays if the contract knows the field', () => {
    const known = { requestId: BVN };
    expect(redact(onboardStatus.request(), known)).toEqual(known);
  });
});

test('what may be a BVN in an unknown field is a secret of the request, which the response may repeat anywhere', () => {
  const request = { number: '22345678901', all: [{ of: 'it is 22345678902.' }, 22_345_678_903, 'e-22345678904-a'] };
  expect(secretsIn(onboard.request(), request)).toEqual(['22345678901', '22345678902', '22345678903']);
});

describe('a path', () => {
  const BVN = '22345678901';

  test.each([
    [
      'a query of an unknown endpoint',
      undefined,
      `/v1/nope?bvn=1&q=${BVN}&page=2`,
      '/v1/nope?bvn=%5Bredacted%5D&q=%5Bredacted%5D&page=2',
    ],
    ['an unknown path', undefined, `/v1/nope/${BVN}`, '/v1/nope/[redacted]'],
    [
      'a query of a known endpoint',
      onboardStatus,
      `/v1/onboardstatus?requestId=${BVN}&sekret=a`,
      `/v1/onboardstatus?requestId=${BVN}&sekret=%5Bredacted%5D`,
    ],
    ['nothing', onboardStatus, '/v1/onboardstatus?requestId=a%20b', '/v1/onboardstatus?requestId=a%20b'],
  ])('is redacted: %s', (_what, endpoint, url, shown) => {
    expect(pathText(endpoint, url)).toBe(shown);
  });
});

describe('an event', () => {
  test.each([
    ['its content', { userId: 'u', note: '22345678901' }, { userId: 'u', note: '[redacted]' }],
    [
      'its body',
      { event: 'user.onboarded', data: { userId: '22345678901', bvn: 'x' } },
      { event: 'user.onboarded', data: { userId: '22345678901', bvn: '[redacted]' } },
    ],
  ])('is redacted: %s', (_what, event, shown) => {
    expect(JSON.parse(eventText('user.onboarded', JSON.stringify(event)))).toEqual(shown);
  });

  test.each([
    ['an unknown one', 'nope', '{"userId":"22345678901"}', '{"userId":"[redacted]"}'],
    ['one that is no JSON', 'user.onboarded', 'of 22345678901', 'of [redacted]'],
    ['one without a name', null, '[22345678901]', '["[redacted]"]'],
  ])('is redacted: %s', (_what, name, text, shown) => {
    expect(eventText(name, text)).toBe(shown);
  });
});
