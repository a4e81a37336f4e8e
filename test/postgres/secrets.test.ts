import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newHome, type Ran, requireBuilt, startFiatrail } from '../support/built.ts';
import { accountOf, fiatrail, must, serveSandbox } from '../support/in-process.ts';
import { closedPort, tcpServer } from '../support/loopback.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { failureOf, pay, withEnv } from './hosts.ts';

/** Looks like nothing else, so that a search for it finds only it. */
const PASSWORD = 'Zebra-7Q9x-lantern';

let server: TestServer;
let url: string;
let port: number;

beforeAll(async () => {
  requireBuilt();
  port = await closedPort();
  server = await startPostgres({ port, settings: ['log_statement=all'] });
  const database = server.newDatabase();
  server.sql(database, `CREATE ROLE ops LOGIN PASSWORD '${PASSWORD}'; GRANT CREATE ON DATABASE journal_1 TO ops`);
  // Another user with the same rights and the same password: that it is refused is the program's doing, not the server's.
  server.sql(database, `CREATE ROLE other LOGIN PASSWORD '${PASSWORD}' IN ROLE ops`);
  url = `postgres://ops@127.0.0.1:${port}/journal_1`;
});
afterAll(() => server?.stop());

/** Returns the files below a folder that contain the password. */
function filesWith(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(PASSWORD));
}

/** What another user of the machine sees of a running command. */
async function ranWithArguments(home: ReturnType<typeof newHome>, argv: readonly string[]): Promise<[Ran, string]> {
  const running = startFiatrail(home, argv);
  const words = readFileSync(`/proc/${running.pid}/cmdline`, 'utf8');
  return [await running.end, words];
}

test('a password is in the store of its profile and nowhere else', async () => {
  const served = await serveSandbox(onTestFinished);
  const home = await accountOf(served, onTestFinished);
  const set = await must(
    home,
    ['profiles', 'journal', 'set', 'main', '--url', url, '--password-stdin', '--yes', '-v'],
    PASSWORD,
  );
  const logged = server.log().length;
  const ran: Ran[] = [set];
  for (const argv of [
    pay('one', '-v'),
    ['ops', 'list', '-v'],
    ['profiles', 'show', '-v'],
    ['doctor', '-v'],
    ['ops', 'journal', 'export', '--with-digest-key'],
  ]) {
    const [each, seen] = await ranWithArguments(home, argv);
    ran.push(each, { stdout: seen, stderr: '', code: 0 });
  }
  // Errors of the driver have what it was given.
  const broken = { FIATRAIL_DEBUG: '1' };
  ran.push(await fiatrail(withEnv(home, { ...broken, FIATRAIL_JOURNAL_URL: `${url}_missing` }), pay('two', '-v')));
  ran.push(
    await fiatrail(
      withEnv(home, { ...broken, FIATRAIL_JOURNAL_URL: url.replace('ops@', 'nobody@') }),
      pay('two', '-v'),
    ),
  );
  server.sql('/journal_1?', `ALTER ROLE ops PASSWORD 'another'`);
  ran.push(await fiatrail(withEnv(home, broken), pay('two', '-v')));
  server.sql('/journal_1?', `ALTER ROLE ops PASSWORD '${PASSWORD}'`);
  expect(ran.filter(({ stdout, stderr }) => `${stdout}${stderr}`.includes(PASSWORD))).toEqual([]);
  expect(ran.slice(-3).map(({ code }) => code)).toEqual([2, 2, 2]);
  expect(filesWith(home.path)).toEqual([join(home.path, 'config', 'secrets', 'main.journal-password')]);
  expect(filesWith(served.home.path)).toEqual([]);
  const statements = server
    .log()
    .slice(logged)
    .split('\n')
    .filter((line) => !line.includes('ALTER ROLE'));
  expect(statements.filter((line) => line.includes(PASSWORD))).toEqual([]);
  // Removing the profile removes it too.
  await must(home, ['profiles', 'remove', 'main', '--yes', '-q']);
  expect(filesWith(home.path)).toEqual([]);
});

