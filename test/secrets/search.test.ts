import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/built.ts';
import { filesBelow, leaks } from './search.ts';

/** A clean scan proves something only if the search works. */
const SECRET = 'c4nary+key/"with"=blanks%20';
const planted = [{ what: 'the canary', text: SECRET }];

const found = (text: string | Buffer) => leaks([{ name: 'here', bytes: Buffer.from(text) }], planted);

test.each([
  ['unchanged', `before ${SECRET} after`],
  ['in JSON', JSON.stringify({ key: SECRET })],
  ['in JSON within JSON', JSON.stringify({ body: JSON.stringify({ key: SECRET }) })],
  ['in a path', `https://host/${encodeURIComponent(SECRET)}/x`],
  ['in a query', `https://host/?${new URLSearchParams({ key: SECRET })}`],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in base64 from the second byte', Buffer.from(`a${SECRET}z`).toString('base64')],
  ['in base64 from the third byte', Buffer.from(`ab${SECRET}yz`).toString('base64')],
  ['in base64url', Buffer.from(`user:${SECRET}`).toString('base64url')],
  ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
  ['in uppercase hexadecimal', Buffer.from(SECRET).toString('hex').toUpperCase()],
  ['among bytes', Buffer.concat([Buffer.from([0, 255, 200]), Buffer.from(SECRET), Buffer.from([128])])],
])('finds the canary %s', (_how, text) => {
  expect(found(text)).toEqual(['the canary in here']);
});

test('does not find an absent secret', () => {
  expect(found('c4nary+key and nothing more')).toEqual([]);
});

test('finds a truncated secret', () => {
  const long = [{ what: 'the key', text: '0123456789abcdefghijklmnopqrstuvwxyz' }];
  const place = (text: string) => [{ name: 'here', bytes: Buffer.from(text) }];
  expect(leaks(place('"0123456789abcdefghijk'), long)).toEqual(['the key in here']);
  expect(leaks(place('ghijklmnopqrstuvwxyz"'), long)).toEqual(['the key in here']);
});

test('finds a multi-line key by any of its lines', () => {
  const pem = '-----BEGIN KEY-----\nAAAAC3NzaC1lZDI1\nq83vEjRWeJCrze8S\n-----END KEY-----\n';
  const places = [
    { name: 'one', bytes: Buffer.from('x q83vEjRWeJCrze8S') },
    { name: 'none', bytes: Buffer.from('-----BEGIN KEY-----') },
  ];
  expect(leaks(places, [{ what: 'the key', text: pem }])).toEqual(['the key in one']);
});

test('finds the canary in a file, but not where it is allowed', () => {
  const folder = temporaryFolder(onTestFinished);
  mkdirSync(join(folder, 'deep'));
  writeFileSync(join(folder, 'deep', 'file'), `${SECRET}\n`);
  expect(leaks(filesBelow(folder), planted)).toEqual(['the canary in deep/file']);
  expect(leaks(filesBelow(folder), planted, (_one, { name }) => name === 'deep/file')).toEqual([]);
});
