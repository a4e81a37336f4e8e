import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExchangeError } from '../../src/base/errors.ts';
import type { Exchange } from '../../src/base/world.ts';
import { cursorOf, pointOf } from '../../src/engine/lists/cursor.ts';
import { main } from '../../src/main.ts';
import { ACCOUNT, type FakeWorld, fakeClock, fakeHost, fakeWorld } from '../support/world.ts';

/** A service with a list of users, newest first. */
function listService(count: number) {
  const ids = Array.from({ length: count }, (_, index) => `u-${String(count - index).padStart(6, '0')}`);
  let requests = 0;
  /** The request from which on nothing arrives; it moves when a command starts. */
  let brokenFrom = Number.POSITIVE_INFINITY;
  let limitedAt = 0;
  let growth = 0;
  const add = (more: number) => {
    const top = ids.length;
    ids.unshift(...Array.from({ length: more }, (_, index) => `n-${String(top + more - index).padStart(6, '0')}`));
  };
  const network: Exchange = async ({ url, body }) => {
    if (!url.endsWith('/listfintechusers')) throw new ExchangeError('nothing is here', false);
    requests += 1;
    if (requests === limitedAt) return { status: 429, headers: { 'retry-after': '1' }, body: '{}' };
    // A refusal, because nothing waits after it to try again.
    if (requests >= brokenFrom) return { status: 401, headers: {}, body: '{"response_code":"03","message":"stop"}' };
    add(growth);
    const { limit, offset } = JSON.parse(body ?? '{}') as { limit: number; offset?: number };
    const users = ids
      .slice(offset ?? 0, (offset ?? 0) + limit)
      .map((userId) => ({ userId, firstName: `Ada ${userId}` }));
    return {
      status: 200,
      headers: {},
      body: JSON.stringify({ response_code: '00', data: { users, pagination: { total: ids.length } } }),
    };
  };
  return {
    network,
    ids,
    add,
    /** Adds rows before each page. */
    growBy: (rows: number) => {
      growth = rows;
    },
    breakAfter: (pages: number) => {
      brokenFrom = requests + pages + 1;
    },
    mend: () => {
      brokenFrom = Number.POSITIVE_INFINITY;
    },
    limitAt: (request: number) => {
      limitedAt = request;
    },
  };
}

type Service = ReturnType<typeof listService>;

const worldOf = ({ network }: Service) => fakeWorld({ network, env: ACCOUNT });

const LIST = ['users', 'list', '--all', '--limit', '10', '-q'];

async function run(world: FakeWorld, ...argv: readonly string[]) {
  const [out, err] = [world.stdout.text().length, world.stderr.text().length];
  const code = await main(argv, world);
  return { code, stdout: world.stdout.text().slice(out), stderr: world.stderr.text().slice(err) };
}

const cursorIn = (stderr: string) => /--after ([\w.-]+)/.exec(stderr)?.[1] ?? '';

