import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Served } from '../support/accounts.ts';
import { type Home, newHome, type Ran, requireBuilt, sharedEnd, startFiatrail } from '../support/built.ts';
import { type Certificate, selfSigned } from '../support/certificate.ts';
import { accountOf, fiatrail, must, serveSandbox } from '../support/in-process.ts';
import { closedPort, tcpServer } from '../support/loopback.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { failureOf, hostOf, pay, withdrawalOf, withdrawalsAt, withEnv } from './hosts.ts';

/** Looks like nothing else, so that a search for it finds only it. */
const PASSWORD = 'Zebra-7Q9x-lantern';
const USER = 'ops';

const atEnd = sharedEnd();
let certificate: Certificate;
/** Has TLS and passwords; the other one has no TLS. */
let server: TestServer;
let plain: TestServer;
let [port, plainPort] = [0, 0];
let served: Served;
let before: number;

beforeAll(async () => {
  requireBuilt();
  [certificate, port, plainPort] = [selfSigned(atEnd), await closedPort(), await closedPort()];
  [server, plain, served] = await Promise.all([
    startPostgres({ port, certificate }),
    startPostgres({ port: plainPort }),
    serveSandbox(atEnd),
  ]);
  for (const each of [server, plain]) {
    const url = each.newDatabase();
    each.sql(url, `CREATE ROLE ${USER} LOGIN PASSWORD '${PASSWORD}'`);
    each.sql(url, `GRANT CREATE ON DATABASE ${nameOf(url)} TO ${USER}`);
  }
  before = withdrawalsAt(served).length;
});
afterAll(async () => {
  await server?.stop();
  await plain?.stop();
});
afterEach(() => expect(withdrawalsAt(served)).toHaveLength(before));

const nameOf = (url: string) => /\/([\w]+)\?/.exec(url)?.[1] ?? '';

interface Way {
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly rootCertificate?: string | undefined;
}

/** The URL of a database over the network, where the host name and the certificate are right unless given. */
function urlOf({ host = 'localhost', port: at = port, database = 'journal_1', ...way }: Way = {}): string {
  const root = 'rootCertificate' in way ? way.rootCertificate : certificate.path;
  const name = root === undefined ? '' : `&sslrootcert=${encodeURIComponent(root)}`;
  return `postgres://${USER}@${host}:${at}/${database}?sslmode=verify-full${name}`;
}

/** A host whose password file has this line for every database. */
function hostWith(url: string, password?: string, mode = 0o600): Home {
  const home = hostOf(served, url, onTestFinished);
  if (password === undefined) return home;
  const path = join(home.path, 'passwords');
  writeFileSync(path, `*:*:*:${USER}:${password}\n`, { mode });
  return withEnv(home, { PGPASSFILE: path });
}

