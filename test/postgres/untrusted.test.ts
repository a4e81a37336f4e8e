import { chownSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { fiatrail, newHome, requireBuilt, startFiatrail, temporaryFolder } from '../support/built.ts';
import { tcpServer } from '../support/loopback.ts';
import { failureOf, withEnv } from './hosts.ts';

const OTHER_ID = 12_345;

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

/**
 * Starts a server that plays its parts, and returns a command's home, and what the server got. On a socket, a server may ask for no
 * password.
 */
async function homeWith(parts: readonly Part[], isOnSocket = false) {
  const got: string[] = [];
  const play = (socket: Socket) => {
    let turn = 0;
    socket.on('data', (bytes) => {
      got.push(bytes.toString('latin1'));
      parts[turn]?.(socket, bytes.toString('latin1'));
      turn += 1;
    });
    socket.on('error', () => {});
  };
  const url = isOnSocket ? await onSocket(play) : `postgres://ops@127.0.0.1:${(await tcpServer(play)).port}/journal`;
  const home = newHome(onTestFinished);
  const path = join(home.path, 'passwords');
  writeFileSync(path, `*:*:*:*:${PASSWORD}\n`, { mode: 0o600 });
  return { home: withEnv(home, { PGPASSFILE: path, FIATRAIL_JOURNAL_URL: url }), got };
}

/** Returns the URL of a server on a socket of this user. */
async function onSocket(play: (socket: Socket) => void): Promise<string> {
  const folder = temporaryFolder(onTestFinished);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    play(socket);
  });
  await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return `postgres://ops@/journal?host=${folder}`;
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
  ['a login of 20 KB', [say(message('R', 10, 'a'.repeat(20_000)))], 'JOURNAL_OVERSIZED', [STARTUP]],
  ['a message that is shorter than its length', [say(Buffer.from('S'), int32(1))], 'JOURNAL_OVERSIZED', [STARTUP]],
  ['a notice without end', [endlessly(message('N', 'SNOTICE\0\0'))], 'JOURNAL_OVERSIZED', [STARTUP]],
  ['no password', [say(LOGGED_IN)], 'JOURNAL_LOGIN', [STARTUP]],
])('a server that sends or asks for %s is rejected', async (_name, parts, code, expected) => {
  const { home, got } = await homeWith(parts);
  const ran = await fiatrail(home, LIST);
  expect(failureOf(ran)).toEqual({ exit: 2, code });
  expect(got.filter((each) => !each.startsWith('X'))).toEqual(expected);
  expect(`${got.join('')}${ran.stdout}${ran.stderr}`).not.toContain(PASSWORD);
});

/** A limit of rows is reached first by short ones, and one of bytes by long ones. */
test.each([
  [1, 64],
  [4_000, 512],
])('rows of %i characters without end are rejected before %i MB', async (length, mostMb) => {
  let takenBytes = 0;
  const count: Part = (socket) => void socket.on('close', () => (takenBytes = socket.bytesWritten));
  const rows = both(count, say(COLUMN), endlessly(row('a'.repeat(length))));
  const { home, got } = await homeWith([say(LOGGED_IN), rows], true);
  expect(failureOf(await fiatrail(home, LIST))).toEqual({ exit: 2, code: 'JOURNAL_OVERSIZED' });
  expect(got.filter((each) => !each.startsWith('X'))).toEqual([STARTUP, QUERY]);
  await vi.waitFor(() => expect(takenBytes).toBeGreaterThan(0));
  expect(takenBytes / 1e6).toBeLessThan(mostMb);
});

/** Far less than a server is waited for without a limit. */
const SOON_MS = 30_000;

/** Where a server stops, and after how many things that it got. */
const STOPS: readonly (readonly [string, readonly Part[], isOnSocket: boolean, count: number])[] = [
  ['before the login', [], false, 1],
  ['in the middle of SCRAM', [say(SCRAM)], false, 2],
  ['after the login', [say(DONE)], true, 1],
  ['before the rows', [say(LOGGED_IN)], true, 2],
];

test.each(STOPS)(
  'a server that stops %s is waited for as long as --timeout says',
  async (_name, parts, isOnSocket) => {
    const { home, got } = await homeWith(parts, isOnSocket);
    const ran = await fiatrail(home, [...LIST, '--timeout', '1s']);
    expect(failureOf(ran)).toEqual({ exit: 5, code: 'JOURNAL_UNREACHABLE' });
    expect(got.join('')).not.toContain(PASSWORD);
  },
  SOON_MS,
);

test.each(STOPS)(
  'SIGTERM ends a command that waits for a server %s',
  async (_name, parts, isOnSocket, count) => {
    const { home, got } = await homeWith(parts, isOnSocket);
    const running = startFiatrail(home, LIST);
    while (got.length < count) await sleep(20);
    process.kill(running.pid, 'SIGTERM');
    const ran = await running.end;
    expect(ran.code).toBe(130);
    expect(ran.stderr).not.toMatch(/\n +at /);
  },
  SOON_MS,
);

test('a socket of another user is rejected, unless the URL names its owner', async () => {
  const { home, got } = await homeWith([say(LOGGED_IN), both(say(COLUMN), endlessly(row('a')))], true);
  const url = home.env['FIATRAIL_JOURNAL_URL'] ?? '';
  const isRoot = process.getuid?.() === 0;
  // Only root can give it away; anyone else has a socket of their own here.
  if (isRoot) chownSync(`${url.slice(url.indexOf('=') + 1)}/.s.PGSQL.5432`, OTHER_ID, OTHER_ID);
  const refused = failureOf(await fiatrail(home, LIST));
  expect(refused).toEqual({ exit: 2, code: isRoot ? 'JOURNAL_PEER' : 'JOURNAL_OVERSIZED' });
  expect(got).toHaveLength(isRoot ? 0 : 2);
  const named = withEnv(home, { FIATRAIL_JOURNAL_URL: `${url}&requirepeer=${OTHER_ID}` });
  expect(failureOf(await fiatrail(named, LIST))).toEqual({ exit: 2, code: 'JOURNAL_OVERSIZED' });
});
