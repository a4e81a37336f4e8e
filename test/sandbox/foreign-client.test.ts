import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newHome, ROOT, startProgram } from '../support/built.ts';
import * as here from '../support/in-process.ts';
import { installProgram, normalWalk } from './program.ts';

const CLIENT = join(ROOT, 'test', 'sandbox', 'foreign-client.mjs');
const FORMS = ['interface', 'public', 'public-older'] as const;

/** Starts `sandbox serve` on a free port, and returns its address and key with a home for clients. */
async function served(...args: readonly string[]) {
  const home = newHome(onTestFinished);
  const server = here.startFiatrail(home, ['sandbox', 'serve', '--port', '0', '-o', 'json', ...args]);
  onTestFinished(async () => {
    server.kill('SIGTERM');
    await server.end;
  });
  return { home, ...(JSON.parse(await server.firstLine()) as { url: string; apiKey: string }) };
}

describe('a client that knows nothing of this project', () => {
  test('imports nothing', () => {
    expect(readFileSync(CLIENT, 'utf8')).not.toMatch(/\bimport\b|\brequire\b/);
  });

  test.each(FORMS)('goes from BVN to payout under --responses %s', async (form) => {
    const { home, url, apiKey } = await served('--responses', form);
    const client = startProgram(home, process.execPath, [CLIENT, url, apiKey, '22222222222']);
    const { code, stdout, stderr } = await client.end;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      permanent: expect.stringMatching(/^\d{10}$/),
      // 5,000 with the platform's fee of 75 and the account's of 25.
      amount: 5100,
      states: [form === 'public-older' ? 'verified' : 'completed', 'completed', 'completed'],
    });
  });
});

describe("fiatrail against someone's server", () => {
  test.each(FORMS)('goes from BVN to payout under --responses %s and a service name', async (form) => {
    const { home, url, apiKey } = await served('--responses', form, '--service-name', 'acme');
    const env = { FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey, FIATRAIL_SERVICE_NAME: 'acme' };
    const program = installProgram(home, env, here);
    expect(await normalWalk(program, '22222222222')).toBe('completed');
    const preview = await program.json(['fees', 'preview', '--amount', '5000', '--transaction-type', 'onramp']);
    expect(preview).toMatchObject({ finalFee: { value: '75.00' } });
  });
});