const idsIn = (text: string) =>
  [...text.matchAll(/\bu-\d{6}(?=[",])/g)].map(([id]) => id).filter((id, at, all) => all[at - 1] !== id);

describe('a list that stopped in the middle', () => {
  test.each(['csv', 'ndjson'])('says how far it came, and goes on where it stopped (%s)', async (format) => {
    const service = listService(95);
    const world = worldOf(service);
    service.breakAfter(4);
    const first = await run(world, ...LIST, '-o', format);
    expect(first.code).toBe(4);
    expect(first.stderr).toMatch(/; 40 of 95 users were printed/);
    service.mend();
    const rest = await run(world, ...LIST, '-o', format, '--after', cursorIn(first.stderr));
    const whole = await run(worldOf(service), ...LIST, '-o', format);
    expect({ code: rest.code, text: first.stdout + rest.stdout }).toEqual({ code: 0, text: whole.stdout });
  });

  test.each([
    ['--since', '24h'],
    ['--until', '5m'],
    ['--since', 'yesterday'],
    ['--until', 'today'],
    ['--since', '2026-01-01'],
  ])('goes on in the period that %s %s was', async (flag, text) => {
    const rows = Array.from({ length: 45 }, (_, index) => ({ id: `d-${index}` }));
    const asked: unknown[] = [];
    let isBroken = true;
    const network: Exchange = async ({ url }) => {
      const query = new URL(url).searchParams;
      const offset = Number(query.get('offset') ?? '0');
      if (isBroken && offset === 20)
        return { status: 401, headers: {}, body: '{"response_code":"03","message":"stop"}' };
      asked.push([query.get('startDate'), query.get('endDate')]);
      const data = { deposits: rows.slice(offset, offset + 10), total: 45, limit: 10, offset, hasMore: offset < 35 };
      return { status: 200, headers: {}, body: JSON.stringify({ response_code: '00', data }) };
    };
    const clock = fakeClock();
    const world = fakeWorld({ network, env: ACCOUNT, clock });
    const list = ['history', 'deposits', '--all', '--limit', '10', '-q', '-o', 'ndjson', flag, text];
    const first = await run(world, ...list);
    expect(first.code).toBe(4);
    isBroken = false;
    await clock.sleep(26 * 3_600_000, new AbortController().signal);
    const rest = await run(world, ...list, '--after', cursorIn(first.stderr));
    expect(rest.code).toBe(0);
    expect(new Set(asked.map(String)).size).toBe(1);
    const ids = (first.stdout + rest.stdout)
      .trim()
      .split('\n')
      .map((row) => (JSON.parse(row) as { id: string }).id);
    expect(ids).toEqual(rows.map(({ id }) => id));
  });

  test.each(['json', 'yaml', 'table', 'raw'])('does not offer it where nothing was printed (%s)', async (format) => {
    const service = listService(95);
    service.breakAfter(4);
    const { code, stderr } = await run(worldOf(service), ...LIST, '-o', format);
    expect(code).toBe(4);
    expect(stderr).not.toContain('--after');
  });

  test('loses and repeats no row, wherever it stops and whatever is added meanwhile', async () => {
    const steps = fc.array(
      fc.record({ pages: fc.nat({ max: 6 }), added: fc.nat({ max: 25 }), during: fc.nat({ max: 4 }) }),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 130 }), steps, async (count, interruptions) => {
        const service = listService(count);
        const before = [...service.ids];
        let [text, cursor] = ['', ''];
        for (const { pages, added, during } of interruptions) {
          service.breakAfter(pages);
          service.growBy(during);
          const more = cursor === '' ? [] : ['--after', cursor];
          const { code, stdout, stderr } = await run(worldOf(service), ...LIST, '-o', 'ndjson', ...more);
          text += stdout;
          if (code === 0) {
            expect(idsIn(text)).toEqual(before);
            return;
          }
          cursor = cursorIn(stderr) || cursor;
          service.mend();
          service.add(added);
        }
        service.growBy(0);
        const more = cursor === '' ? [] : ['--after', cursor];
        const { code, stdout } = await run(worldOf(service), ...LIST, '-o', 'ndjson', ...more);
        expect({ code, ids: idsIn(text + stdout) }).toEqual({ code: 0, ids: before });
      }),
      { numRuns: Number(process.env['FIATRAIL_SOAK_RUNS'] ?? 20) },
    );
  });

  test.each([
    ['another account', ACCOUNT, { FIATRAIL_API_KEY: 'another-key-nobody-may-see' }, []],
    ['another filter', ACCOUNT, {}, ['--status', 'active']],
    ['another period', ACCOUNT, {}, ['--since', '2026-01-01']],
  ] as const)('a cursor of %s is rejected', async (_, env, other, flags) => {
    const service = listService(95);
    service.breakAfter(4);
    const world = worldOf(service);
    const cursor = cursorIn((await run(world, ...LIST, '-o', 'csv')).stderr);
    service.mend();
    const next = fakeWorld({ network: service.network, env: { ...env, ...other } });
    const { code, stdout, stderr } = await run(next, ...LIST, ...flags, '-o', 'csv', '--after', cursor);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('belongs to another list, filter or account'),
    });
  });

  test('a cursor whose row is gone is rejected', async () => {
    const service = listService(95);
    service.breakAfter(4);
    const cursor = cursorIn((await run(worldOf(service), ...LIST, '-o', 'csv')).stderr);
    service.mend();
    service.ids.splice(30, 20);
    const { code, stderr } = await run(worldOf(service), ...LIST, '-o', 'csv', '--after', cursor);
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('is no longer in the list') });
  });

  test('a changed cursor is rejected', async () => {
    for (const cursor of [
      'abc',
      '8aa0426f21e8.-1.5.n',
      '8aa0426f21e8.1.5',
      '8aa0426f21e8.1.5.x',
      '8aa0426f21e8.1.5.i a',
    ])
      expect((await run(worldOf(listService(5)), ...LIST, '-o', 'csv', '--after', cursor)).code).toBe(2);
  });
});

