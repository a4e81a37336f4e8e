import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import { SCHEMA_VERSION } from '../../src/service/schema.ts';
import { type Database, DatabaseError, type OpenOptions, openDatabase } from '../../src/sqlite/database.ts';
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

/** The problem a file makes; undefined when it opens. */
async function problemOf(path: string): Promise<unknown> {
  try {
    (await open(path)).close();
    return undefined;
  } catch (error) {
    return error instanceof DatabaseError ? { problem: error.problem, path: error.path } : error;
  }
}

/** The bytes of a good file of ours. */
async function goodBytes(): Promise<Buffer> {
  using folder = temporaryFolder();
  const database = await open(folder.file('good.db'));
  for (let count = 0; count < 200; count++) database.run('INSERT INTO item (name) VALUES (?)', `item ${count}`);
  database.close();
  return readFileSync(folder.file('good.db'));
}

/** A file of another program. */
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
  ['the first words of our header', (good) => good.subarray(0, 16)],
  ['half of our header', (good) => good.subarray(0, 50)],
  ['our header without anything behind it', (good) => good.subarray(0, 100)],
  ['our first page without the others', (good) => good.subarray(0, 4096)],
  ['our header with one letter wrong', (good) => Buffer.concat([Buffer.from('sqlite'), good.subarray(6)])],
  ['zeros', () => Buffer.alloc(8192)],
];

describe('a damaged file', () => {
  test.each(damaged)('%s: is called corrupt and left as it is', async (_what, bytesOf) => {
    using folder = temporaryFolder();
    const path = folder.file('state.db');
    const bytes = bytesOf(await goodBytes());
    writeFileSync(path, bytes);
    expect(await problemOf(path)).toEqual({ problem: 'corrupt', path });
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test('whose pages are noise is called corrupt when they are read', async () => {
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

  test.each([0, 1, VERSION, VERSION + 1])('of another program, version %d, is left as it is', async (version) => {
    using folder = temporaryFolder();
    const path = folder.file('other.db');
    foreignFile(path, version);
    const before = readFileSync(path);
    expect(await problemOf(path)).toEqual({ problem: 'corrupt', path });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('that is our journal is no sandbox', async () => {
    using folder = temporaryFolder();
    const path = folder.file('journal.db');
    (await openJournal(path, fakeClock(), countingIds())).close();
    await expect(openSandbox({ path })).rejects.toMatchObject({ name: 'DatabaseError', problem: 'corrupt' });
  });
});

describe('a file of a newer fiatrail', () => {
  test('is called newer and left as it is', async () => {
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

  test('is no sandbox', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    await using box = await openSandbox({ path });
    box.service.store.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    await expect(openSandbox({ path })).rejects.toMatchObject({ name: 'DatabaseError', problem: 'newer' });
  });
});

describe('a file of an earlier fiatrail', () => {
  test('is called older and left as it is', async () => {
    using folder = temporaryFolder();
    const path = folder.file('sandbox.db');
    {
      await using box = await openSandbox({ path });
      box.service.store.exec(`PRAGMA user_version = ${SCHEMA_VERSION - 1}`);
    }
    const before = readFileSync(path);
    await expect(openSandbox({ path })).rejects.toMatchObject({ name: 'DatabaseError', problem: 'older' });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('is known by its version, which goes up whenever the tables change', async () => {
    await using box = await openSandbox();
    const tables = box.service.store.all(`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name`);
    const digest = createHash('sha256').update(JSON.stringify(tables)).digest('hex').slice(0, 16);
    expect({ version: SCHEMA_VERSION, digest }).toEqual({ version: 2, digest: 'e3fdb2725d93e855' });
  });
});

describe('a place where nothing can be written', () => {
  test('that is a folder is called unwritable', async () => {
    using folder = temporaryFolder();
    mkdirSync(folder.file('state.db'));
    expect(await problemOf(folder.file('state.db'))).toEqual({
      problem: 'unwritable',
      path: folder.file('state.db'),
    });
  });

  test.each(['below-a-file/state.db', 'missing/state.db'])('%s is called unwritable', async (name) => {
    using folder = temporaryFolder();
    writeFileSync(folder.file('below-a-file'), 'a file, no folder');
    expect(await problemOf(folder.file(name))).toEqual({ problem: 'unwritable', path: folder.file(name) });
  });

  test('below a file is refused in any case, and the file left as it is', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.file('plain'), 'a file, no folder');
    await expect(open(folder.file('plain/state.db'))).rejects.toThrow();
    expect(readFileSync(folder.file('plain'), 'utf8')).toBe('a file, no folder');
  });
});

describe('a new file', () => {
  test('can be read by its owner only, and so can what SQLite puts beside it', async () => {
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

  test('is made once, whoever opens it', async () => {
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

  test('that cannot be made is empty for the next one', async () => {
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

describe('two openers', () => {
  test('see what the other one committed, and nothing before', async () => {
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

  test('a reader keeps the state it began with', async () => {
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

  test('share a sandbox: what one books, the other reads', async () => {
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

  test('a savepoint that throws takes back its own work only', async () => {
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

  test('a transaction that throws takes back everything', async () => {
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

  test('whole numbers come back as bigint, past 2^53 too', async () => {
    const database = await open(':memory:');
    const big = 2n ** 62n + 1n;
    database.run('INSERT INTO item (id, name) VALUES (?, ?)', big, 'x');
    expect(database.get('SELECT id FROM item')).toEqual({ id: big });
    expect(database.insert(`INSERT INTO item (name) VALUES ('y')`)).toBe(big + 1n);
    database.close();
  });
});

describe('a full disk', () => {
  /** A sandbox whose file can grow by a few pages only, and BVNs until one onboarding has failed. */
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

  test('fails what could not be written', async () => {
    const { box, settled } = await fill(60);
    await using _closed = box;
    expect(settled.filter(({ status }) => status === 'rejected')).not.toEqual([]);
  });

  test('keeps nothing of a batch that is told to have failed', async () => {
    const { box, settled } = await fill(60);
    await using _closed = box;
    const accepted = settled.filter(({ status }) => status === 'fulfilled').length;
    const count = await box.inside(({ store }) => store.get('SELECT COUNT(*) AS n FROM onboarding'), 'read');
    expect(count).toEqual({ n: BigInt(accepted) });
  });

  test('is called full', async () => {
    const { box, settled } = await fill(60);
    await using _closed = box;
    const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(reasons.at(-1)).toMatchObject({ name: 'DatabaseError', problem: 'full' });
  });
});