/** What a command printed about its error, which is one sentence. */
function messageOf({ stderr }: Ran): string {
  const line = stderr.split('\n').find((each) => each.startsWith('{"error"')) ?? '{}';
  const { error } = JSON.parse(line) as { error?: { message: string; hint: string } };
  if (!error || /\n|undefined|\[object/.test(error.message) || !error.hint) throw new Error(`no sentence: ${stderr}`);
  return error.message;
}

async function refused(home: Home, argv = pay('one')) {
  const ran = await fiatrail(home, argv);
  expect(`${ran.stdout}${ran.stderr}`).not.toContain(PASSWORD);
  return { ...failureOf(ran), message: messageOf(ran) };
}

describe('a server that cannot be used', () => {
  test('works when everything is right, over TLS and with a password', async () => {
    for (const url of [urlOf(), `postgres://${USER}@127.0.0.1:${plainPort}/journal_1`])
      expect(await startFiatrail(hostWith(url, PASSWORD), ['ops', 'list', '-q']).end).toMatchObject({ code: 0 });
  });

  test.each<[string, () => Home | Promise<Home>, number, string, RegExp]>([
    [
      'no socket',
      () => hostWith('postgres://ops@/journal_1?host=/nowhere'),
      5,
      'UNREACHABLE',
      /cannot be reached: \/nowhere/,
    ],
    [
      'nothing that listens',
      async () => hostWith(urlOf({ port: await closedPort() })),
      5,
      'UNREACHABLE',
      /cannot be reached: localhost:/,
    ],
    [
      'an unknown host',
      () => hostWith(urlOf({ host: 'db.invalid' })),
      5,
      'UNREACHABLE',
      /cannot be reached: db\.invalid/,
    ],
    ['a wrong password', () => hostWith(urlOf(), 'wrong'), 2, 'REJECTED', /rejected the user or the password/],
    ['no password', () => hostWith(urlOf()), 2, 'REJECTED', /rejected the user or the password/],
    [
      'the certificate of another authority',
      () => hostWith(urlOf({ rootCertificate: selfSigned(onTestFinished).path }), PASSWORD),
      2,
      'INSECURE',
      /did not prove who it is/,
    ],
    [
      'a certificate that no authority here has signed',
      () => hostWith(urlOf({ rootCertificate: undefined }), PASSWORD),
      2,
      'INSECURE',
      /did not prove who it is/,
    ],
    [
      'another host name than in the certificate',
      () => hostWith(urlOf({ host: '127.0.0.1' }), PASSWORD),
      2,
      'INSECURE',
      /did not prove who it is/,
    ],
    ['no TLS', () => hostWith(urlOf({ port: plainPort }), PASSWORD), 2, 'INSECURE', /has no TLS/],
    [
      'no such database',
      () => hostWith(urlOf({ database: 'nothing' }), PASSWORD),
      2,
      'MISSING',
      /database does not exist/,
    ],
  ])('%s', async (_what, homeOf, exit, code, says) => {
    expect(await refused(await homeOf())).toEqual({
      exit,
      code: `JOURNAL_${code}`,
      message: expect.stringMatching(says),
    });
  });

  test('another program that answers', async () => {
    const { port: at } = await tcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const { exit, message } = await refused(hostWith(`postgres://${USER}@127.0.0.1:${at}/journal_1`, PASSWORD));
    expect([2, 5]).toContain(exit);
    expect(message).toContain('the journal’s server');
  });

  test('a program that never answers', async () => {
    const { port: at } = await tcpServer(() => {});
    const home = hostWith(`postgres://${USER}@127.0.0.1:${at}/journal_1`, PASSWORD);
    expect(await refused(home)).toMatchObject({ exit: 5, code: 'JOURNAL_UNREACHABLE' });
  });

  test('a certificate authority that cannot be read', async () => {
    const host = hostWith(urlOf({ rootCertificate: '/nowhere/ca.pem' }), PASSWORD);
    expect(await refused(host)).toMatchObject({ exit: 2, code: 'UNUSABLE_FILE' });
  });

  test('a password file that others can read', async () => {
    const host = hostWith(urlOf(), PASSWORD, 0o644);
    expect(await refused(host)).toMatchObject({ exit: 2, code: 'OPEN_PASSWORD_FILE' });
  });
});

describe('a database that cannot be used', () => {
  test.each([
    ['a user who may not create the schema', '', 'FORBIDDEN'],
    [
      'the settings of another program',
      'CREATE SCHEMA fiatrail; CREATE TABLE fiatrail.setting (name text, value text)',
      'FOREIGN',
    ],
    [
      'the schema of another program',
      `GRANT CREATE ON DATABASE %s TO ops; CREATE SCHEMA fiatrail AUTHORIZATION ops; CREATE TABLE fiatrail.orders (id int)`,
      'FOREIGN',
    ],
  ])('%s', async (_what, sql, code) => {
    const url = server.newDatabase();
    const database = nameOf(url);
    if (sql) server.sql(url, sql.replace('%s', database));
    const tables = () =>
      server.sql(
        url,
        `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'fiatrail'`,
      );
    const found = tables();
    expect(await refused(hostWith(urlOf({ database }), PASSWORD))).toMatchObject({ exit: 2, code: `JOURNAL_${code}` });
    expect(tables()).toBe(found);
  });

  test.each([
    ['2', 'NEWER', /newer version/],
    ['0', 'OLDER', /earlier version/],
  ])('another version of fiatrail, %s', async (version, code, says) => {
    const url = server.newDatabase();
    const host = hostWith(url);
    expect((await fiatrail(host, ['ops', 'list', '-q'])).code).toBe(0);
    server.sql(url, `UPDATE fiatrail.setting SET value = '${version}' WHERE name = 'version'`);
    for (const argv of [pay('one'), ['ops', 'list', '-q', '-o', 'json']])
      expect(await refused(host, argv)).toEqual({
        exit: 2,
        code: `JOURNAL_${code}`,
        message: expect.stringMatching(says),
      });
  });

  test('a full disk', async () => {
    const url = server.newDatabase();
    const host = hostWith(url);
    expect((await fiatrail(host, ['ops', 'list', '-q'])).code).toBe(0);
    // Every write to /dev/full fails as on a full disk, and reading finds nothing, as in the empty file of an empty table.
    const file = join(server.folder, 'data', server.sql(url, `SELECT pg_relation_filepath('fiatrail.operation')`));
    rmSync(file);
    symlinkSync('/dev/full', file);
    expect(await refused(host)).toEqual({
      exit: 2,
      code: 'JOURNAL_FULL',
      message: expect.stringMatching(/disk of the journal’s server is full/),
    });
    expect(server.sql(url, 'SELECT count(*) FROM fiatrail.operation')).toBe('0');
  });
});

describe('an account with two journals', () => {
  test('stops the one that lacks what the other one has', async () => {
    const url = server.newDatabase();
    const host = hostWith(url);
    const local = withEnv(host, { FIATRAIL_JOURNAL_URL: '' });
    withdrawalOf(await fiatrail(local, pay('local')));
    before += 1;
    expect(await refused(host, pay('local'))).toMatchObject({ exit: 2, code: 'JOURNAL_NOT_MOVED' });
    // It moves.
    const { stdout } = await must(local, ['ops', 'journal', 'export', '--with-digest-key', '-q']);
    await must(host, ['ops', 'journal', 'import', '-', '-q'], stdout);
    withdrawalOf(await fiatrail(host, pay('local')));
    withdrawalOf(await fiatrail(host, pay('shared')));
    before += 1;
    expect(await refused(local, pay('shared'))).toMatchObject({ exit: 2, code: 'JOURNAL_ELSEWHERE' });
    // What this journal knows to be done is shown again, and nothing is sent.
    withdrawalOf(await fiatrail(local, pay('local')));
    const other = hostWith(server.newDatabase());
    const sameHost = withEnv(host, { FIATRAIL_JOURNAL_URL: other.env['FIATRAIL_JOURNAL_URL'] ?? '' });
    expect(await refused(sameHost, pay('shared'))).toMatchObject({ exit: 2, code: 'JOURNAL_ELSEWHERE' });
    expect((await fiatrail(local, ['ops', 'journal', 'verify', '--accept', '--yes', '-q'])).code).toBe(0);
    withdrawalOf(await fiatrail(local, pay('local')));
  });
});

describe('profiles journal set', () => {
  test('rejects every URL that it cannot use, without repeating a password', async () => {
    const home = await accountOf(served, onTestFinished);
    const urls = {
      [`postgres://ops:${PASSWORD}@db.example.com/ledger`]: /contains a password/,
      [`postgres://ops:${PASSWORD}@/ledger?host=/run`]: /contains a password/,
      [`postgres://ops@db.example.com/ledger?password=${PASSWORD}`]: /unknown parameter "password"/,
      'mysql://ops@db.example.com/ledger': /not the URL of a PostgreSQL database/,
      'host=db.example.com dbname=ledger': /not the URL of a PostgreSQL database/,
      'postgres://ops@db.example.com': /names no database/,
      'postgres://ops@db.example.com/a/b': /names no database/,
      'postgres:///ledger': /names no host/,
      'postgres://ops@/ledger?port=5432': /names no host/,
      'postgres://ops@db.example.com:99999/ledger': /not the URL|port/,
      'postgres://ops@/ledger?host=/run&port=0': /port/,
      'postgres://%zz@db.example.com/ledger': /not followed by two hexadecimal digits/,
      'postgres://ops@db.example.com/ledger?sslmode=prefer': /sslmode is "prefer"/,
      'postgres://ops@db.example.com/ledger?sslmode=disable': /not on this machine/,
      'postgres://ops@db.example.com/ledger?options=-csearch_path=x': /unknown parameter "options"/,
      'postgres://ops@db.example.com/ledger%00options%00-c': /contains a control character/,
      'postgres://ops%00x@db.example.com/ledger': /contains a control character/,
      'postgres://ops@/ledger?host=/run%00': /contains a control character/,
      'postgres://ops@db.example.com/%zz': /not followed by two hexadecimal digits/,
    };
    for (const [url, says] of Object.entries(urls)) {
      const ways = await Promise.all([
        refused(home, ['profiles', 'journal', 'set', '--url', url, '--yes', '-o', 'json']),
        // The variable is read by the same function.
        ...(url.includes(PASSWORD) ? [refused(withEnv(home, { FIATRAIL_JOURNAL_URL: url }), pay('one'))] : []),
      ]);
      for (const way of ways)
        expect({ url, ...way }).toEqual({
          url,
          exit: 2,
          code: 'INVALID_JOURNAL_URL',
          message: expect.stringMatching(says),
        });
    }
    expect(existsSync(join(home.stateDir, 'journal.db'))).toBe(false);
  });

  test('rejects combinations that say two things, and a password that cannot be one', async () => {
    const home = await accountOf(served, onTestFinished);
    const words = ['profiles', 'journal', 'set', 'main', '--yes', '-o', 'json'];
    expect(await refused(home, [...words, '--url', urlOf(), '--local'])).toMatchObject({ exit: 2 });
    expect(await refused(home, [...words, '--password-stdin'])).toMatchObject({ exit: 2 });
    const twoLines = await fiatrail(home, [...words, '--password-stdin'], { stdin: `${PASSWORD}\n${PASSWORD}\n` });
    expect(failureOf(twoLines).exit).toBe(2);
    expect(twoLines.stderr).not.toContain(PASSWORD);
    expect(
      failureOf(await fiatrail(home, ['profiles', 'journal', 'set', 'nobody', '--local', '--yes', '-o', 'json'])).exit,
    ).toBe(2);
  });

  test('stores the URL and the password, which no export and no import brings along', async () => {
    const home = await accountOf(served, onTestFinished);
    await must(
      home,
      ['profiles', 'journal', 'set', 'main', '--url', urlOf(), '--password-stdin', '--yes', '-q'],
      `${PASSWORD}\n`,
    );
    expect((await fiatrail(home, ['ops', 'list', '-q'])).code).toBe(0);
    const shown = await must(home, ['profiles', 'journal', 'show', '-o', 'json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ journal: 'PostgreSQL', place: `localhost:${port}/journal_1` });
    const exported = await must(home, ['profiles', 'export', '-q']);
    expect(exported.stdout).not.toContain(PASSWORD);
    const other = newHome(onTestFinished);
    const imported = await must(other, ['profiles', 'import', '-'], exported.stdout);
    expect(imported.stderr).toContain('profile main has its journal on a server');
    const place = await must(other, ['profiles', 'journal', 'show', 'main', '-o', 'json']);
    expect(JSON.parse(place.stdout)).toMatchObject({ journal: 'SQLite' });
    await must(home, ['profiles', 'journal', 'set', 'main', '--local', '--yes', '-q']);
    expect(JSON.parse((await must(home, ['profiles', 'journal', 'show', '-o', 'json'])).stdout)).toMatchObject({
      journal: 'SQLite',
    });
  });
});
