import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { MACHINES } from '../../src/service/machines.ts';
import { schemaVersion, schemaWith } from '../../src/service/schema/schema.ts';
import { type Database, type OpenOptions, openDatabase, openForReading } from '../../src/sqlite/database.ts';
import { DatabaseError } from '../../src/sqlite/errors.ts';
import { acquireLock } from '../../src/sqlite/lock.ts';
import { testJournal } from '../support/journal-intent.ts';
import { countingIds, fakeClock, openSandbox, temporaryFolder } from '../support/sandbox.ts';

const VERSION = 3;
const FILE_ID = 0x74657374;
const options: OpenOptions = {
  synchronous: 'NORMAL',
  layout: {
    version: VERSION,
    applicationId: FILE_ID,
    create: (database) => database.exec('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT'),
  },
};

const open = (path: string, more: Partial<OpenOptions> = {}) => openDatabase(path, { ...options, ...more });

/** Returns the problem of opening a file; undefined if it opens. */
async function problemOf(path: string): Promise<unknown> {
  try {
    (await open(path)).close();
    return undefined;
  } catch (error) {
    return error instanceof DatabaseError ? { problem: error.problem, path: error.path } : error;
  }
}

/** Returns the bytes of a valid sandbox file. */
async function goodBytes(): Promise<Buffer> {
  using folder = temporaryFolder();
  const database = await open(folder.file('good.db'));
  for (let count = 0; count < 200; count++) database.run('INSERT INTO item (name) VALUES (?)', `item ${count}`);
  database.close();
  return readFileSync(folder.file('good.db'));
}

/** Writes a database of another program. */
function foreignFile(path: string, userVersion: number): void {
  const connection = new DatabaseSync(path);
  connection.exec(`CREATE TABLE other (a); INSERT INTO other VALUES ('kept'); PRAGMA user_version = ${userVersion}`);
  connection.close();
}

const noise = Buffer.from(countingIds(7).bytes(10_000));
const damaged: [what: string, bytes: (good: Buffer) => Buffer][] = [
  ['ten bytes of noise', () => noise.subarray(0, 10)],
  ['a header of noise', () => noise.subarray(0, 100)],
  ['a page of noise', () => noise.subarray(0, 4096)],
  ['pages of noise', () => noise],
  ['a text file', () => Buffer.from('{"not":"a database"}\n'.repeat(50))],
  ['two bytes of our header', (good) => good.subarray(0, 2)],
  ['the start of our header', (good) => good.subarray(0, 16)],
  ['half of our header', (good) => good.subarray(0, 50)],
  ['our header with nothing after it', (good) => good.subarray(0, 100)],
  ['our first page without the rest', (good) => good.subarray(0, 4096)],
  ['our header with one wrong letter', (good) => Buffer.concat([Buffer.from('sqlite'), good.subarray(6)])],
  ['zeros', () => Buffer.alloc(8192)],
];

