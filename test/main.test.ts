import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CATEGORIES } from '../src/base/errors.ts';
import type { Clock, Exchange, HttpResponse } from '../src/base/world.ts';
import { CATALOGUE } from '../src/commands/catalogue.ts';
import { main } from '../src/main.ts';
import { FORMATS } from '../src/present/result.ts';
import { temporaryFolder } from './support/built.ts';
import { anyCharacter } from './support/characters.ts';
import { html, json, refusal, refusedConnection, scripted, scriptedExactly, success } from './support/exchange.ts';
import { ACCOUNT, fakeClock, fakeWorld } from './support/world.ts';

/** Random command lines. */
const LINES = Number(process.env['FIATRAIL_SOAK_COMMAND_LINES'] ?? 200);

const EXITS: ReadonlySet<number> = new Set([0, ...Object.values(CATEGORIES).map(({ exit }) => exit)]);

/** Responses that are not retried. */
const ANSWERS: readonly HttpResponse[] = [
  success({ requestId: 'r', status: 'completed', userId: 'u', totalBalance: '5.0', users: [{ userId: 'u' }] }),
  success({}),
  success(null),
  success({ users: Array.from({ length: 100 }, (_, index) => ({ userId: `u${index}` })).slice(0, 3) }),
  refusal(400, '01', 'no'),
  refusal(401, '03', 'no'),
  html(200),
  json(200, '[]'),
  json(200, ''),
];

/**
 * Words of real commands, without `serve` and `inspect`, which run until they are stopped, `snapshot` and `backup`, which write a file at any path, and
 * `tour`, which has its own test.
 */
const words = (await Promise.all(CATALOGUE.filter(({ name }) => name !== 'tour').map(({ load }) => load())))
  .flat()
  .filter(({ words }) => words[0] !== 'inspect' && !['serve', 'snapshot', 'backup'].includes(words.at(-1) ?? ''));

const flag = fc.constantFrom(
  '-q',
  '-v',
  '-y',
  '--yes',
  '--json',
  '--dry-run',
  '--no-input',
  '--no-color',
  '--all',
  '--wait',
  '--version',
  '--',
  '-',
  '--help',
  '--amount',
  '--fields',
  '--query',
  '--output',
  '--limit',
  '--profile',
  '--timeout',
  '--bvn-stdin',
  '-f',
  '-d',
  '-o',
  '--networks',
  ...FORMATS.map((format) => `--output=${format}`),
);
const text = fc.oneof(
  fc.constantFrom(
    '5000',
    '-5',
    '0',
    'u',
    '1ms',
    '12345678901',
    '0123456789',
    'userId',
    'users[0]',
    'GET',
    'POST',
    '/getfees',
    '/cngnonramp',
    'a=b',
    '{}',
    '@x',
    'sandbox',
    '__proto__',
    'constructor',
    '',
    'abs(status)',
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: anyCharacter, maxLength: 6 }),
);
const argument = fc.oneof({ weight: 3, arbitrary: flag }, { weight: 4, arbitrary: text });
const commandLine = fc
  .tuple(
    fc.option(fc.constantFrom(...words.map((command) => command.words)), { nil: [] as readonly string[] }),
    fc.array(argument, { maxLength: 8 }),
  )
  .map(([command, rest]) => [...command, ...rest]);

/** A clock on which the user presses Ctrl-C in the end, for commands that run until then: sleeping on a fake clock takes no time. */
function interruptingClock() {
  const pressed = new AbortController();
  const clock = fakeClock();
  const sleep: Clock['sleep'] = async (durationMs, signal) => {
    if (clock.sleeps.length === 500) pressed.abort();
    await clock.sleep(durationMs, signal);
  };
  return { clock: { now: clock.now, sleep }, interrupted: pressed.signal };
}

/** The environment of a network account whose host does not exist. */
const nowhere = async () => {
  throw refusedConnection();
};
const NO_WAY = { lookUp: nowhere, certificate: nowhere };
/** A machine without other programs, such as the rotation process of a rotation. */
const noProgram = async () => ({ kind: 'missing' }) as const;