test('a password in the URL is rejected and never repeated', async () => {
  const home = newHome(onTestFinished);
  const inUrl = url.replace('ops@', `ops:${PASSWORD}@`);
  const ran = await Promise.all([
    fiatrail(withEnv(home, { FIATRAIL_JOURNAL_URL: inUrl, FIATRAIL_DEBUG: '1' }), pay('one', '-v')),
    fiatrail(withEnv(home, { FIATRAIL_JOURNAL_URL: inUrl }), ['doctor', '-v']),
    fiatrail(home, ['profiles', 'journal', 'set', '--url', inUrl, '--yes', '-v']),
  ]);
  expect(ran.map(({ code }) => code)).not.toContain(0);
  expect(ran.filter(({ stdout, stderr }) => `${stdout}${stderr}`.includes(PASSWORD))).toEqual([]);
  expect(filesWith(home.path)).toEqual([]);
});

test('a password file is read as psql reads it', async () => {
  const home = newHome(onTestFinished);
  const path = join(home.path, '.pgpass');
  const lines = [
    '# comment',
    `127.0.0.1:1:*:ops:wrong`,
    `127.0.0.1:${port}:other:ops:wrong`,
    `127.0.0.1:*:journal_1:ops:${PASSWORD}`,
  ];
  writeFileSync(path, `${lines.join('\n')}\n*:*:*:*:wrong\n`, { mode: 0o600 });
  const ran = await fiatrail(withEnv(home, { FIATRAIL_JOURNAL_URL: url }), ['ops', 'list', '-q']);
  expect([ran.code, ran.stderr]).toEqual([0, '']);
});

test('a stored password goes to no other server than the one it was stored for', async () => {
  const served = await serveSandbox(onTestFinished);
  const got: string[] = [];
  const other = await tcpServer((socket) =>
    socket.on('data', (bytes) => {
      got.push(bytes.toString('latin1'));
      socket.write(Buffer.from('R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0', 'latin1'));
    }),
  );
  const home = newHome(onTestFinished);
  const account = ['--base-url', served.url, '--mode', 'sandbox', '--store', 'file', '--key-stdin'];
  await must(home, ['profiles', 'add', 'main', ...account], served.apiKey);
  await must(home, ['profiles', 'use', 'main']);
  await must(home, ['profiles', 'journal', 'set', 'main', '--url', url, '--password-stdin', '--yes'], PASSWORD);
  const elsewhere = url.replace(`:${port}/`, `:${other.port}/`);
  const list = ['ops', 'list', '-o', 'json'];
  const kept = join(home.path, 'config', 'secrets', 'main.journal-password');
  const ends: unknown[] = [];
  const run = async (journalUrl?: string) => {
    const ran = await fiatrail(
      journalUrl === undefined ? home : withEnv(home, { FIATRAIL_JOURNAL_URL: journalUrl }),
      list,
    );
    ends.push(ran.code === 0 ? 0 : failureOf(ran).code);
  };
  await run();
  for (const each of [elsewhere, url.replace('ops@', 'other@'), url.replace('127.0.0.1', 'localhost')]) await run(each);
  await run(url.replace('journal_1', 'postgres'));
  // Passwords were once stored without what they are for: they belong to the URL that the profile has.
  writeFileSync(kept, `${PASSWORD}\n`);
  await run();
  await run(elsewhere);
  await must(home, ['profiles', 'journal', 'set', 'main', '--url', elsewhere, '--yes']);
  await run();
  await must(home, ['profiles', 'journal', 'set', 'main', '--url', url, '--yes']);
  await run();
  const no = 'JOURNAL_REJECTED';
  expect(ends).toEqual([0, no, no, no, no, 0, no, no, 0]);
  // What came is the beginning of a connection, and no answer to the question for the password.
  expect(got.filter((bytes) => bytes.includes('SCRAM') || bytes.includes(PASSWORD))).toEqual([]);
  expect(got.filter((bytes) => bytes.includes('user\0ops'))).toHaveLength(3);
});
