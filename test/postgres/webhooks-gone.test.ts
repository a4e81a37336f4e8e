import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { startPostgres } from '../support/postgres.ts';

beforeAll(requireBuilt);

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
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const url = server.newDatabase();
  const env = {
    ...{ FIATRAIL_BASE_URL: 'http://127.0.0.1:9/v1', FIATRAIL_API_KEY: 'sandbox_0123456789' },
    ...{ FIATRAIL_WEBHOOK_SECRET: 'a-webhook-secret', FIATRAIL_INBOX_URL: url },
  };
  const listener = startFiatrail(newHome(onTestFinished), ['webhooks', 'listen', '--port', '0'], { env });
  await listener.says('listening at');
  drop(() => server.sql(url, 'DROP SCHEMA fiatrail_inbox CASCADE'));
  const { code, stderr } = await listener.end;
  const errors = stderr.split('\n').filter((line) => line.startsWith('error: '));
  expect({ code, errors }).toEqual({
    code: 9,
    errors: [expect.stringMatching(/^error: the listener has lost its inbox: the inbox’s server failed: /)],
  });
});
