import { expect, onTestFinished, test } from 'vitest';
import { listUsers } from '../../src/contract/endpoints/user-list.ts';
import { main } from '../../src/main.ts';
import { bodyOf, httpServer, testNetwork } from '../support/loopback.ts';
import { openSandbox } from '../support/sandbox.ts';
import { type Answer, fakeWorld } from '../support/world.ts';

/** A served sandbox with a verified user, which counts the requests to it and their connections. */
async function countingService() {
  const sandbox = await openSandbox({ pace: 'instant' });
  onTestFinished(() => sandbox.close());
  await sandbox.call('POST', '/onboarduser', { bvn: '22000000001' });
  await sandbox.call('POST', '/addexternalwallet', { address: WALLET, blockchain: 'base', type: 'cold' });
  sandbox.clock.pass(60_000);
  const { users } = await sandbox.ask(listUsers, {});
  const sockets = new Set<unknown>();
  const asked: string[] = [];
  const { baseUrl } = await httpServer(async (request, response) => {
    sockets.add(request.socket);
    asked.push(`${request.method} ${request.url?.replace(/^\/v1|\?.*/g, '').replace(/[0-9a-f-]{36,}/, 'ID')}`);
    const given = { method: request.method ?? '', url: request.url ?? '', body: await bodyOf(request) };
    const { 'x-api-key': apiKey, ...headers } = request.headers as Record<string, string>;
    const answer = await sandbox.sandbox.fetch({ ...given, headers }, { apiKey, address: '127.0.0.1' });
    // The clocks of this machine and of the sandbox are apart.
    response.sendDate = false;
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  return { asked, sockets, baseUrl, apiKey: sandbox.apiKey, userId: users?.[0]?.userId ?? '' };
}

const TO = ['--bank-code', '000013', '--account-number', '0123456789', '--account-name', 'ADA OBI'];
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Commands with `USER` for the user, and the requests of each: a read, what pays and what reserves it, the list that will show a payment, the payment. */
const COMMANDS: readonly [command: string, more: readonly string[], asked: readonly string[]][] = [
  ['balances account', [], ['GET /balance/multi']],
  ['users list', [], ['POST /listfintechusers']],
  ['fees show', [], ['GET /getfees']],
  ['fees withdraw --amount 500', TO, ['GET /getaccumulatedfees', 'GET /getwithdrawalhistory', 'POST /feewithdrawal']],
  [
    'transfers create --amount 5 --token CNGN --to',
    [WALLET],
    ['GET /balance/multi', 'GET /fx/limit-orders', 'GET /withdrawals', 'POST /fintechtransfer'],
  ],
  ['onramp create USER --amount 5000', [], ['POST /listuserwallets', 'POST /cngnonramp', 'POST /getvirtualaccount']],
];

test.each(COMMANDS)('%s sends its requests over one connection', async (command, more, expected) => {
  const { asked, sockets, baseUrl, apiKey, userId } = await countingService();
  const world = fakeWorld({
    env: { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: apiKey },
    network: testNetwork(),
  });
  const words = command.split(' ').map((word) => (word === 'USER' ? userId : word));
  const code = await main([...words, ...more, '--yes', '-q'], world);
  expect({ code, asked, connections: sockets.size }, world.stderr.text()).toEqual({
    code: 0,
    asked: expected,
    connections: 1,
  });
});

test('a confirmation reads over the connection of its payment', async () => {
  const { asked, sockets, baseUrl, apiKey, userId } = await countingService();
  const yes: Answer = { kind: 'confirm', asks: 'Continue?', says: true };
  const world = fakeWorld({
    isTerminal: true,
    answers: [yes],
    env: { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: apiKey },
    network: testNetwork(),
  });
  const code = await main(['onramp', 'create', userId, '--amount', '5000'], world);
  expect({ code, asked, connections: sockets.size }, world.stderr.text()).toEqual({
    code: 0,
    connections: 1,
    asked: [
      'POST /getuserdetails',
      'POST /fees/platform/preview',
      'GET /getfees',
      'GET /balance/user/ID',
      'POST /listuserwallets',
      'POST /cngnonramp',
      'POST /getvirtualaccount',
    ],
  });
});