describe('any command line', () => {
  test('exits with a documented code, prints no stack trace and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(commandLine, fc.constantFrom(...ANSWERS), fc.boolean(), async (argv, answer, isAccount) => {
        const env = isAccount ? ACCOUNT : {};
        const network = async () => answer;
        const given = { network, probe: NO_WAY, runProgram: noProgram, env };
        const world = fakeWorld({ ...given, stdin: '12345678901\n', ...interruptingClock() });
        const code = await main(argv, world);
        expect(EXITS).toContain(code);
        expect(world.stderr.text()).not.toMatch(/^\s+at .*:\d+:\d+/m);
        expect(world.stderr.text()).not.toContain('internal error');
        expect(world.stderr.text() === '' && code !== 0).toBe(false);
      }),
      { numRuns: LINES, examples: [[['keys', 'rotate', '-y'], success({}), false]] },
    );
  });

  test.each([
    ['the embedded sandbox', {}],
    ['an account', ACCOUNT],
  ])('every command ends on its own, or when the user stops it, with %s', async (_, env) => {
    for (const command of words) {
      const world = fakeWorld({ network: async () => success({}), probe: NO_WAY, env, ...interruptingClock() });
      const name = command.words.join(' ');
      // Its own number of days takes longer than all other commands.
      const days = name === 'sandbox simulate' ? ['--days', '1'] : [];
      expect(EXITS, name).toContain(await main([...command.words, ...days], world));
    }
  });

  test.each([
    [['api', 'GET', '/balance/user/%zz']],
    [['api', 'GET', '/balance/user/%']],
    [['api', 'POST', '/cngnonramp', '-f', '__proto__=1', '--yes']],
    [['api', 'POST', '/cngnonramp', '-d', '{"__proto__":{"a":1}}', '--yes']],
    [['api', 'POST', '/cngnonramp', '-f', 'constructor=1', '--yes']],
    [['api', 'POST', '/getuserdetails', '-f', 'toString=1', '-v']],
    [['api', 'POST', '/getuserdetails', '-d', '[]']],
    [['users', 'list', '--fields', '']],
    [['users', 'list', '--query', '']],
    [['users', 'list', '--limit', '']],
  ])('%j is a usage error, not an internal one', async (argv) => {
    const world = fakeWorld({ network: async () => success({ users: [], requestId: 'r' }), env: ACCOUNT });
    expect(await main(argv, world)).not.toBe(1);
  });
});

describe('field names that every object inherits', () => {
  const FIELDS = JSON.parse(
    '{"__proto__":{"a":1},"constructor":"x","toString":1,"hasOwnProperty":null,"fintechId":"f"}',
  );

  test.each(FORMATS)('in a response are printed as %s', async (format) => {
    const world = fakeWorld({ network: async () => success(FIELDS), env: ACCOUNT });
    expect({ code: await main(['fees', 'show', '-q', '-o', format], world), stderr: world.stderr.text() }).toEqual({
      code: 0,
      stderr: '',
    });
  });

  test('in a request are sent, for the service to reject', async () => {
    const { exchange } = scriptedExactly(refusal(400, '01', 'no such field'));
    const world = fakeWorld({ network: exchange, env: ACCOUNT });
    expect(await main(['api', 'POST', '/getuserdetails', '-f', 'constructor=1'], world)).toBe(3);
  });
});

