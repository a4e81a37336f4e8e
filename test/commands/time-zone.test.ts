import { describe, expect, test, vi } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { scripted, success, type Turn } from '../support/exchange.ts';
import { ACCOUNT, fakeClock, type WorldOptions } from '../support/world.ts';
import { LIVE, newMachine } from './profiles/support.ts';

const NOW = '2026-11-21T13:14:05.678Z';

const page = (total = 1) =>
  success({
    deposits: [
      { id: 'd-0', type: 'user_onramp', amount: 5, status: 'completed', createdAt: '2026-11-21T13:10:05.000Z' },
    ],
    total,
    limit: 20,
    offset: 0,
    hasMore: total > 1,
  });

/** A machine whose account answers with one deposit. */
function machine() {
  const made = newMachine();
  const ask = async (argv: readonly string[], options: WorldOptions = {}, turns: readonly Turn[] = [page()]) => {
    const { exchange, requests } = scripted(...turns);
    const clock = fakeClock(Date.parse(NOW));
    const env = { ...ACCOUNT, ...options.env };
    const ran = await made.run(argv, { network: exchange, clock, ...options, env });
    return { ...ran, queries: requests.map(({ url }) => Object.fromEntries(new URL(url).searchParams)) };
  };
  /** Adds the profile `main` with these flags, and asks with it. */
  const add = (...flags: string[]) => made.add('main', LIVE, ...flags);
  const askMain = (argv: readonly string[], options: WorldOptions = {}, turns?: readonly Turn[]) =>
    ask([...argv, '--profile', 'main'], options, turns);
  return { ...made, ask, add, askMain };
}

const DEPOSITS = ['history', 'deposits', '-q'];
const LONDON_SUMMER = ['--since', '2026-07-01', '--until', '2026-07-01'];

describe('the zone', () => {
  test('is Lagos by default, whatever TZ says', async () => {
    const { stdout, queries } = await machine().ask([...DEPOSITS, '--since', 'yesterday'], {
      env: { TZ: 'Asia/Tokyo' },
    });
    expect(stdout).toContain('2026-11-21 14:10 +01');
    expect(queries[0]).toMatchObject({ startDate: '2026-11-19T23:00:00.000Z' });
  });

  test('is that of --tz, before or after the command', async () => {
    const { ask } = machine();
    const { stdout, queries } = await ask([...DEPOSITS, '--tz', 'America/New_York', '--until', 'today']);
    expect(stdout).toContain('2026-11-21 08:10 -05');
    expect(queries[0]).toMatchObject({ endDate: '2026-11-22T04:59:59.999Z' });
    expect((await ask(['--tz', 'utc', ...DEPOSITS])).stdout).toContain('2026-11-21 13:10Z');
  });

  test('is that of the profile, unless there is --tz', async () => {
    const { add, askMain } = machine();
    await add('--tz', 'europe/london');
    const { stdout, queries } = await askMain([...DEPOSITS, ...LONDON_SUMMER]);
    expect(stdout).toContain('2026-11-21 13:10 +00');
    expect(queries[0]).toMatchObject({ startDate: '2026-06-30T23:00:00.000Z', endDate: '2026-07-01T22:59:59.999Z' });
    expect((await askMain([...DEPOSITS, '--tz', 'UTC'])).stdout).toContain('2026-11-21 13:10Z');
  });

  test('is never that of data', async () => {
    const { ask } = machine();
    for (const format of ['json', 'ndjson', 'csv', 'yaml', 'raw']) {
      const { stdout } = await ask([...DEPOSITS, '--tz', 'Asia/Tokyo', '-o', format]);
      expect(stdout).toContain('2026-11-21T13:10:05.000Z');
    }
    const { stdout } = await ask([...DEPOSITS, '--tz', 'Asia/Tokyo', '--query', 'deposits[0].createdAt']);
    expect(stdout).toBe('2026-11-21T13:10:05.000Z\n');
  });

  test('is shown with how long ago a time was, on a terminal only', async () => {
    const { ask } = machine();
    expect((await ask(DEPOSITS, { isTerminal: true })).stdout).toContain('2026-11-21 14:10 +01 (4 min ago)');
    expect((await ask(DEPOSITS)).stdout).not.toContain('ago');
    expect((await ask([...DEPOSITS, '-o', 'json'], { isTerminal: true })).stdout).not.toContain('ago');
  });
});

test('Intl is loaded only for a zone whose clocks change, and only if a time is read or typed', async () => {
  const { add, askMain } = machine();
  await add('--tz', 'Europe/London');
  const opened = vi.spyOn(Intl, 'DateTimeFormat');
  try {
    await askMain([...DEPOSITS, '-o', 'json']);
    await askMain([...DEPOSITS, '--since', 'today', '--tz', 'Africa/Lagos']);
    await askMain([...DEPOSITS, '--since', 'today', '--tz', 'UTC']);
    expect(opened).not.toHaveBeenCalled();
    await askMain([...DEPOSITS, '--since', 'today']);
    expect(opened).toHaveBeenCalledTimes(1);
  } finally {
    opened.mockRestore();
  }
});

