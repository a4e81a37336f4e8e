import { describe, expect, test } from 'vitest';
import { registerMpc } from '../../src/contract/endpoints/fx-vault.ts';
import { redact, redactText, secretsIn } from '../../src/contract/redact.ts';

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