describe('an internal error', () => {
  const broken =
    (error: unknown): Exchange =>
    async () => {
      throw error;
    };

  test.each([
    ['an unexpected error', new TypeError('x is not a function')],
    ['a thrown string', 'a text'],
    ['undefined', undefined],
  ])('%s exits with 1 in a read, without a stack trace', async (_, error) => {
    const world = fakeWorld({ network: broken(error), env: ACCOUNT });
    expect(await main(['balances', 'account'], world)).toBe(1);
    expect(world.stderr.text()).toMatch(/^error: internal error/m);
    expect(world.stderr.text()).not.toContain('    at ');
  });

  test('never exits with 1 after a payment was sent', async () => {
    const world = fakeWorld({ network: broken(new TypeError('x is not a function')), env: ACCOUNT });
    expect(await main(['onramp', 'create', 'u', '--amount', '5', '--yes'], world)).toBe(6);
  });

  test('is shown with FIATRAIL_DEBUG', async () => {
    const world = fakeWorld({
      network: broken(new TypeError('x is not a function')),
      env: { ...ACCOUNT, FIATRAIL_DEBUG: '1' },
    });
    await main(['balances', 'account'], world);
    expect(world.stderr.text()).toContain('TypeError: x is not a function');
  });

  test('is not reported when only the reader closed the pipe', async () => {
    const gone = () => Promise.reject(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    const world = fakeWorld({ network: scripted(success({ totalBalance: '5' })).exchange, env: ACCOUNT });
    expect(await main(['balances', 'account'], { ...world, stdout: { ...world.stdout, write: gone } })).toBe(0);
  });

  test('sets the exit code even when stderr cannot be written', async () => {
    const gone = () => Promise.reject(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    const world = fakeWorld({ network: scripted().exchange, env: ACCOUNT });
    expect(await main(['users', 'frobnicate'], { ...world, stderr: { ...world.stderr, write: gone } })).toBe(2);
  });
});

describe('a usage error', () => {
  test.each([
    [['users', 'show', '--bvn', '1'], 'fiatrail users show --help'],
    [['users', '--bvn', '1'], 'fiatrail users --help'],
    [['users', 'default-wallet', 'set', 'u', 'v', 'w', '--bvn'], 'fiatrail users default-wallet set --help'],
    [['fx', 'orders', 'list', '--limit'], 'fiatrail fx orders list --help'],
    [['fx', 'orders', 'xyzzy'], 'fiatrail fx orders --help'],
    [['withdrawals', 'create', '--everything-and-more'], 'fiatrail withdrawals create --help'],
    [['xyzzy'], 'fiatrail --help'],
  ])('of %j refers to %s', async (argv, help) => {
    const world = fakeWorld();
    expect(await main(argv, world)).toBe(2);
    expect(world.stderr.text()).toContain(`  hint: run: ${help}\n`);
  });
});

describe('an error', () => {
  test.each([
    [['-o', 'json', 'users', 'x']],
    [['users', 'x', '-ojson']],
    [['users', 'x', '-qo', 'json']],
    [['users', 'x', '-qojson']],
    [['users', 'x', '--output=json']],
    [['users', 'x', '--output', 'ndjson']],
    [['users', 'x', '--json']],
    [['users', 'x', '-o', 'table', '-o', 'json']],
  ])('is JSON for %j', async (argv) => {
    const world = fakeWorld();
    expect(await main(argv, world)).toBe(2);
    expect(JSON.parse(world.stderr.text())).toMatchObject({
      error: { code: 'USAGE', category: 'usage', retryable: false },
    });
  });

  test('is JSON when FIATRAIL_OUTPUT says so', async () => {
    const world = fakeWorld({ env: { FIATRAIL_OUTPUT: 'json' } });
    await main(['users', 'x'], world);
    expect(Object.keys(JSON.parse(world.stderr.text()).error)).toEqual([
      'code',
      'category',
      'message',
      'hint',
      'actions',
      'httpStatus',
      'responseCode',
      'candidates',
      'retryable',
      'operationId',
      'at',
      'command',
      'profile',
      'host',
      'baseUrl',
    ]);
  });

  test.each([[['users', 'x']], [['users', 'x', '-o', 'yaml']], [['users', 'x', '-o', 'json', '-o', 'table']]])(
    'is text for %j',
    async (argv) => {
      const world = fakeWorld();
      await main(argv, world);
      expect(world.stderr.text()).toMatch(/^error: unknown command/);
    },
  );

  test('has color on a terminal unless it is disabled', async () => {
    const colours = [];
    for (const [argv, env] of [
      [['users', 'x'], {}],
      [['users', 'x', '--no-color'], {}],
      [['users', 'x'], { NO_COLOR: '1' }],
    ] as const) {
      const world = fakeWorld({ isTerminal: true, env });
      await main(argv, world);
      colours.push(world.stderr.text().includes('\u001b['));
    }
    expect(colours).toEqual([true, false, false]);
  });
});

/** The arguments of an example, without the output options, since a dry run prints something else. */
function argvOf(example: string): string[] {
  const line = (example.split(' | ').at(-1) ?? '').replace(/ < .*/, '');
  const all = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) =>
    (a ?? b ?? c ?? '').replace('…', ''),
  );
  const shapes = (text: string | undefined) => text === '--fields' || text === '--query';
  return all.slice(1).filter((text, at) => !shapes(text) && !shapes(all[at]));
}

/** Examples that look up an account, a file or an entry first, even in a dry run. test/examples runs them all, for real. */
const NAMES_WHAT_IS_LOOKED_UP =
  /^fiatrail (bulk (?!template)|fees withdraw .*--to |fx vault register |users onboard --retry |ip (add|remove|replace) |keys rotate .*--(push-command|resume)|profiles |sandbox restore |keys sandbox add |ops re(concile|sume|try) OPERATION_ID|plans |find |keys encryption (.*--private-key-stdin|rotate))/;