describe('a zone that does not exist', () => {
  test.each([['table'], ['json']])('in --tz exits with 2 and sends nothing: -o %s', async (format) => {
    const { code, stderr, queries } = await machine().ask(
      [...DEPOSITS, '--tz', 'Africa/Nowhere', '-o', format],
      {},
      [],
    );
    expect({ code, queries }).toEqual({ code: 2, queries: [] });
    expect(stderr).toContain('--tz: unknown time zone');
    expect(stderr).toContain('Africa/Lagos');
  });

  test('is not saved in a profile', async () => {
    const { add, files } = machine();
    expect((await add('--tz', 'Africa/Nowhere')).code).toBe(2);
    expect(files()).toEqual([]);
  });

  test('in a profile that was edited exits with 2 and sends nothing, until it is replaced', async () => {
    const { add, run, askMain, at, profile, write } = machine();
    await add();
    write(at('profiles', 'main.json'), JSON.stringify({ ...profile('main'), timeZone: 'Africa/Nowhere' }));
    for (const flags of [[], ['-o', 'json', '--since', 'today']]) {
      const { code, stderr, queries } = await askMain([...DEPOSITS, ...flags], {}, []);
      expect({ code, queries }).toEqual({ code: 2, queries: [] });
      expect(stderr).toContain('Africa/Nowhere');
      expect(stderr).toContain('in profile main');
    }
    expect((await askMain([...DEPOSITS, '--tz', 'UTC'])).code).toBe(0);
    expect((await run(['profiles', 'show', 'main'])).stdout).toContain('Africa/Nowhere');
    await run(['profiles', 'use', 'main']);
    expect((await run(['profiles', 'add', 'main', '--tz', 'UTC'])).code).toBe(0);
    expect((await askMain(DEPOSITS)).code).toBe(0);
  });
});

describe('the zone of a profile', () => {
  test('is shown, and stays when another setting changes', async () => {
    const { add, run, json, profile } = machine();
    await add('--tz', 'africa/lagos');
    expect(profile('main')).toMatchObject({ timeZone: 'Africa/Lagos' });
    await run(['profiles', 'add', 'main', '--default-output', 'yaml']);
    expect(await json(['profiles', 'show', 'main'])).toMatchObject({ timeZone: 'Africa/Lagos', output: 'yaml' });
    expect((await run(['profiles', 'show', 'main', '-o', 'table'])).stdout).toMatch(/Time zone {2,}Africa\/Lagos/);
  });

  test('is null if it has none', async () => {
    const { add, json } = machine();
    await add();
    expect(await json(['profiles', 'show', 'main'])).toMatchObject({ timeZone: null });
  });

  test('can be set for the built-in sandbox', async () => {
    const { run, json } = machine();
    expect((await run(['profiles', 'add', 'sandbox', '--tz', 'Europe/London'])).code).toBe(0);
    expect(await json(['profiles', 'show', 'sandbox'])).toMatchObject({ timeZone: 'Europe/London' });
  });

  test('is exported and imported', async () => {
    const { add, run } = machine();
    await add('--tz', 'Europe/London');
    const { stdout } = await run(['profiles', 'export']);
    const other = machine();
    await other.json(['profiles', 'import', '-'], { stdin: stdout });
    expect(other.profile('main')).toMatchObject({ timeZone: 'Europe/London' });
    const wrong = machine();
    const { code, stderr } = await wrong.run(['profiles', 'import', '-'], {
      stdin: stdout.replace('Europe/London', 'Europe/Nowhere'),
    });
    expect({ code, files: wrong.files() }).toEqual({ code: 2, files: [] });
    expect(stderr).toContain('Europe/Nowhere');
  });

  test('is explained', async () => {
    const { add, json } = machine();
    await add('--tz', 'Europe/London');
    const { decisions } = await json(['explain', '--profile', 'main', '--tz', 'UTC']);
    expect(decisions).toContainEqual({
      setting: 'time zone',
      value: 'UTC',
      decidedBy: 'flag: --tz',
      lost: ['Europe/London (profile: main)', 'Africa/Lagos (built in)'],
      problem: null,
    });
  });
});

test.each([
  ['swaps', 'swaps'],
  ['bridge', 'transactions'],
])('every page of %s is of the same period while time passes', async (noun, name) => {
  const clock = fakeClock(Date.parse(NOW));
  const [total, size] = [5, 2];
  const asked: URLSearchParams[] = [];
  const network: Exchange = async ({ url }, signal) => {
    await clock.sleep(5_000, signal);
    const query = new URL(url).searchParams;
    asked.push(query);
    const from = Number(query.get('offset') ?? (Number(query.get('page') ?? 1) - 1) * size);
    const count = Math.min(size, total - from);
    return success({
      [name]: Array.from({ length: count }, (_, at) => ({ requestId: `r-${from + at}`, createdAt: NOW })),
      pagination: { total, limit: size, offset: from, page: from / size + 1, hasMore: from + count < total },
    });
  };
  const argv = [noun, 'list', '--all', '--limit', String(size), '--since', '24h', '-q', '-o', 'ndjson'];
  expect((await machine().run(argv, { clock, network, env: ACCOUNT })).code).toBe(0);
  expect(asked.length).toBeGreaterThan(1);
  expect(new Set(asked.map((query) => query.get('startDate')))).toEqual(new Set(['2026-11-20T13:14:05.678Z']));
});
