import { expect, test } from 'vitest';
import { serverAddressOf } from '../../src/journal/postgres/server-address.ts';

test.each([
  ['127.db.example.com', true],
  ['127.0.0.1.example.com', true],
  ['127.1', true],
  ['localhost.example.com', true],
  ['10.0.0.1', true],
  ['[::ffff:10.0.0.1]', true],
  ['127.0.0.1', false],
  ['127.9.9.9', false],
  ['[::1]', false],
  ['[::ffff:127.0.0.1]', false],
  ['localhost', false],
])('a connection to %s has TLS: %s', (host, hasTls) => {
  expect(serverAddressOf(`postgres://ops@${host}/ledger`).tls !== undefined).toBe(hasTls);
});
