import type { RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newHome } from '../support/built.ts';
import { fiatrail } from '../support/in-process.ts';
import { httpServer } from '../support/loopback.ts';

/** JSON values that repeat a BVN, most of them as a number. */
const formsOf = (bvn: string) => {
  const number = bvn.replace(/^0+/, '');
  return [
    number,
    `-${number}`,
    `${number}.0`,
    `${number.slice(0, 1)}.${number.slice(1)}e${number.length - 1}`,
    `${number}0E-1`,
    `[${number}]`,
    `{"inner":${number}}`,
    `"${bvn}"`,
    `"BVN ${bvn} of the user"`,
    `"${number}"`,
    `{"${bvn}":1}`,
    `"{\\"bvn\\":\\"${bvn}\\"}"`,
  ];
};

const STATUSES = [200, 400, 500];
const FORMATS = [
  ['-o', 'raw'],
  ['-o', 'table'],
  ['-o', 'yaml'],
];

/** A service that repeats a BVN in every response, also to requests that do not have it. */
async function echoing(bvn: string, status: number, code: string) {
  const echo = formsOf(bvn).map((form, index) => `"echo${index}":${form}`);
  const data = `{"requestId":"r-1","userHash":"u-1","status":"completed","userId":"u-1","message":"BVN ${bvn}",${echo}}`;
  const body = `{"status":"x","response_code":"${code}","message":"BVN ${bvn} rejected","details":[${formsOf(bvn)}],"data":${data}}`;
  const answer: RequestListener = (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  const { baseUrl } = await httpServer(answer);
  return { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: 'sandbox_a-key-nobody-may-see' };
}

describe.each(['22123456789', '01234567890'])('the BVN %s is repeated nowhere', (bvn) => {
  const shown = new RegExp(`${bvn.replace(/^0+/, '')}|${bvn.replace(/^0+/, '').replace(/^./, '$&\\.')}`);
  const COMMANDS: [argv: readonly string[], stdin: string][] = [
    [['users', 'onboard', '--bvn-stdin'], bvn],
    [['users', 'onboard', '--bvn-stdin', '--wait', '5s'], bvn],
    [['api', 'POST', '/onboarduser', '-d', '-'], `{"bvn":"${bvn}"}`],
    [['api', 'POST', '/getuserdetails', '-d', '-'], `{"userId":"u-1","bvn":"${bvn}"}`],
    [['api', 'POST', '/getuserdetails', '-d', '-'], `{"userId":"u-1","kyc":{"userBvn":["${bvn}"]}}`],
  ];

  test.each([
    [200, '00'],
    [400, '01'],
    [500, '05'],
  ])('in a response with HTTP %i and code %s', async (status, code) => {
    const env = await echoing(bvn, status, code);
    // Each command meets each of these formats with one of the three statuses.
    const runs = COMMANDS.flatMap(([argv, stdin], index) =>
      [['-o', 'json', '-v'], FORMATS[(index + STATUSES.indexOf(status)) % FORMATS.length] ?? []].map((more) => ({
        argv,
        stdin,
        more,
      })),
    );
    await Promise.all(
      runs.map(async ({ argv, stdin, more }) => {
        const ran = await fiatrail(newHome(onTestFinished), [...argv, ...more], { env, stdin });
        const output = ran.stdout + ran.stderr;
        expect(output, argv.join(' ')).not.toMatch(shown);
        expect(output).toContain(status === 500 && !more.includes('-v') ? '' : '[redacted]');
      }),
    );
  });
});

test('a BVN that was sent as a number is hidden too', async () => {
  const env = await echoing('22123456789', 200, '00');
  const argv = ['api', 'POST', '/onboarduser', '-d', '{"bvn":22123456789}', '-v', '-o', 'json'];
  const ran = await fiatrail(newHome(onTestFinished), argv, { env });
  expect(ran.code).toBe(0);
  expect(ran.stdout + ran.stderr).not.toContain('22123456789');
});

test('other numbers stay as they are', async () => {
  const body =
    '{"response_code":"00","data":{"requestId":"r-1","amount":1.50,"total":22123456780,"big":12345678901234567890}}';
  const { baseUrl } = await httpServer((_request, response) => response.end(body));
  const env = { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: 'sandbox_a-key-nobody-may-see' };
  const ran = await fiatrail(newHome(onTestFinished), ['api', 'POST', '/onboarduser', '-d', '-', '-o', 'raw', '-q'], {
    env,
    stdin: '{"bvn":"22123456789"}',
  });
  expect(ran.stdout).toBe('{"requestId":"r-1","amount":1.50,"total":22123456780,"big":12345678901234567890}\n');
});