describe('help and version', () => {
  test.each([
    [[]],
    [['--help']],
    [['-h']],
    [['users', '--help']],
    [['users', 'list', '-h']],
    [['help']],
    [['help', 'users', 'list']],
  ])('%j goes to stdout and exits with 0', async (argv) => {
    const world = fakeWorld();
    const code = await main(argv, world);
    expect({ code, stderr: world.stderr.text() }).toEqual({ code: 0, stderr: '' });
    expect(world.stdout.text()).toContain('Usage: fiatrail');
  });

  test('the help of every group lists its commands', async () => {
    for (const group of CATALOGUE) {
      const world = fakeWorld();
      await main([group.name, '--help'], world);
      for (const {
        words: [, word],
      } of await group.load())
        expect(world.stdout.text()).toContain(word ?? group.name);
    }
  });

  test('every example of every command runs', async () => {
    // A dry run changes nothing, so all can have one sandbox.
    const shared = { FIATRAIL_STATE_DIR: join(temporaryFolder(onTestFinished), 'state') };
    for (const command of words) {
      for (const example of command.examples.filter((text) => !NAMES_WHAT_IS_LOOKED_UP.test(text))) {
        const world = fakeWorld({ stdin: '12345678901', env: command.isLocal ? {} : shared });
        const code = await main([...argvOf(example), '--dry-run'], world);
        expect({
          example,
          code,
          stderr: world.stderr
            .text()
            .replace(/^bank: .*\n/m, '')
            .replace(/^(?:\S+Z info )?profile .*\n/, ''),
        }).toEqual({
          example,
          code: command.isLocal ? expect.any(Number) : 0,
          stderr: command.isLocal ? expect.any(String) : '',
        });
      }
    }
  });
});

describe('lists with --all', () => {
  const page = (from: number, count: number) =>
    success({ users: Array.from({ length: count }, (_, index) => ({ userId: `u${from + index}` })) });
  const LIST = ['users', 'list', '--all', '--limit', '2', '-q'];

  test('say that the service returned fewer rows than it counts', async () => {
    const part = { users: [{ userId: 'u1' }, { userId: 'u2' }], pagination: { total: 650 } };
    const { exchange } = scripted(success(part), success({ users: [], pagination: { total: 650 } }));
    const world = fakeWorld({ network: exchange, env: ACCOUNT });
    expect(await main([...LIST, '-o', 'csv'], world)).toBe(0);
    expect(world.stderr.text()).toContain(
      'warning: the service counts 650 users but returned only 2; the list may be incomplete',
    );
  });

  test.each(FORMATS)('print one list as %s', async (format) => {
    const { exchange, requests } = scripted(page(1, 2), page(3, 2), page(5, 1));
    const world = fakeWorld({ network: exchange, env: ACCOUNT });
    expect(await main([...LIST, '-o', format], world)).toBe(0);
    for (const id of ['u1', 'u2', 'u3', 'u4', 'u5']) expect(world.stdout.text()).toContain(id);
    expect(requests.map(({ body }) => JSON.parse(body ?? '').offset)).toEqual([0, 2, 4]);
  });

  test.each(['table', 'json', 'ndjson', 'csv', 'yaml', 'raw'])(
    'are one list as %s on the embedded sandbox too',
    async (format) => {
      const world = fakeWorld();
      await main(['sandbox', 'seed', '--users', '5', '-q', '--pace', 'instant'], world);
      const again = { ...world, stdout: fakeWorld().stdout };
      expect({ code: await main([...LIST, '-o', format], again), stderr: world.stderr.text() }).toEqual({
        code: 0,
        stderr: '',
      });
    },
  );

  test('mark formulas in CSV unless --csv-raw is given', async () => {
    for (const [flags, mark] of [
      [[], "'"],
      [['--csv-raw'], ''],
    ] as const) {
      const { exchange } = scripted(page(1, 2), page(3, 1));
      const world = fakeWorld({ network: exchange, env: ACCOUNT });
      const query = "users[].join('', ['=', userId])";
      expect(await main([...LIST, '-o', 'csv', '--query', query, ...flags], world)).toBe(0);
      expect(world.stdout.text()).toBe(`value\n${mark}=u1\n${mark}=u2\n${mark}=u3\n`);
    }
  });

  test('apply a filter to all pages', async () => {
    const { exchange } = scripted(page(1, 2), page(3, 1));
    const world = fakeWorld({ network: exchange, env: ACCOUNT });
    await main([...LIST, '-o', 'json', '--query', 'length(users)'], world);
    expect(world.stdout.text()).toBe('3\n');
  });
});