test('a cursor keeps every id', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.option(fc.nat()),
      fc.option(fc.string({ minLength: 1, maxLength: 80 })),
      (next, total, last) => {
        const point = { list: '8aa0426f21e8', next, total, last: last?.toWellFormed() ?? null };
        const cursor = cursorOf(point);
        expect(cursor).toMatch(/^[\w.-]+$/);
        expect(pointOf(cursor, point.list)).toEqual(point);
      },
    ),
  );
});

describe('--output-file', () => {
  const file = (world: FakeWorld) => join(world.homeDir, 'users.csv');

  /** A list of 95 rows whose command stopped after four pages, and the command. */
  async function stopped() {
    const service = listService(95);
    const world = worldOf(service);
    const argv = [...LIST, '-o', 'ndjson', '--output-file', file(world)];
    service.breakAfter(4);
    await run(world, ...argv);
    service.mend();
    return { service, world, argv };
  }

  test.each(['csv', 'ndjson'])('goes on by itself until the file is whole (%s)', async (format) => {
    const service = listService(195);
    const world = worldOf(service);
    const argv = [...LIST, '-o', format, '--output-file', file(world)];
    for (const pages of [3, 0, 5, 2]) {
      service.breakAfter(pages);
      const { code, stdout, stderr } = await run(world, ...argv);
      expect({ code, stdout, isThere: existsSync(file(world)) }).toEqual({ code: 4, stdout: '', isThere: false });
      if (pages > 0) expect(stderr).toContain('the same command resumes from there');
      service.mend();
      service.add(7);
    }
    const { code } = await run(world, ...argv);
    expect(code).toBe(0);
    const text = readFileSync(file(world), 'utf8');
    expect(idsIn(text)).toHaveLength(195);
    expect(text.match(/userId/g)?.length).toBe(format === 'csv' ? 1 : 195);
    expect([`${file(world)}.part`, `${file(world)}.part.json`].map(existsSync)).toEqual([false, false]);
  });

  test('a part that a killed command left behind its last page is cut off there', async () => {
    const { service, world, argv } = await stopped();
    const part = `${file(world)}.part`;
    writeFileSync(part, `${readFileSync(part, 'utf8')}{"userId":"u-0000${' '.repeat(100_000)}`);
    expect((await run(world, ...argv)).code).toBe(0);
    expect(idsIn(readFileSync(file(world), 'utf8'))).toEqual(service.ids);
  });

  test('a part that lost its end starts over', async () => {
    const { service, world, argv } = await stopped();
    writeFileSync(`${file(world)}.part`, '');
    expect((await run(world, ...argv)).code).toBe(0);
    expect(idsIn(readFileSync(file(world), 'utf8'))).toEqual(service.ids);
  });

  test.each([
    ['a part without a state', '.part', 'mine'],
    ['a state of something else', '.part.json', '{"mine":1}'],
  ])('%s is left alone', async (_, ending, text) => {
    const world = worldOf(listService(25));
    writeFileSync(`${file(world)}${ending}`, text);
    const { code, stderr } = await run(world, ...LIST, '-o', 'csv', '--output-file', file(world));
    expect({ code, stderr, text: readFileSync(`${file(world)}${ending}`, 'utf8') }).toEqual({
      code: 2,
      text,
      stderr: expect.stringContaining('fiatrail did not write it'),
    });
  });

  test('a part with a second name is left alone', async () => {
    const { world, argv } = await stopped();
    linkSync(`${file(world)}.part`, join(world.homeDir, 'second'));
    expect((await run(world, ...argv)).code).toBe(2);
  });

  test('two commands at once do not mix their rows', async () => {
    const service = listService(95);
    const world = worldOf(service);
    const argv = [...LIST, '-o', 'ndjson', '--output-file', file(world)];
    const codes = await Promise.all([
      main(argv, world),
      main(argv, { ...world, host: { ...fakeHost(101), isRunning: () => true } }),
    ]);
    expect(codes.toSorted()).toEqual([0, 2]);
    expect(idsIn(readFileSync(file(world), 'utf8'))).toEqual(service.ids);
    expect(existsSync(`${file(world)}.part.lock`)).toBe(false);
  });

  test('a file that a running command writes is left to it', async () => {
    const world = worldOf(listService(25));
    writeFileSync(`${file(world)}.part.lock`, String(world.host.processId), { mode: 0o600 });
    const { code, stderr } = await run(world, ...LIST, '-o', 'csv', '--output-file', file(world));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('another command is writing') });
  });

  test('the lock of a killed command holds up nobody', async () => {
    const world = worldOf(listService(25));
    writeFileSync(`${file(world)}.part.lock`, '99', { mode: 0o600 });
    expect((await run(world, ...LIST, '-o', 'csv', '--output-file', file(world))).code).toBe(0);
  });

  test('a file that exists is left alone', async () => {
    const world = worldOf(listService(5));
    writeFileSync(file(world), 'mine');
    const { code, stderr } = await run(world, ...LIST, '-o', 'csv', '--output-file', file(world));
    expect({ code, stderr, text: readFileSync(file(world), 'utf8') }).toEqual({
      code: 2,
      text: 'mine',
      stderr: expect.stringContaining('already exists; nothing was read'),
    });
  });

  test('a file below another file is rejected with a hint about the file', async () => {
    const world = worldOf(listService(5));
    writeFileSync(file(world), 'mine');
    const { code, stderr } = await run(world, ...LIST, '-o', 'csv', '--output-file', join(file(world), 'below'));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('give a file in a folder that exists and that you may write to'),
    });
  });

  test('a file that appears while the list is read is left alone, and the list goes on once it is gone', async () => {
    const service = listService(95);
    const world = worldOf(service);
    const argv = [...LIST, '-o', 'ndjson', '--output-file', file(world)];
    const appears: Exchange = async (...given) => {
      writeFileSync(file(world), 'mine');
      return service.network(...given);
    };
    const { code, stderr } = await run({ ...world, network: appears }, ...argv);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('; 95 of 95 users were written') });
    expect(stderr).toContain('appeared meanwhile and was left alone');
    expect(stderr).not.toContain('nothing was read');
    const again = await run(world, ...argv);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('to resume from') });
    expect(readFileSync(file(world), 'utf8')).toBe('mine');
    rmSync(file(world));
    expect((await run(world, ...argv)).code).toBe(0);
    expect(idsIn(readFileSync(file(world), 'utf8'))).toEqual(service.ids);
  });

  test('a folder is rejected before anything is read', async () => {
    const world = fakeWorld({ env: ACCOUNT });
    const flags = ['-o', 'csv', '--output-file'];
    const there = await run(world, ...LIST, ...flags, world.homeDir);
    expect(there).toMatchObject({ code: 2, stderr: expect.stringContaining('is a folder; nothing was read') });
    for (const path of [`${world.homeDir}/`, `${world.homeDir}/e/`, '.', '..', 'e/..']) {
      const { code, stderr } = await run(world, ...LIST, ...flags, path);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('names a folder') });
    }
    const stdout = await run(world, ...LIST, ...flags, '-');
    expect(stdout).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('without --output-file, output goes to stdout'),
    });
  });

  test.each([
    [['-o', 'csv', '--output-file', '/nowhere/x.csv'], 'it cannot be written (ENOENT)'],
    [['-o', 'json', '--output-file', 'x.json'], 'needs -o csv or -o ndjson'],
    [['-o', 'csv', '--output-file', 'x.csv', '--after', 'abc'], 'cannot be combined'],
  ])('%j exits with 2', async (flags, message) => {
    const { code, stderr } = await run(worldOf(listService(5)), ...LIST, ...flags);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('a rate limit', () => {
  test.each([
    [[], '10 of 25 users · 1 s left · rate limit: next request in 1 s\n'],
    [['-q'], ''],
  ])('says how long it waits (%j)', async (flags, expected) => {
    const service = listService(25);
    service.limitAt(2);
    const { code, stderr } = await run(worldOf(service), ...LIST.slice(0, -1), '-o', 'csv', ...flags);
    expect({ code, stderr: stderr.replace(/^profile .*\n/, '') }).toEqual({ code: 0, stderr: expected });
  });
});