describe('a damaged file', () => {
  test.each(damaged)('%s is reported as corrupt and left unchanged', async (_what, bytesOf) => {
    using folder = temporaryFolder();
    const path = folder.file('state.db');
    const bytes = bytesOf(await goodBytes());
    writeFileSync(path, bytes);
    expect(await problemOf(path)).toEqual({ problem: 'corrupt', path });
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test('is reported as corrupt on the first read if only its pages are noise', async () => {
    using folder = temporaryFolder();
    const path = folder.file('state.db');
    const good = await goodBytes();
    writeFileSync(path, Buffer.concat([good.subarray(0, 4096), noise.subarray(0, good.length - 4096)]));
    const database = await open(path);
    const read = () => database.all('SELECT * FROM item');
    expect(read).toThrow(DatabaseError);
    expect(read).toThrow(/^corrupt: /);
    database.close();
  });

  test.each([0, 1, VERSION, VERSION + 1])('of another program, version %d, is left unchanged', async (version) => {
    using folder = temporaryFolder();
    const path = folder.file('other.db');
    foreignFile(path, version);
    const before = readFileSync(path);
    expect(await problemOf(path)).toEqual({ problem: 'corrupt', path });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('is foreign if it is our journal', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    (await testJournal({ path })).close();
    await expect(openSandbox({ path })).rejects.toMatchObject({ name: 'DatabaseError', problem: 'corrupt' });
  });
});

describe('a file of a newer fiatrail', () => {
  test('is reported as newer and left unchanged', async () => {
    using folder = temporaryFolder();
    const path = folder.file('state.db');
    (await open(path)).close();
    const connection = new DatabaseSync(path);
    connection.exec(`PRAGMA user_version = ${VERSION + 1}`);
    connection.close();
    const before = readFileSync(path);
    expect(await problemOf(path)).toEqual({ problem: 'newer', path });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('is foreign', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    await using box = await openSandbox({ path });
    box.service.store.exec(`PRAGMA user_version = ${schemaVersion(MACHINES) + 1}`);
    await expect(openSandbox({ path })).rejects.toMatchObject({ name: 'DatabaseError', problem: 'newer' });
  });
});

/** What the tables of each machine are in this version. */
const TABLES_OF_MACHINES: Readonly<Record<string, string>> = {
  bridge: '28319b4bf5ef7b72',
  deposit: '4e81e378badc42ef',
  'fee-withdrawal': '13d1f1698603f695',
  trade: '9873cc55e79c20fb',
  vault: 'c3060ef4a30277a4',
  offramp: '6cef582d3c1f513a',
  onramp: '70ee896061f3855a',
  payout: 'f19b5d1fade033d7',
  swap: 'cc7fc70c43107443',
  withdrawal: '0ed3318a08c67c1b',
  onboarding: '7ca6e40840d7a4e7',
};

describe('a file of an older fiatrail', () => {
  test('is reported as older and left unchanged', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    {
      await using box = await openSandbox({ path });
      box.service.store.exec('PRAGMA user_version = -1');
    }
    const before = readFileSync(path);
    await expect(openSandbox({ path })).rejects.toMatchObject({ name: 'DatabaseError', problem: 'older' });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  const digestOf = (sql: string) => createHash('sha256').update(sql).digest('hex').slice(0, 16);

  test('is detected by its version, which is raised with every change to the tables, and by a new machine', () => {
    const found = Object.fromEntries(MACHINES.map(({ name, schema }) => [name, digestOf(schema)]));
    const others = digestOf(schemaWith([]));
    expect({ version: schemaVersion([]), others, machines: found }).toEqual({
      version: 1,
      others: 'c80bbf20cef13e44',
      machines: TABLES_OF_MACHINES,
    });
    expect(schemaVersion([...MACHINES, {}])).toBe(schemaVersion(MACHINES) + 1);
  });
});

describe('an unwritable path', () => {
  test('is reported if it is a folder', async () => {
    using folder = temporaryFolder();
    mkdirSync(folder.file('state.db'));
    expect(await problemOf(folder.file('state.db'))).toEqual({
      problem: 'unwritable',
      path: folder.file('state.db'),
    });
  });

  test.each(['below-a-file/state.db', 'missing/state.db'])('is reported: %s', async (name) => {
    using folder = temporaryFolder();
    writeFileSync(folder.file('below-a-file'), 'a file in place of a folder');
    expect(await problemOf(folder.file(name))).toEqual({ problem: 'unwritable', path: folder.file(name) });
  });

  test('below a file is rejected in both modes, and the file is left unchanged', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.file('plain'), 'a file in place of a folder');
    await expect(open(folder.file('plain/state.db'))).rejects.toThrow();
    expect(readFileSync(folder.file('plain'), 'utf8')).toBe('a file in place of a folder');
  });
});

describe('a new file', () => {
  test("is readable only by its owner, and so are SQLite's files next to it", async () => {
    using folder = temporaryFolder();
    const database = await open(folder.file('state.db'));
    database.run(`INSERT INTO item (name) VALUES ('x')`);
    const modes = readdirSync(folder.path).map((name) => [
      name,
      (statSync(folder.file(name)).mode & 0o777).toString(8),
    ]);
    expect(modes).toContainEqual(['state.db', '600']);
    expect(modes.length).toBeGreaterThan(1);
    expect(modes.filter(([, mode]) => mode !== '600')).toEqual([]);
    database.close();
  });

  test('is created once by concurrent openers', async () => {
    using folder = temporaryFolder();
    let made = 0;
    const create = (database: Database) => {
      made += 1;
      options.layout.create(database);
    };
    const layout = { ...options.layout, create };
    const first = await open(folder.file('state.db'), { layout });
    const second = await open(folder.file('state.db'), { layout });
    expect(made).toBe(1);
    first.close();
    second.close();
  });

  test('is empty for the next opener if its creation fails', async () => {
    using folder = temporaryFolder();
    const path = folder.file('state.db');
    const failing = {
      ...options.layout,
      create: (database: Database) => {
        options.layout.create(database);
        throw new Error('half way');
      },
    };
    await expect(open(path, { layout: failing })).rejects.toThrow('half way');
    const database = await open(path);
    expect(database.all('SELECT * FROM item')).toEqual([]);
    database.close();
  });
});

describe('two connections', () => {
  test("see each other's commits and nothing before them", async () => {
    using folder = temporaryFolder();
    const [first, second] = [await open(folder.file('state.db')), await open(folder.file('state.db'))];
    const count = () => second.get<{ n: bigint }>('SELECT COUNT(*) AS n FROM item')?.n;
    first.transaction('write', () => {
      first.run(`INSERT INTO item (name) VALUES ('x')`);
      expect(count()).toBe(0n);
    });
    expect(count()).toBe(1n);
    first.close();
    second.close();
  });

  test('keep a stable snapshot while they read', async () => {
    using folder = temporaryFolder();
    const [writer, reader] = [await open(folder.file('state.db')), await open(folder.file('state.db'))];
    const count = () => reader.get<{ n: bigint }>('SELECT COUNT(*) AS n FROM item')?.n;
    reader.transaction('read', () => {
      expect(count()).toBe(0n);
      writer.run(`INSERT INTO item (name) VALUES ('x')`);
      expect(count()).toBe(0n);
    });
    expect(count()).toBe(1n);
    writer.close();
    reader.close();
  });

  test('share a sandbox: one reads what the other posted', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    const clock = fakeClock();
    await using first = await openSandbox({ path, clock });
    await using second = await openSandbox({ path, clock, ids: countingIds(2) });
    expect(second.apiKey).toBe(first.apiKey);
    const { envelope } = await first.call('POST', '/onboarduser', { bvn: '22222222222' });
    clock.pass(1000);
    const { data } = (await second.call('POST', '/onboardstatus', { requestId: envelope.data?.['requestId'] }))
      .envelope;
    expect(data).toMatchObject({ status: 'completed', userId: envelope.data?.['userHash'] });
  });
});

describe('units of work', () => {
  const names = (database: Database) => database.all<{ name: string }>('SELECT name FROM item').map(({ name }) => name);
  const add = (database: Database, name: string) => database.run('INSERT INTO item (name) VALUES (?)', name);

  test('a savepoint that throws rolls back only its own work', async () => {
    const database = await open(':memory:');
    database.transaction('write', () => {
      add(database, 'before');
      const failing = () =>
        database.savepoint(() => {
          add(database, 'inside');
          throw new Error('no');
        });
      expect(failing).toThrow('no');
      add(database, 'after');
    });
    expect(names(database)).toEqual(['before', 'after']);
    database.close();
  });

  test('a transaction that throws rolls back everything', async () => {
    const database = await open(':memory:');
    const failing = () =>
      database.transaction('write', () => {
        database.savepoint(() => add(database, 'inside'));
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(names(database)).toEqual([]);
    database.close();
  });

  test('integers are returned as bigint, beyond 2^53 too', async () => {
    const database = await open(':memory:');
    const big = 2n ** 62n + 1n;
    database.run('INSERT INTO item (id, name) VALUES (?, ?)', big, 'x');
    expect(database.get('SELECT id FROM item')).toEqual({ id: big });
    expect(database.insert(`INSERT INTO item (name) VALUES ('y')`)).toBe(big + 1n);
    database.close();
  });
});

describe.skipIf(process.platform === 'win32')('in the place of a file', () => {
  const suffixes = ['', '-wal', '-shm'];

  test.each(suffixes)('a FIFO at state.db%s is rejected instead of blocking the process', async (suffix) => {
    using folder = temporaryFolder();
    const path = folder.file('state.db');
    execFileSync('mkfifo', [path + suffix]);
    expect(await problemOf(path)).toMatchObject({ code: 'IN_THE_WAY', message: `${path}${suffix} is not a file` });
    expect(await openForReading(path)).toBeUndefined();
    await expect(acquireLock(path, 0)).rejects.toMatchObject({ code: 'IN_THE_WAY' });
  });

  test.each(suffixes)('a link at state.db%s is rejected and its target left unchanged', async (suffix) => {
    using folder = temporaryFolder();
    const path = folder.file('state.db');
    writeFileSync(folder.file('target'), '');
    symlinkSync(folder.file('target'), path + suffix);
    expect(await problemOf(path)).toMatchObject({ code: 'SYMLINK' });
    await expect(acquireLock(path, 0)).rejects.toMatchObject({ code: 'SYMLINK' });
    expect(readFileSync(folder.file('target'), 'utf8')).toBe('');
  });
});

describe('a full disk', () => {
  /** Opens a sandbox whose file can grow by a few pages only, and onboards users until one fails. */
  async function fill(together: number) {
    const box = await openSandbox();
    const pages = box.service.store.get<{ page_count: bigint }>('PRAGMA page_count')?.page_count ?? 0n;
    box.service.store.exec(`PRAGMA max_page_count = ${pages + 1n}`);
    const settled = await Promise.allSettled(
      Array.from({ length: together }, (_each, index) =>
        box.call('POST', '/onboarduser', { bvn: String(30_000_000_000 + index) }),
      ),
    );
    return { box, settled };
  }

  test('fails the units that could not be written', async () => {
    const { box, settled } = await fill(60);
    await using _closed = box;
    expect(settled.filter(({ status }) => status === 'rejected')).not.toEqual([]);
  });

  test('keeps nothing of a failed batch', async () => {
    const { box, settled } = await fill(60);
    await using _closed = box;
    const accepted = settled.filter(({ status }) => status === 'fulfilled').length;
    const count = await box.inside(({ store }) => store.get('SELECT COUNT(*) AS n FROM onboarding'), 'read');
    expect(count).toEqual({ n: BigInt(accepted) });
  });

  test('is reported as full', async () => {
    const { box, settled } = await fill(60);
    await using _closed = box;
    const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(reasons.at(-1)).toMatchObject({ name: 'DatabaseError', problem: 'full' });
  });
});
