import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { QUERY_PROCESS } from '../../src/copy/questions/sql/process-word.ts';
import { MEMORY_BYTES } from '../../src/copy/questions/sql/wire.ts';
import { main } from '../../src/main.ts';
import * as processes from '../../src/system/processes.ts';
import {
  fiatrail,
  fiatrailJson,
  type Home,
  newHome,
  ROOT,
  requireBuilt,
  sharedEnd,
  startFiatrail,
  startProgram,
} from '../support/built.ts';
import * as here from '../support/in-process.ts';
import { prepared, testJournal } from '../support/journal-intent.ts';
import { type Answer, fakeWorld } from '../support/world.ts';
import { ask, copiedAccount, rowsOf, SENDER } from './account.ts';

const end = sharedEnd();
let home: Home;
beforeAll(async () => {
  requireBuilt();
  home = await copiedAccount(end);
});

const ENDLESS = 'with recursive c(n) as (values (1) union all select n + 1 from c)';

describe('what a query prints', () => {
  const SQL = `select 1 as a, 'x' as a, null as "", 'it''s' as "t.u", 2.5 as "2"`;

  test.each([
    [
      'table',
      'a  a_2  column_3  t.u   column_5\n────────────────────────────────\n1  x    —         it’s       2.5\n'.replace(
        '’',
        "'",
      ),
    ],
    ['csv', "a,a_2,column_3,t.u,column_5\n1,x,,it's,2.5\n"],
    ['ndjson', '{"a":1,"a_2":"x","column_3":null,"t.u":"it\'s","column_5":2.5}\n'],
    ['yaml', "rows:\n  - a: 1\n    a_2: x\n    column_3: null\n    t.u: it's\n    column_5: 2.5\n"],
  ])('as %s', async (format, text) => {
    expect(await ask(home, SQL, '-o', format)).toEqual({ code: 0, stdout: text, stderr: '' });
  });

  test('as JSON, with --fields and with --query', async () => {
    expect(await rowsOf(home, SQL)).toEqual([{ a: 1, a_2: 'x', column_3: null, 't.u': "it's", column_5: 2.5 }]);
    expect((await ask(home, SQL, '-o', 'json', '--fields', 'a_2')).stdout).toBe(
      '{\n  "rows": [\n    {\n      "a_2": "x"\n    }\n  ]\n}\n',
    );
    expect((await ask(home, SQL, '--query', 'rows[].a')).stdout).toBe('1\n');
    expect(await ask(home, SQL, '--fields', 'b')).toMatchObject({ code: 2, stdout: '' });
  });

  test('keeps every digit', async () => {
    const { stdout } = await ask(
      home,
      'select 9007199254740993 as big, 0.1 + 0.2 as sum, 9e999 as much',
      '-o',
      'ndjson',
    );
    expect(stdout).toBe('{"big":9007199254740993,"sum":0.30000000000000004,"much":"Infinity"}\n');
  });

  test('has its columns also when it finds nothing', async () => {
    expect((await ask(home, 'select id, status from payouts where 1 = 0', '-o', 'csv')).stdout).toBe('id,status\n');
    expect((await ask(home, 'select id, status from payouts where 1 = 0', '-o', 'json')).stdout).toBe(
      '{\n  "rows": []\n}\n',
    );
  });

  test('has all rows, and none twice', async () => {
    const { stdout } = await ask(home, `${ENDLESS} select n, hex(randomblob(20)) as x from c limit 20000`, '-o', 'csv');
    const numbers = stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => Number(line.split(',')[0]));
    expect(numbers).toEqual(Array.from({ length: 20_000 }, (_each, index) => index + 1));
  });

  test.each(['table', 'csv', 'json', 'ndjson', 'yaml'])(
    'has nothing that a terminal acts on, as %s',
    async (format) => {
      const hostile = `'a' || char(27) || '[31m' || char(0x9b) || '2J' || char(0x202e) || char(0) || char(7)`;
      const { code, stdout } = await ask(home, `select ${hostile} as "x\u001b[2Jy", 1 as "__proto__"`, '-o', format);
      expect(code).toBe(0);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
      expect(stdout).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
      expect(stdout).toContain('__proto__');
    },
  );

  test('is what the copy has', async () => {
    const [row] = await rowsOf(
      home,
      `select amount_minor, amount_asset, sender_name from deposits where sender_name = '${SENDER}'`,
    );
    expect(row).toEqual({ amount_minor: 510_000, amount_asset: 'NGN', sender_name: SENDER });
  });

  test('shows how it would be run', async () => {
    const { stdout } = await ask(home, `select id, status from payouts where id = 'a'`, '--explain', '-o', 'ndjson');
    expect(stdout).toMatch(/^\{"depth":0,"step":"SEARCH payouts USING INDEX .*\(id=\?\)"\}\n$/);
  });
});

