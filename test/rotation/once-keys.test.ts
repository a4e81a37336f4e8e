import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { TRIGGERS } from '../../src/journal/sqlite/schema.ts';
import { droppedLine, refusal, success } from '../support/exchange.ts';
import { TO } from '../support/fee-withdrawal.ts';
import { type Bench, bench, ended, NEW, OLD, RESUME_COMMAND, ROTATE } from '../support/rotation-bench.ts';

const PAY = ['fees', 'withdraw', '--amount', '500', ...TO, '--profile', 'main', '--yes', '--no-tag', '-o', 'json'];
const PAY_ONCE = [...PAY, '--once', 'k'];

const payment = (number: number) => ({
  withdrawalId: `FTW_${number}`,
  amount: 50_000,
  status: 'pending',
  createdAt: '2026-01-05T09:00:00.000Z',
});

/** Responses that are right for every request of these tests. The list has each payment once it was sent. */
const everything = (on: Bench) => () =>
  success({
    ...payment(payments(on)),
    publicKey: 'ab'.repeat(32),
    withdrawals: Array.from({ length: payments(on) }, (_, index) => ({
      ...payment(index + 1),
      bankAccountNumber: '0123456789',
    })),
  });

const payments = ({ service }: Bench) => service.asked.filter((path) => path === '/feewithdrawal').length;

/** An account that has paid once under an idempotency key. */
async function paid(): Promise<Bench> {
  const on = await bench();
  on.service.read = everything(on);
  const { code, stdout, stderr } = await on.run(PAY_ONCE);
  expect({ code, printed: JSON.parse(stdout) }, stderr).toMatchObject({ code: 0, printed: { withdrawalId: 'FTW_1' } });
  expect(payments(on)).toBe(1);
  return on;
}

/** What makes a rotation end early, and what the user does before the next payment. */
const ENDS: readonly [where: string, exit: number, breaks: (on: Bench) => void, repairs: (on: Bench) => unknown][] = [
  ['nowhere', 0, () => {}, () => {}],
  [
    'where the key is stored',
    8,
    (on) => {
      on.service.regenerate = (replace) => {
        on.breakStore();
        return replace();
      };
    },
    (on) => on.repairStore(),
  ],
  [
    'where the key is proven',
    8,
    (on) => {
      on.service.read = () => (on.service.live === OLD ? everything(on)() : refusal(403, '03', 'no'));
    },
    (on) => {
      on.service.read = everything(on);
    },
  ],
  [
    'where the key is pushed',
    8,
    (on) => {
      on.programs['vault'] = () => ended(1);
    },
    () => {},
  ],
  [
    'where the response is read',
    6,
    (on) => {
      on.service.regenerate = (replace) => {
        replace();
        return success({});
      };
    },
    async (on) => {
      writeFileSync(join(on.secrets, 'main.api-key'), NEW);
      expect((await on.run(RESUME_COMMAND)).code).toBe(0);
    },
  ],
];

test.each(ENDS)('an idempotency key survives a rotation that stops %s', async (_where, exit, breaks, repairs) => {
  const on = await paid();
  breaks(on);
  const push = on.programs['vault'] ? ['--push-command', 'vault'] : [];
  expect((await on.run([...ROTATE, ...push])).code).toBe(exit);
  await repairs(on);
  const { code, stdout, stderr } = await on.run(PAY_ONCE);
  expect({ code, stored: on.storedKey(), payments: payments(on) }, stderr).toEqual({
    code: 0,
    stored: NEW,
    payments: 1,
  });
  expect(JSON.parse(stdout)).toMatchObject({ withdrawalId: 'FTW_1' });
  expect(stderr).toContain('already done under the idempotency key k');
  // Another key still pays, with the new API key.
  expect((await on.run([...PAY, '--once', 'l'])).code).toBe(0);
  expect(payments(on)).toBe(2);
});

test('an equal payment without an idempotency key stops after a rotation too', async () => {
  const on = await bench();
  on.service.read = everything(on);
  expect((await on.run(PAY)).code).toBe(0);
  expect((await on.run(ROTATE)).code).toBe(0);
  expect((await on.run(PAY)).code).toBe(9);
  expect(payments(on)).toBe(1);
});

test('an unknown outcome is found with the new key', async () => {
  const on = await bench();
  on.service.read = everything(on);
  const network: Exchange = async (request, signal) => {
    const response = await on.world.network(request, signal);
    if (request.url.endsWith('/feewithdrawal')) throw droppedLine();
    return response;
  };
  expect((await on.run(PAY_ONCE, { network })).code).toBe(6);
  expect((await on.run(ROTATE)).code).toBe(0);
  const { code, stderr } = await on.run(PAY_ONCE);
  expect({ code, payments: payments(on) }, stderr).toEqual({ code: 0, payments: 1 });
});

test('a rotation whose keys are not linked links them when it is resumed', async () => {
  const on = await paid();
  on.programs['vault'] = () => ended(1);
  expect((await on.run([...ROTATE, '--push-command', 'vault'])).code).toBe(8);
  const journal = new DatabaseSync(join(on.world.stateDir, 'journal.db'));
  journal.exec('DROP TRIGGER account_name_delete; DROP TRIGGER entry_delete');
  journal.exec(
    `DELETE FROM entry WHERE subject LIKE 'account %' AND substr(subject, 9) NOT IN (SELECT 'key:' || old_fingerprint FROM rotation)`,
  );
  const { changes } = journal
    .prepare(`DELETE FROM account_name WHERE name NOT IN (SELECT 'key:' || old_fingerprint FROM rotation)`)
    .run();
  journal.exec(TRIGGERS.filter((each) => /^CREATE TRIGGER (account_name|entry)_delete /.test(each)).join('; '));
  journal.close();
  expect(changes).toBe(1);
  on.programs['vault'] = () => ended(0);
  expect((await on.run(RESUME_COMMAND)).code).toBe(0);
  expect((await on.run(PAY_ONCE)).code).toBe(0);
  expect(payments(on)).toBe(1);
});
