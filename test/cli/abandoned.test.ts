import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { json, success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

/** Runs a command whose user gives up for good, while the service has not answered the request to `path`. */
async function abandonedAt(path: string, argv: readonly string[], stdin = '') {
  const giveUp = new AbortController();
  const network: Exchange = async ({ url }) => {
    if (url.includes(path)) {
      giveUp.abort();
      return new Promise(() => {});
    }
    if (url.endsWith('/cngnofframp')) return success({ requestId: 'r-1', status: 'requested' });
    return json(404, '{"status":"Error","response_code":"02","message":"none"}');
  };
  const world = fakeWorld({ network, env: ACCOUNT, abandoned: giveUp.signal, stdin });
  const code = await main([...argv, '-o', 'json'], world);
  const error = JSON.parse(
    world.stderr
      .text()
      .split('\n')
      .find((line) => line.startsWith('{')) ?? '{}',
  ) as { error: Record<string, unknown> };
  return { code, error: error.error, rows: journalRows(world.stateDir) };
}

const OFFRAMP = [
  'offramp',
  'create',
  'u-1',
  '--amount',
  '20',
  '--bank-code',
  '000013',
  '--account-number',
  '0123456789',
  '--yes',
  '-q',
];

describe('a command that is told twice to end', () => {
  test.each([
    ['a payment', '/cngnofframp', OFFRAMP, ''],
    ['an onboarding', '/onboarduser', ['users', 'onboard', '--bvn-stdin', '-q'], '22345678901'],
    [
      'a removal',
      '/removeexternalwallet',
      ['wallets', 'external', 'remove', '0x52908400098527886E0F7030069857D2E4169EE7', '--yes', '-q'],
      '',
    ],
  ] as const)('while %s is in flight says that its outcome is unknown, and which operation it is', async (...given) => {
    const [, path, argv, stdin] = given;
    const { code, error, rows } = await abandonedAt(path, argv, stdin);
    expect(rows).toMatchObject([{ state: 'sent' }]);
    const id = rows[0]?.id;
    expect({ code, error }).toMatchObject({
      code: 6,
      error: {
        code: 'OUTCOME_UNKNOWN',
        operationId: id,
        hint: `find out with: fiatrail ops reconcile ${id}`,
        message: expect.stringContaining('its outcome is unknown'),
      },
    });
  });

  test.each([
    ['before a payment leaves', '/payouts', OFFRAMP, []],
    ['while it waits for accepted work', '/cngnofframpstatus', [...OFFRAMP, '--wait'], ['accepted']],
  ] as const)('%s says that no request was in flight', async (_when, path, argv, states) => {
    const { code, error, rows } = await abandonedAt(path, argv);
    expect({ code, states: rows.map(({ state }) => state) }).toEqual({ code: 130, states });
    expect(error['message']).toContain('no request was in flight');
  });
});
