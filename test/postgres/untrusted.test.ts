import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { tcpServer } from '../support/loopback.ts';
import { failureOf, withEnv } from './hosts.ts';

/** Looks like nothing else, so that a search for it finds only it. */
const PASSWORD = 'Zebra-7Q9x-lantern';

beforeAll(requireBuilt);

/** A message of the server: its type, its length and its content. */
function message(type: string, ...parts: readonly (number | string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'number' ? int32(part) : Buffer.from(part))));
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const SCRAM = message('R', 10, 'SCRAM-SHA-256\0\0');
const DONE = message('R', 0);
const READY = message('Z', 'I');
const LOGGED_IN = Buffer.concat([DONE, READY]);

/** What a server does with each thing it gets, in order; the first one is the greeting. */
type Part = (socket: Socket, got: string) => void;

const say =
  (...bytes: readonly Buffer[]): Part =>
  (socket) =>
    socket.write(Buffer.concat(bytes));

/** Continues SCRAM as a server that has the password with so many iterations. */
const iterate =
  (count: string): Part =>
  (socket, got) => {
    const nonce = /r=(.*)$/.exec(got)?.[1] ?? '';
    socket.write(message('R', 11, `r=${nonce}abc,s=c2FsdHNhbHRzYWx0c2FsdA==,i=${count}`));
  };

/** Sends the same until the other end has had enough. */
const endlessly =
  (...bytes: readonly Buffer[]): Part =>
  (socket) => {
    const much = Buffer.concat(Array.from({ length: 5_000 }, () => bytes).flat());
    const more = () => {
      while (!socket.destroyed && socket.write(much));
    };
    socket.on('drain', more);
    more();
  };

const both =
  (...parts: readonly Part[]): Part =>
  (socket, got) => {
    for (const part of parts) part(socket, got);
  };

/** Starts a server that plays its parts, and returns a command's home, and what the server got. */
async function homeWith(parts: readonly Part[]) {
  const got: string[] = [];
  const { port } = await tcpServer((socket) => {
    let turn = 0;
    socket.on('data', (bytes) => {
      got.push(bytes.toString('latin1'));
      parts[turn]?.(socket, bytes.toString('latin1'));
      turn += 1;
    });
  });
  const home = newHome(onTestFinished);
  const path = join(home.path, 'passwords');
  writeFileSync(path, `*:*:*:*:${PASSWORD}\n`, { mode: 0o600 });
  const url = `postgres://ops@127.0.0.1:${port}/journal`;
  return { home: withEnv(home, { PGPASSFILE: path, FIATRAIL_JOURNAL_URL: url }), got };
}

const LIST = ['ops', 'list', '-o', 'json'];
const STARTUP = expect.stringContaining('user\0ops\0');
const HELLO = expect.stringContaining('SCRAM-SHA-256');
const QUERY = expect.stringMatching(/^Q/);
const COLUMN = message('T', Buffer.from([0, 1]), 'a\0', 0, Buffer.from([0, 0]), 25, Buffer.from([255, 255]), 0, 'AA');
const row = (text: string) => message('D', Buffer.from([0, 1]), text.length, text);

test.each<[string, readonly Part[], string, readonly unknown[]]>([
  ['the password in clear text', [say(message('R', 3))], 'JOURNAL_LOGIN', [STARTUP]],
  ['the password as MD5', [say(message('R', 5, 'salt'))], 'JOURNAL_LOGIN', [STARTUP]],
  ['a login of another kind', [say(message('R', 7))], 'JOURNAL_LOGIN', [STARTUP]],
  ['SCRAM of another kind', [say(message('R', 10, 'SCRAM-SHA-1\0\0'))], 'JOURNAL_LOGIN', [STARTUP]],
  ['SCRAM with 1 iteration', [say(SCRAM), iterate('1')], 'JOURNAL_LOGIN', [STARTUP, HELLO]],
  ['SCRAM with 4095 iterations', [say(SCRAM), iterate('4095')], 'JOURNAL_LOGIN', [STARTUP, HELLO]],
  ['SCRAM with 10 million iterations', [say(SCRAM), iterate('10000000')], 'JOURNAL_LOGIN', [STARTUP, HELLO]],
  ['SCRAM with two numbers of iterations', [say(SCRAM), iterate('4096,i=1')], 'JOURNAL_LOGIN', [STARTUP, HELLO]],
  [
    'SCRAM without a proof of its own',
    [say(SCRAM), iterate('4096'), say(LOGGED_IN)],
    'JOURNAL_LOGIN',
    [STARTUP, HELLO, expect.stringContaining(',p=')],
  ],
  ['clear text after SCRAM', [say(SCRAM), say(message('R', 3))], 'JOURNAL_LOGIN', [STARTUP, HELLO]],
  [
    'a message of 2 GB',
    [say(Buffer.from('S'), int32(2 ** 31 - 1), Buffer.alloc(100_000))],
    'JOURNAL_OVERSIZED',
    [STARTUP],
  ],
  ['a message that is shorter than its length', [say(Buffer.from('S'), int32(1))], 'JOURNAL_OVERSIZED', [STARTUP]],
  ['a notice without end', [endlessly(message('N', 'SNOTICE\0\0'))], 'JOURNAL_OVERSIZED', [STARTUP]],
  [
    'short rows without end',
    [say(LOGGED_IN), both(say(COLUMN), endlessly(row('a')))],
    'JOURNAL_OVERSIZED',
    [STARTUP, QUERY],
  ],
  [
    'long rows without end',
    [say(LOGGED_IN), both(say(COLUMN), endlessly(row('a'.repeat(4_000))))],
    'JOURNAL_OVERSIZED',
    [STARTUP, QUERY],
  ],
])('a server that sends or asks for %s is refused', async (_name, parts, code, expected) => {
  const { home, got } = await homeWith(parts);
  const ran = await fiatrail(home, LIST);
  expect(failureOf(ran)).toEqual({ exit: 2, code });
  expect(got.filter((each) => !each.startsWith('X'))).toEqual(expected);
  expect(`${got.join('')}${ran.stdout}${ran.stderr}`).not.toContain(PASSWORD);
});

test.each<[string, readonly Part[]]>([
  ['before the login', []],
  ['in the middle of SCRAM', [say(SCRAM)]],
  ['after the login', [say(DONE)]],
])('a server that stops %s cannot be reached', async (_name, parts) => {
  const { home, got } = await homeWith(parts);
  expect(failureOf(await fiatrail(home, LIST))).toEqual({ exit: 5, code: 'JOURNAL_UNREACHABLE' });
  expect(got.join('')).not.toContain(PASSWORD);
});

test.each<[string, readonly Part[]]>([
  ['before the login', []],
  ['in the middle of SCRAM', [say(SCRAM)]],
  ['before the rows', [say(LOGGED_IN)]],
])('SIGTERM ends a command that waits for a server %s', async (_name, parts) => {
  const { home, got } = await homeWith(parts);
  const running = startFiatrail(home, LIST);
  while (got.length <= parts.length) await sleep(20);
  process.kill(running.pid, 'SIGTERM');
  const ran = await running.end;
  expect(ran.code).toBe(130);
  expect(ran.stderr).not.toMatch(/\n +at /);
});
