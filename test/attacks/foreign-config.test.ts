import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newHome } from '../support/built.ts';
import { fiatrail } from '../support/in-process.ts';
import { httpServer } from '../support/loopback.ts';

/** A folder of another user. Only root can give one away; anyone else takes one of root. */
function foreignFolder(path: string): string {
  if (process.getuid?.() !== 0) return '/usr';
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, 12_345, 12_345);
  return path;
}

test('a configuration folder of another user is rejected, for root too, and nothing is sent', async () => {
  let requests = 0;
  const { baseUrl } = await httpServer((_request, response) => {
    requests += 1;
    response.end('{}');
  });
  const home = newHome(onTestFinished);
  const FIATRAIL_CONFIG_DIR = foreignFolder(join(home.path, 'config'));
  const account = { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: 'a-live-key-nobody-may-see' };
  for (const [argv, env] of [
    [['balances', 'account'], {}],
    [['balances', 'account', '--profile', 'sandbox'], {}],
    [['balances', 'account'], account],
    [['profiles', 'list'], {}],
    [['profiles', 'add', 'main', '--base-url', baseUrl, '--mode', 'live', '--store', 'environment'], {}],
  ] as const) {
    const ran = await fiatrail(home, argv, { env: { ...env, FIATRAIL_CONFIG_DIR } });
    expect({ code: ran.code, stdout: ran.stdout }, argv.join(' ')).toEqual({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`${FIATRAIL_CONFIG_DIR} belongs to another user`);
  }
  expect(requests).toBe(0);
});
