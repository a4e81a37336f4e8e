import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import { replyOf } from '../../src/client/client.ts';
import { isOnlyOnce } from '../../src/client/refusals.ts';
import { answerFormsOf, formsFor } from '../../src/contract/answer-forms.ts';
import { sandboxFaultAdd } from '../../src/contract/control.ts';
import { type Endpoint, type Refusal, refusalsOf } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { onboard, onboardStatus } from '../../src/contract/endpoints/users.ts';
import { getVirtualAccount } from '../../src/contract/endpoints/virtual-accounts.ts';
import { onboardUser, productionKey, settle } from '../service/steps.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';

/** The names of the conditions of an endpoint, each once. */
const namesOf = (endpoint: Endpoint) => [...new Set(refusalsOf(endpoint).map(({ name }) => name))];

/** Has the sandbox refuse the next request to an endpoint, sends one, and returns the client's error. */
async function rehearsed(box: TestSandbox, endpoint: Endpoint, name: string): Promise<CliError> {
  await box.ask(sandboxFaultAdd, { endpoint: endpoint.id, kind: 'reject', name });
  const path = endpoint.path.replace(/:\w+/g, 'x');
  // One endpoint takes a production key, and no other.
  const apiKey = endpoint.id === 'management.create-sandbox-key' ? await productionKey(box) : box.apiKey;
  const body = endpoint.method === 'GET' ? undefined : '{}';
  const response = await box.fetch(endpoint.method, `/v1${path}`, body, { apiKey, address: '127.0.0.1' });
  try {
    replyOf(endpoint, {} as never, { response }, new Secret('a-key'));
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error(`${endpoint.id} ${name}: a success`);
}

const GENERAL: Readonly<Record<string, string>> = {
  '01': 'VALIDATION_ERROR',
  '02': 'NOT_FOUND',
  '05': 'VALIDATION_ERROR',
};

/** What the client may call a condition: its name, if nothing else of the endpoint is answered alike. */
function expectedCode(endpoint: Endpoint, { code, http, name }: Refusal): string {
  const alike = refusalsOf(endpoint).filter((each) => each.code === code && each.http === http);
  return new Set(alike.map((each) => each.name)).size === 1 ? name : (GENERAL[code] ?? name);
}

describe.each(['interface', 'public', 'public-older'] as const)('with answers as in %s', (form) => {
  test('every condition of every endpoint can be rehearsed, and reaches the client', async () => {
    const answers = { forms: answerFormsOf(form) };
    await using box = await openSandbox({ answers });
    const wrong: unknown[] = [];
    let count = 0;
    for (const endpoint of endpoints)
      for (const name of namesOf(endpoint)) {
        const row = refusalsOf(endpoint).find((each) => each.name === name);
        if (!row) continue;
        count += 1;
        const error = await rehearsed(box, endpoint, name);
        const isBroken = row.http >= 500;
        // Without a name in a field, 05 may be an internal error.
        const isUnknown = isOnlyOnce(endpoint.effect) && row.code === '05';
        const code =
          isBroken || isUnknown
            ? endpoint.effect === 'read'
              ? 'UNUSABLE_RESPONSE'
              : 'OUTCOME_UNKNOWN'
            : expectedCode(endpoint, row);
        const names = error.candidates.map((each) => each.name);
        const isNamed = isBroken || error.code === name || names.includes(name);
        const seen = { code: error.code, isNamed, hasRemedy: isBroken || error.hint !== undefined };
        if (JSON.stringify(seen) !== JSON.stringify({ code, isNamed: true, hasRemedy: true }))
          wrong.push({ endpoint: endpoint.id, name, expected: code, ...seen, names });
      }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(450);
  });
});

test('a rejected request does nothing, and the next one is performed', async () => {
  await using box = await openSandbox();
  await box.ask(sandboxFaultAdd, { endpoint: 'users.onboard', kind: 'reject', name: 'IP_BLOCKED' });
  const onboardings = () =>
    box.inside(({ store }) => Number(store.get<{ n: bigint }>('SELECT COUNT(*) AS n FROM onboarding')?.n), 'read');
  expect(await box.call('POST', '/onboarduser', { bvn: '22222222222' })).toMatchObject({ status: 403 });
  expect(await onboardings()).toBe(0);
  expect(await box.call('POST', '/onboarduser', { bvn: '22222222222' })).toMatchObject({ status: 200 });
  expect(await onboardings()).toBe(1);
});

test.each([
  [{ endpoint: 'fx.trade', kind: 'reject' }, 'name: expected a rejection of fx.trade: VALIDATION_ERROR, INVALID_QUOTE'],
  [{ endpoint: 'fx.trade', kind: 'reject', name: 'NO_FUNDED_WALLET' }, 'name: expected a rejection of fx.trade'],
  [{ endpoint: 'fx.trade', kind: 'slow', name: 'NO_LIQUIDITY' }, 'name: only a fault of kind reject has one'],
])('%j is rejected', async (fault, message) => {
  await using box = await openSandbox();
  const { status, envelope } = await box.call('POST', '/_sandbox/faults', fault);
  expect({ status, error: envelope.error }).toEqual({ status: 400, error: expect.stringContaining(message) });
});

describe('a further form', () => {
  test.each([
    ['named', 'transactions.offramp-status', 'NOT_FOUND', 404, 'NOT_FOUND'],
    ['named', 'fx.trade', 'INVALID_QUOTE', 400, 'INVALID_QUOTE'],
    ['named', 'fx.trade', 'NO_LIQUIDITY', 404, 'NO_LIQUIDITY'],
    ['named', 'transactions.offramp', 'NO_FUNDED_WALLET', 404, 'NO_FUNDED_WALLET'],
    ['named', 'wallets.get-fintech', 'AUTHENTICATION_FAILED', 401, 'AUTHENTICATION_FAILED'],
    ['named', 'wallets.get-fintech', 'IP_BLOCKED', 403, 'IP_BLOCKED'],
    ['ip-400', 'users.onboard', 'IP_BLOCKED', 400, 'IP_BLOCKED'],
    ['http-code', 'wallets.get-fintech', 'AUTHENTICATION_FAILED', 401, 'AUTHENTICATION_FAILED'],
    ['named', 'swaps.create', 'INSUFFICIENT_BALANCE', 400, 'INSUFFICIENT_BALANCE'],
    ['named', 'fx.trade', 'SELF_TRADE', 400, 'SELF_TRADE'],
    ['http-code', 'swaps.create', 'VALIDATION_ERROR', 400, 'OUTCOME_UNKNOWN'],
    ['object', 'transactions.onramp', 'VALIDATION_ERROR', 400, 'VALIDATION_ERROR'],
    ['failed-200', 'transactions.fintech-offramp', 'BANK_ACCOUNT_NOT_FOUND', 200, 'BANK_ACCOUNT_NOT_FOUND'],
    ['failed-200', 'transactions.fintech-offramp', 'INSUFFICIENT_BALANCE', 200, 'OUTCOME_UNKNOWN'],
  ])('%s of %s: %s is HTTP %d and %s', async (form, id, name, status, code) => {
    const endpoint = endpoints.find((each) => each.id === id) as Endpoint;
    await using box = await openSandbox({ answers: { forms: answerFormsOf('interface', [{ endpoint: id, form }]) } });
    const error = await rehearsed(box, endpoint, name);
    const names = [error.code, ...error.candidates.map((each) => each.name)];
    expect({ code: error.code, http: error.httpStatus, isNamed: names.includes(name) }).toEqual({
      code,
      http: status,
      isNamed: true,
    });
  });

  test('flat has the account that the nested one has', async () => {
    const flat = { endpoint: 'virtual-accounts.get', form: 'flat' };
    await using box = await openSandbox({ answers: { forms: answerFormsOf('public', [flat]) } });
    const { userId } = await onboardUser(box);
    const { requestId } = await box.ask(startOnramp, { userId, amount: 5000 });
    const response = await box.send(getVirtualAccount, { requestId });
    expect(Object.keys((JSON.parse(response.body) as { data: object }).data)).toEqual(
      expect.arrayContaining(['accountNumber', 'bankName', 'accountName', 'amount', 'totalAmountWithFee', 'expiresAt']),
    );
    const { data } = replyOf(getVirtualAccount, { requestId }, { response }, new Secret('a-key'));
    expect(data.virtualAccount).toMatchObject({ accountNumber: expect.stringMatching(/^\d{10}$/) });
    expect(String(data.virtualAccount.totalAmountWithFee)).toBe('5100');
  });

  test.each([400, 422])('of a failed onboarding, with HTTP %d, names why', async (http) => {
    const failed = { endpoint: 'users.onboard-status', form: `failed-${http}` };
    await using box = await openSandbox({ answers: { forms: answerFormsOf('interface', [failed]) } });
    const { requestId } = await box.ask(onboard, { bvn: '00000000000' });
    await settle(box);
    const response = await box.send(onboardStatus, { requestId });
    expect(response.status).toBe(http);
    expect(() => replyOf(onboardStatus, { requestId }, { response }, new Secret('a-key'))).toThrow(
      expect.objectContaining({ code: 'BVN_VALIDATION_FAILED', category: 'rejected' }),
    );
  });

  test('of every endpoint is rejected where it does not exist', () => {
    for (const { id } of endpoints) expect(formsFor(id)).toContain('named');
    expect(formsFor('virtual-accounts.get')).toContain('flat');
    expect(formsFor('fx.trade')).not.toContain('flat');
  });
});
