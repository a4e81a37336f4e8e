import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';
import { startPostgres } from '../support/postgres.ts';
import { accountEnv, sendEvent } from '../tools/listener.ts';
import { startRelay } from './relay.ts';

beforeAll(requireBuilt);

/** Starts a server, and returns it with the URL of a new database. */
async function newServer() {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  return { server, url: server.newDatabase() };
}

const startListener = (url: string, port = 0) =>
  startFiatrail(newHome(onTestFinished), ['webhooks', 'listen', '--port', String(port)], {
    env: { ...accountEnv, FIATRAIL_INBOX_URL: url },
  });

/** The listener asks meanwhile, and the server ends either of two that wait for each other. */
function drop(once: () => void): void {
  for (;;) {
    try {
      once();
      return;
    } catch (error) {
      if (!String(error).includes('deadlock detected')) throw error;
    }
  }
}

test('a listener whose inbox is dropped from its server says so and ends with 9', async () => {
  const { server, url } = await newServer();
  const listener = startListener(url);
  await listener.says('listening at');
  drop(() => server.sql(url, 'DROP SCHEMA fiatrail_inbox CASCADE'));
  const { code, stderr } = await listener.end;
  const errors = stderr.split('\n').filter((line) => line.startsWith('error: '));
  expect({ code, errors }).toEqual({
    code: 9,
    errors: [expect.stringMatching(/^error: the listener has lost its inbox: the inbox’s server failed: /)],
  });
});

/** How a listener reads what arrived while nothing listened, and then what arrives. */
const [FIRST_LIST, NEXT_LIST] = [
  /SELECT \* FROM event +ORDER BY id DESC LIMIT/,
  /SELECT \* FROM event WHERE id > .* ORDER BY id ASC LIMIT/,
];
const AWAY_MS = 1_500;

/** Starts a listener whose server goes away for a while as soon as it is asked for that. */
async function startCutOff(asked: RegExp) {
  const { url } = await newServer();
  let awayUntilMs = 0;
  const way = await startRelay(url, {
    sent: (bytes) => {
      if (awayUntilMs === 0 && asked.test(bytes.toString('latin1'))) awayUntilMs = Date.now() + AWAY_MS;
      const isAway = Date.now() < awayUntilMs;
      if (isAway) way.cut();
      return !isAway;
    },
    answered: () => true,
  });
  const port = await closedPort();
  return {
    listener: startListener(way.url, port),
    address: `http://127.0.0.1:${port}/`,
    isCutOff: () => awayUntilMs > 0,
  };
}

test('a listener whose server goes away before it has read the inbox has begun nothing that its end cuts off', async () => {
  const { listener, isCutOff } = await startCutOff(FIRST_LIST);
  const { code, stderr } = await listener.end;
  expect({ code, isCutOff: isCutOff() }, stderr).toEqual({ code: 5, isCutOff: true });
  expect(stderr).not.toContain('listening at');
});

test('a listener whose server goes away right after that shows all that arrives once it is back', async () => {
  const { listener, address, isCutOff } = await startCutOff(NEXT_LIST);
  await listener.says('listening at');
  const isShown = listener.firstLine();
  let hasEnded = false;
  void listener.end.then(() => {
    hasEnded = true;
  });
  while (!hasEnded && (await sendEvent(address, 1).catch(() => 0)) !== 200) await sleep(100);
  await isShown;
  listener.kill('SIGINT');
  const { code, stdout, stderr } = await listener.end;
  expect({ code, isCutOff: isCutOff(), stdout }, stderr).toEqual({
    code: 0,
    isCutOff: true,
    stdout: expect.stringContaining('user.onboarded'),
  });
  expect(stderr).toMatch(/the inbox cannot be written \(its server: (lost|unreachable)\)/);
});