describe('where a query comes from', () => {
  test('a file or standard input', async () => {
    const file = join(home.path, 'query.sql');
    writeFileSync(file, '-- how many\nselect count(*) as n\nfrom users;\n');
    const expected = await ask(home, 'select count(*) as n from users');
    expect(await here.fiatrail(home, ['sql', '-f', file])).toEqual(expected);
    expect(await here.fiatrail(home, ['sql', '-f', '-'], { stdin: 'select count(*) as n from users' })).toEqual(
      expected,
    );
    expect(await here.fiatrail(home, ['sql', '-'], { stdin: 'select count(*) as n from users' })).toEqual(expected);
  });

  test('from one place only, and from somewhere', async () => {
    expect(await here.fiatrail(home, ['sql', 'select 1', '-f', 'x.sql'])).toMatchObject({ code: 2 });
    expect(await here.fiatrail(home, ['sql', 'select 1', '--views'])).toMatchObject({ code: 2 });
    expect((await here.fiatrail(home, ['sql'])).stderr).toContain('missing <query>: a SQL query');
  });

  test('a prompt, which goes on after a mistake and ends with Enter', async () => {
    const answers: Answer[] = [
      { kind: 'text', asks: 'sql>', says: 'select 1 as one' },
      { kind: 'text', asks: 'sql>', says: 'select nobody' },
      { kind: 'text', asks: 'sql>', says: `select 'two' as two` },
      { kind: 'text', asks: 'sql>', says: '' },
    ];
    const world = fakeWorld({
      isTerminal: true,
      answers,
      env: { FIATRAIL_STATE_DIR: home.stateDir, FIATRAIL_OUTPUT: 'csv' },
    });
    const never = new AbortController().signal;
    const code = await main(['sql'], {
      ...world,
      self: [process.execPath, join(ROOT, 'bin', 'fiatrail.js')],
      startProgram: (...program) => processes.startProgram(...program, process.env, never),
    });
    expect(world.stdout.text()).toBe('one\n1\ntwo\ntwo\n');
    expect(world.stderr.text()).toContain('error: there is no column nobody, at column 8');
    expect(code).toBe(0);
  });
});

test('the views and columns are listed', async () => {
  const { stdout } = await here.fiatrail(home, ['sql', '--views', '-o', 'csv', '--fields', 'view,column,type']);
  expect(stdout).toContain('\npayouts,amount_minor,integer\n');
  expect(stdout).toContain('\nevents,received_at,text\n');
});

test.each([
  [
    'select amount from payouts',
    'there is no column amount, at column 8',
    'did you mean amount_minor or amount_asset?',
  ],
  [
    'select 1 from payouts p where\n  p.statsu = 1',
    'there is no column p.statsu, at line 2, column 5',
    'did you mean status',
  ],
  ['select * from payout', 'there is no view payout, at column 15', 'did you mean payouts?'],
  ['select id form users from users', 'the query has a syntax error near "users", at column 16', 'sqlite.org'],
  ['select count(*) from users where', 'the query ends too early, at column 33', 'sqlite.org'],
  [`select 'a`, 'the query is wrong: unrecognized token: "\'a", at column 8', 'sqlite.org'],
  ['select summ(1)', 'the query is wrong: no such function: summ, at column 8', 'sqlite.org'],
  ['select id from users, payouts', 'the query is wrong: ambiguous column name: id, at column 8', 'sqlite.org'],
  [`select json('{')`, 'the query is wrong: malformed JSON', 'sqlite.org'],
  ['select * from stored_users', 'a query cannot read stored_users, at column 15', '--views'],
  ['select json from users', 'there is no column json, at column 8', '--views'],
])('the mistake in %s has its place', async (sql, message, hint) => {
  const { code, stdout, stderr } = await ask(home, sql);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`error: ${message}\n`);
  expect(stderr).toContain(hint);
});

