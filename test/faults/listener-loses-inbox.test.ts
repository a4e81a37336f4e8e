import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Home, newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';

beforeAll(requireBuilt);

const deleted = ({ stateDir }: Home, name: string) => rmSync(join(stateDir, name));
const withoutFolder = ({ stateDir }: Home) => renameSync(stateDir, `${stateDir}-gone`);

// Each waits until the listener looks for its file, so they run at once.
test.concurrent.for([
  ['the embedded sandbox', 'whose file is deleted', [], deleted],
  ['the embedded sandbox', 'whose file is deleted', ['--port', '0'], deleted],
  ['an account', 'whose file is deleted', ['--port', '0'], deleted],
  ['an account', 'whose folder is gone', ['--port', '0'], withoutFolder],
] as const)(
  'the listener of %s %s says so and ends with 9: %j',
  async ([account, _how, flags, lose], { onTestFinished }) => {
    const home = newHome(onTestFinished);
    const isEmbedded = account === 'the embedded sandbox';
    const env = isEmbedded
      ? { FIATRAIL_WEBHOOK_SECRET: 'a-webhook-secret' }
      : {
          FIATRAIL_BASE_URL: `http://127.0.0.1:${await closedPort()}/v1`,
          FIATRAIL_API_KEY: 'sandbox_0123456789',
          FIATRAIL_WEBHOOK_SECRET: 'a-webhook-secret',
        };
    const listener = startFiatrail(home, ['webhooks', 'listen', ...flags], { env });
    await listener.says('Press Ctrl-C to stop');
    const name = isEmbedded ? 'inbox-embedded.db' : 'inbox-environment.db';
    lose(home, name);
    const { code, stderr } = await listener.end;
    expect({ code, errors: stderr.split('\n').filter((line) => line.startsWith('error: ')) }).toEqual({
      code: 9,
      errors: [
        `error: the listener has lost its inbox: ${join(home.stateDir, name)} was deleted or replaced while it was in use`,
      ],
    });
  },
);
