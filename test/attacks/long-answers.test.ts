import type { RequestListener } from 'node:http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHome, requireBuilt } from '../support/built.ts';
import * as here from '../support/in-process.ts';
import { httpServer } from '../support/loopback.ts';

beforeAll(requireBuilt);

const READ = ['users', 'list', '-o', 'json', '-q'];
const CHANGE = [
  'api',
  'POST',
  '/addbankaccount',
  '-f',
  'accountNumber=0123456789',
  '-f',
  'bankCode=058',
  '--yes',
  '-q',
];
const MONEY = ['api', 'POST', '/cngnonramp', '-f', 'userId=u', '-f', 'amount=500', '--yes', '-q', '-o', 'json'];

/**
 * Appends the peak memory of a process, in megabytes, to its standard error. On Linux, `maxRSS` begins with the memory of the process that started
 * this one, which the peak in /proc does not.
 */
const SAY_PEAK = `
  import { existsSync, readFileSync } from 'node:fs';
  const status = '/proc/self/status';
  const peakKib = () =>
    existsSync(status) ? /VmHWM:\\s+(\\d+)/.exec(readFileSync(status, 'utf8'))?.[1] : process.resourceUsage().maxRSS;
  process.on('exit', () => process.stderr.write('peak=' + Math.round(peakKib() / 1024)));
`;
const PEAK = `--import=data:text/javascript,${encodeURIComponent(SAY_PEAK)}`;

/** Starts a service that answers everything in one way, and returns the account of a command there. */
async function accountAt(answer: RequestListener) {
  const { baseUrl } = await httpServer(answer);
  return { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: 'sandbox_a-key-nobody-may-see' };
}

/** Runs a command against a service that answers everything in one way. */
const against = async (answer: RequestListener, argv: readonly string[]) =>
  here.fiatrail(newHome(onTestFinished), argv, { env: await accountAt(answer) });

const saying =
  (body: string, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);

const success = (data: string) => `{"status":"Success","response_code":"00","message":"","data":${data}}`;
const nested = (open: string, inner: string, close: string) => open.repeat(50_000) + inner + close.repeat(50_000);

describe('a deeply nested answer', () => {
  const DEEP: [what: string, body: string, status?: number][] = [
    ['lists in place of the data', success(nested('[', '', ']'))],
    ['objects in place of the data', success(nested('{"a":', '1', '}'))],
    [
      'a field that the contract does not know',
      success(`{"users":[],"requestId":"r","x":${nested('{"a":', '1', '}')}}`),
    ],
    ['the message of a rejection', `{"status":"Error","response_code":"01","message":${nested('[', '', ']')}}`, 400],
  ];

  test.each(DEEP)('in %s is exit code 5 for a read and 6 for a change', async (_what, body, status) => {
    for (const [argv, code] of [
      [READ, 5],
      [CHANGE, 6],
      [MONEY, 6],
    ] as const) {
      const ran = await against(saying(body, status), argv);
      expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout: '' });
      expect(ran.stderr).toContain('its JSON is nested more than 64 levels deep');
    }
  });
});

describe('an answer of 16 MiB', () => {
  const SIZE = 16 * 1024 * 1024 - 200;
  const listOf = (items: string) => success(`{"total":1,"limit":100,"offset":0,"hasMore":false,"users":[${items}]}`);
  const repeated = (item: string) => listOf(`${item},`.repeat((SIZE - 200) / (item.length + 1)) + item);
  const usersAfter = (first: string, size = SIZE) => {
    const items = [first];
    for (let length = first.length; length < size - 200; length += (items.at(-1)?.length ?? 0) + 1)
      items.push(user(items.length));
    return listOf(items.join());
  };
  const user = (index: number) =>
    `{"userId":"user-${index}","firstName":"Adaeze","lastName":"Okafor","middleName":"","email":"a${index}@example.com","phoneNumber":"+2348012345678","isActive":true,"bvnStatus":"verified","createdAt":"2026-01-05T09:00:00.000Z","updatedAt":"2026-01-05T09:00:00.000Z"}`;

  const users = usersAfter(user(0));

  const LONG: [what: string, body: string, code: number][] = [
    ['users', users, 0],
    ['users with a number that a double cannot hold', usersAfter('{"userId":"a","n":12345678901234567890}'), 0],
    ['one text', success(`{"users":[],"x":"${'a'.repeat(SIZE - 200)}"}`), 0],
    ['empty objects', repeated('{}'), 5],
    ['empty lists', repeated('[]'), 5],
    ['numbers', repeated('1'), 5],
    [
      'different field names',
      success(`{"users":[{${Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":1`)}}]}`),
      5,
    ],
  ];

  test.each(LONG)('with %s takes less than 300 MB', async (_what, body, code) => {
    expect(body.length).toBeLessThan(16 * 1024 * 1024);
    const env = { ...(await accountAt(saying(body))), NODE_OPTIONS: PEAK };
    const ran = await fiatrail(newHome(onTestFinished), READ, { env });
    expect(ran.code).toBe(code);
    expect(Number(/peak=(\d+)/.exec(ran.stderr)?.[1])).toBeLessThan(300);
  });

  test('counts toward the time limit of a read while it is checked', async () => {
    const ran = await against(saying(usersAfter(user(0), SIZE / 3)), [...READ, '--timeout', '50ms']);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 5, stdout: '' });
    expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 'TIMEOUT' } });
  });
});

describe('a body that never ends', () => {
  const trickling: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"status":"Success","response_code":"00",');
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  };

  test.each([
    [READ, 5],
    [CHANGE, 6],
    [MONEY, 6],
  ] as const)('ends with the time limit: %j', async (argv, code) => {
    const ran = await against(trickling, [...argv, '--timeout', '1s']);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain('no response within 1 seconds');
  });
});