describe('what an account does not have', () => {
  test('a copy', async () => {
    const { code, stderr } = await ask(newHome(onTestFinished), 'select 1');
    expect(code).toBe(2);
    expect(stderr.replace(/^ {2}run: .*\n/m, '')).toBe(
      'error: this account has not been copied to this machine yet\n  hint: run: fiatrail sync\n',
    );
  });

  test('a local copy on this machine', async () => {
    const env = { FIATRAIL_COPY_URL: 'postgresql://127.0.0.1:9/nothing' };
    const { code, stderr } = await here.fiatrail(home, ['sql', 'select 1'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('error: the local copy is on a server, set by FIATRAIL_COPY_URL;');
  });

  test('the profile that was named', async () => {
    const { code, stderr } = await here.fiatrail(home, ['sql', 'select 1'], { env: { FIATRAIL_PROFILE: 'nobody' } });
    expect(code).toBe(2);
    expect(stderr).toContain('nobody');
  });

  test('a whole copy', async () => {
    const broken = newHome(onTestFinished);
    await here.fiatrail(broken, ['sandbox', 'status']);
    writeFileSync(join(broken.stateDir, 'copy-embedded.db'), 'x'.repeat(5_000), { mode: 0o600 });
    expect(await ask(broken, 'select 1')).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('the journal and the inbox', () => {
  test('are there as columns without requests, bodies and keys', async () => {
    const operations = JSON.stringify(await rowsOf(home, 'select * from operations'));
    const events = JSON.stringify(await rowsOf(home, 'select * from "EVENTS"'));
    expect(operations).toContain('start a payout of');
    expect(events).toContain('user.onboarded');
    expect(operations + events).not.toMatch(/digest|22345678901|signature|headers|"request"/);
  });

  test('reach the process of a query', async () => {
    const sql = 'select (select count(*) from operations) as operations, (select count(*) from events) as events';
    expect(await fiatrailJson(home, ['sql', sql])).toEqual({ rows: await rowsOf(home, sql) });
  });

  test('belong to the account alone', async () => {
    const other = await copiedAccount(onTestFinished);
    expect(await rowsOf(other, 'select distinct profile, mode from operations')).toEqual([
      { profile: 'sandbox', mode: 'embedded' },
    ]);
    const own = await rowsOf(other, 'select count(*) as n from operations');
    const journal = await testJournal({ path: join(other.stateDir, 'journal.db') });
    await prepared(journal, { profile: 'main', mode: 'live' });
    journal.close();
    expect(await rowsOf(other, 'select count(*) as n from operations')).toEqual(own);
    rmSync(join(other.stateDir, 'journal.db'));
    expect(await rowsOf(other, 'select count(*) as n from operations')).toEqual([{ n: 0 }]);
  });

  test('are not opened for a query that does not name them', async () => {
    const other = newHome(onTestFinished);
    await here.fiatrail(other, ['sync', '-q']);
    rmSync(join(other.stateDir, 'journal.db'), { force: true });
    expect((await ask(other, 'select count(*) from users')).code).toBe(0);
    expect(readdirSync(other.stateDir).filter((name) => /journal\.db|inbox/.test(name))).toEqual([]);
  });
});

describe('a query that would never end', () => {
  const processesIn = ({ path }: Home) =>
    readdirSync('/proc').filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(QUERY_PROCESS) &&
          readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${path}\0`)
        );
      } catch {
        return false;
      }
    });
  const askProgram = (sql: string, ...more: readonly string[]) => fiatrail(home, ['sql', sql, ...more]);
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  test('is ended after --timeout', async () => {
    const { code, stderr } = await askProgram(`${ENDLESS} select count(*) from c`, '--timeout', '1s');
    expect(code).toBe(9);
    expect(stderr).toContain('error: the query took longer than 1 s, and was ended\n');
    await until(() => processesIn(home).length === 0);
  });

  test('is ended when it takes too much memory', async () => {
    const { code, stderr } = await askProgram(
      `${ENDLESS}, d as (select n, hex(randomblob(4000)) as x from c) select * from d order by x`,
    );
    expect(code).toBe(9);
    expect(stderr).toContain('MiB of memory, and was ended\n');
  });

  test.each([
    [0, 0],
    [1, 9],
  ])('is ended when the command itself takes too much memory: %s bytes too many', async (tooMany, code) => {
    let isEnded = false;
    let isSteady = false;
    async function* output() {
      yield Buffer.from('{"columns":["a"]}\n');
      yield Buffer.from(`["${'x'.repeat(2 ** 21)}"]\n{"isEnd":true}\n`);
    }
    const world = {
      ...fakeWorld({ env: home.env }),
      usedMemoryBytes: () => MEMORY_BYTES + (isSteady ? tooMany : 0),
      steadyMemory: () => {
        isSteady = true;
      },
      startProgram: () => ({
        output: output(),
        ended: new Promise<never>(() => {}),
        end: () => {
          isEnded = true;
        },
      }),
    };
    expect(await main(['sql', 'select 1', '--query', 'length(rows)'], world)).toBe(code);
    expect(isEnded).toBe(code !== 0);
    if (code !== 0)
      expect(world.stderr.text()).toContain('the query took more than 640 MiB of memory, and was ended\n');
  });

  test('cannot make a value of any length', async () => {
    expect(await askProgram('select hex(zeroblob(300000000))')).toMatchObject({ stdout: '' });
    expect(await askProgram('select zeroblob(30000000)')).toMatchObject({ stdout: '', code: 2 });
  });

  test('is ended when its rows cannot be printed', async () => {
    const rows = `${ENDLESS} select n, hex(randomblob(500)) as x from c`;
    expect(await askProgram(rows, '--fields', 'y')).toMatchObject({ code: 2, stdout: '' });
    await until(() => processesIn(home).length === 0);
    const bin = join(ROOT, 'bin', 'fiatrail.js');
    const piped = startProgram(home, '/bin/sh', [
      '-c',
      `"$0" "$1" sql "$2" -o csv | true; echo ended`,
      process.execPath,
      bin,
      rows,
    ]);
    expect(await piped.firstLine()).toBe('ended');
    await until(() => processesIn(home).length === 0);
  });

  test.each(['SIGKILL', 'SIGINT'] as const)('ends with the command, also by %s', async (signal) => {
    const running = startFiatrail(home, ['sql', `${ENDLESS} select count(*) from c`]);
    await until(() => processesIn(home).length === 1);
    running.kill(signal);
    const { code } = await running.end;
    await until(() => processesIn(home).length === 0);
    expect(code).toBe(signal === 'SIGINT' ? 130 : null);
  });
});

test('the process of a query has the options of Node that its user set, and its own limit of memory', async () => {
  const other = newHome(onTestFinished);
  await fiatrail(other, ['sync', '-q']);
  const [preload, seen] = [join(other.path, 'preload.cjs'), join(other.path, 'seen')];
  const limit = `require('node:v8').getHeapStatistics().heap_size_limit`;
  writeFileSync(preload, `require('node:fs').writeFileSync(${JSON.stringify(seen)}, String(${limit}));`);
  const env = { NODE_OPTIONS: `--max-old-space-size=4096 --require=${preload}` };
  expect((await fiatrail(other, ['sql', 'select 1'], { env })).code).toBe(0);
  expect(Number(readFileSync(seen, 'utf8'))).toBeLessThan(512 * 1024 * 1024);
});

test('a query leaves no file behind', async () => {
  const files = () =>
    readdirSync(home.stateDir)
      .filter((name) => !/-(wal|shm)$/.test(name))
      .toSorted();
  const before = files();
  await ask(home, 'select * from operations, events order by 1');
  await ask(home, `vacuum into '${join(home.stateDir, 'copy.db')}'`);
  await ask(home, `attach '${join(home.stateDir, 'journal.db')}' as j`);
  expect(files()).toEqual(before);
});
