import { readFileSync, statSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import type { Plan } from '../../src/engine/plans/plan.ts';
import { withSignature } from '../../src/engine/plans/signatures.ts';
import { refusal, success } from '../support/exchange.ts';
import {
  agreeOn,
  approvers,
  contentOf,
  exchangeKeys,
  joinTeam,
  no,
  openTeamAfter,
  PAYOUT,
  plan,
  rehashed,
  rewritten,
  type Team,
  yes,
} from './support.ts';

let team: Team;
let keys: Record<string, string>;
const threePeople = async (all: Team) => {
  await joinTeam(all, 'ada', 'bayo', 'chidi');
  return exchangeKeys(all, 'ada', 'bayo');
};
beforeEach(async () => {
  ({ team, made: keys } = await openTeamAfter(threePeople));
});

const sign = (person: string, path: string, ...more: readonly string[]) =>
  team.run(person, ['plans', 'approve', path, ...more], { answers: [yes('Approve the plan to ')] });
const apply = (path: string, person = 'bayo') => team.run(person, ['plans', 'apply', path, '--yes']);
const rolesIn = (path: string) =>
  contentOf(path).signatures.map(({ role, approver }: Record<string, string>) => [role, approver]);

/** Sets from which amount on another approver must sign. */
const approvalThresholds = (...amounts: readonly string[]) =>
  agreeOn(team, 'ada', 'bayo', ['approval-threshold', ...amounts]);

const rewrite = (path: string, change: (plan: Plan) => Plan) => rewritten(team, path, change);

describe('plans approve', () => {
  test('shows everything, asks, and adds a signature to the file', async () => {
    const path = await plan(team, 'ada');
    expect(rolesIn(path)).toEqual([['author', 'ada']]);
    const { code, stderr } = await sign('bayo', path);
    expect({ code, roles: rolesIn(path), mode: statSync(path).mode & 0o777 }).toEqual({
      code: 0,
      roles: [
        ['author', 'ada'],
        ['signer', 'bayo'],
      ],
      mode: 0o600,
    });
    for (const shown of [
      'main (LIVE)',
      'https://service.test/v1',
      'fiatrail payout create --amount 50000 --to bank-1',
      '50,000.00 cNGN (50,000,000,000 base units)',
      'ADA OBI, 012 345 6789 at GTB',
      '₦75.00 to the platform',
      '500,000.00 cNGN before, 449,925.00 cNGN after',
      'POST /initiateofframp {"amount":50000000000,"bankAccountId":"bank-1"}',
      '50000.000000 CNGN, 50000000000 in its smallest unit',
      'ada, ada on host-1',
      contentOf(path).hash,
      contentOf(path).plan.expiresAt,
    ])
      expect(stderr).toContain(shown);
    expect((await apply(path)).code).toBe(0);
  });

  test('changes nothing if the answer is no', async () => {
    const path = await plan(team, 'ada');
    const before = readFileSync(path);
    const { code } = await team.run('bayo', ['plans', 'approve', path], { answers: [no('Approve the plan')] });
    expect({ code, isSame: readFileSync(path).equals(before) }).toEqual({ code: 9, isSame: true });
  });

  test('needs a terminal on a live account, even with --yes', async () => {
    const path = await plan(team, 'ada');
    const { code, stderr } = await team.run('bayo', ['plans', 'approve', path, '--yes']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('a person at a terminal') });
    expect((await sign('bayo', path, '--yes')).code).toBe(0);
  });

  test('--dry-run only shows the plan', async () => {
    const path = await plan(team, 'ada');
    const { code, stdout } = await team.run('chidi', ['plans', 'approve', path, '--dry-run', '-o', 'json']);
    expect({ code, shown: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      shown: { hash: contentOf(path).hash, signatures: [{ approver: 'ada', role: 'author' }] },
    });
    expect(rolesIn(path)).toEqual([['author', 'ada']]);
  });

  test.each<[string, string, () => Promise<string>, number, string]>([
    ['its author', 'ada', () => plan(team, 'ada'), 9, 'you wrote this plan'],
    [
      'someone who approved it before',
      'bayo',
      async () => {
        const path = await plan(team, 'ada');
        await sign('bayo', path);
        return path;
      },
      9,
      'you approved this plan before',
    ],
    [
      'its author, who had no key when writing it',
      'chidi',
      async () => {
        const path = await plan(team, 'chidi');
        const made = await team.run('chidi', ['profiles', 'approvers', 'add', 'chidi', '--generate', '-o', 'json'], {
          isTerminal: true,
        });
        await agreeOn(team, 'ada', 'bayo', ['add', 'chidi', '--public-key', JSON.parse(made.stdout).publicKey]);
        return path;
      },
      9,
      'you wrote this plan',
    ],
    ['someone without a key', 'chidi', () => plan(team, 'chidi'), 2, 'no approver key for you'],
    [
      'anybody once it has expired',
      'bayo',
      async () => {
        const path = await plan(team, 'ada', 'plan.json', '--plan-expires', '1h');
        await team.clock.sleep(3_600_000, new AbortController().signal);
        return path;
      },
      9,
      'the plan expired on',
    ],
  ])('is rejected to %s', async (_who, person, written, exit, message) => {
    const path = await written();
    const before = readFileSync(path);
    const { code, stderr } = await team.run(person, ['plans', 'approve', path], { isTerminal: true });
    expect({ code, stderr }).toEqual({ code: exit, stderr: expect.stringContaining(message) });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('works with --yes on a sandbox', async () => {
    const path = team.file('sandbox.json');
    const as = (person: string, ...argv: string[]) => team.run(person, [...argv, '--profile', 'sandbox']);
    // The journal has a live account, so that approvers of a sandbox are changed in a terminal too.
    for (const person of ['ada', 'bayo'])
      await team.run(person, [...approvers('add', person, '--generate'), '--profile', 'sandbox'], {
        answers: [yes(`approver ${person}`)],
      });
    const to = ['--bank-code', '000013', '--account-number', '0123456789', '--account-name', 'ADA'];
    expect((await as('ada', 'fees', 'withdraw', '--amount', '500', ...to, '--plan', path)).code).toBe(0);
    expect((await as('bayo', 'plans', 'approve', path, '--yes')).code).toBe(0);
    expect((await as('bayo', 'plans', 'apply', path, '--yes')).code).toBe(0);
  });
});

describe('a signature is rejected by the name of its approver if', () => {
  test('its key is unknown', async () => {
    const path = await plan(team, 'ada');
    await sign('bayo', path);
    await agreeOn(team, 'ada', 'bayo', ['remove', 'bayo']);
    const { code, stderr } = await apply(path, 'chidi');
    expect({ code, stderr }).toEqual({
      code: 9,
      stderr: expect.stringContaining(`the key ${keys['bayo']} of approver bayo, who approved the plan, is unknown`),
    });
    expect(team.service.sent).toEqual([]);
  });

  const forgeries: readonly (readonly [string, (plan: Plan) => Plan])[] = [
    ['it is of another plan', ({ content, ...rest }) => rehashed({ ...rest, content: { ...content, id: 'another' } })],
    ['its time was changed', (plan) => withLast(plan, { signedAt: '2026-01-05T08:00:00.000Z' })],
    ['its name was changed', (plan) => withLast(plan, { approver: 'ada' })],
    ['its role was changed', (plan) => withLast(plan, { role: 'author' })],
    ['it is there twice', (plan) => ({ ...plan, signatures: [...plan.signatures, ...plan.signatures.slice(-1)] })],
    [
      'it is the author’s as a signer',
      (plan) => ({ ...plan, signatures: plan.signatures.map((each) => ({ ...each, role: 'signer' })) }),
    ],
  ];
  const withLast = (plan: Plan, change: object): Plan => ({
    ...plan,
    signatures: plan.signatures.map((each, at) => (at === 1 ? { ...each, ...change } : each)),
  });

  test.each(forgeries)('%s', async (_what, forge) => {
    const path = await plan(team, 'ada');
    await sign('bayo', path);
    const { code, stderr } = await apply(rewrite(path, forge));
    expect({ code, stderr }).toEqual({
      code: 9,
      stderr: expect.stringMatching(/the signature of approver (ada|bayo) on the plan is invalid/),
    });
    expect(team.service.sent).toEqual([]);
  });

  test('the approver was removed', async () => {
    const path = await plan(team, 'ada');
    await agreeOn(team, 'bayo', 'ada', ['remove', 'ada']);
    expect((await apply(path)).code).toBe(9);
  });
});

describe('above an amount', () => {
  beforeEach(async () => {
    await approvalThresholds('49999 CNGN');
  });

  test('a sweep needs a signature for its sum, although each withdrawal stays below', async () => {
    await approvalThresholds('150000 CNGN');
    team.service.instead['/getaccumulatedfees'] = success({
      summary: { availableForWithdrawal: 25_000_000 },
      details: { minimumWithdrawal: 1_000, maximumWithdrawal: 10_000_000 },
    });
    const to = ['--bank-code', '000013', '--account-number', '0123456789', '--account-name', 'ADA'];
    const { code, stderr } = await team.run('ada', ['fees', 'withdraw', '--amount', 'all', ...to, '--yes']);
    expect({ code, stderr }).toEqual({
      code: 9,
      stderr: expect.stringContaining(
        'requires another approver’s approval for more than 150,000.00 cNGN; nothing was sent',
      ),
    });
  });

  /** Applies a plan, which must be refused for want of a signature. */
  async function isUnsigned(path: string): Promise<void> {
    const { code, stderr } = await apply(path);
    expect({ code, stderr }).toEqual({
      code: 9,
      stderr: expect.stringContaining('requires another approver’s approval for more than 49,999.00 cNGN'),
    });
    expect(team.service.sent).toEqual([]);
  }

  test('a command is rejected, and a plan that a second person approved is not', async () => {
    const { code, stderr } = await team.run('ada', [...PAYOUT, '--yes']);
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('write a plan with --plan,') });
    const path = await plan(team, 'ada');
    expect(contentOf(path).plan.rules).toEqual(['a second person must approve more than 49,999.00 cNGN']);
    await isUnsigned(path);
    await sign('bayo', path);
    expect((await apply(path, 'ada')).code).toBe(0);
    expect(team.service.sent).toHaveLength(1);
  });

  test('a plan whose author had no key is rejected, whoever signed it', async () => {
    const path = await plan(team, 'chidi');
    await sign('bayo', path);
    const { code, stderr } = await apply(path);
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('had no approver key') });
  });

  test('a signer does not stand in for an author without a key', async () => {
    const path = await plan(team, 'chidi');
    const key = readFileSync(team.file('ada/config/secrets/main.approver-key'), 'utf8').trim();
    const ada = { name: 'ada', publicKey: keys['ada'] ?? '', privateKey: new Secret(key) };
    const { plan: content, hash } = contentOf(path);
    const asAuthor = await withSignature({ content, hash, signatures: [] }, ada, 'author', team.clock.now());
    const claimed = rewrite(path, () => asAuthor);
    const { code, stderr } = await apply(claimed);
    expect({ code, stderr }).toEqual({
      code: 9,
      stderr: expect.stringContaining('of approver ada on the plan is'),
    });
  });

  test('a plan that only claims its author is rejected', async () => {
    const path = await plan(team, 'chidi');
    const claimed = rewrite(path, ({ content, ...rest }) => {
      const author = { ...content.author, user: 'ada', approver: { name: 'ada', publicKey: keys['ada'] ?? '' } };
      return rehashed({ ...rest, content: { ...content, author } });
    });
    await sign('bayo', claimed);
    const { code, stderr } = await apply(claimed);
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('had no approver key') });
  });

  test('the author’s own signature does not count as the second one', async () => {
    const path = await plan(team, 'ada');
    const twice = rewrite(path, (plan) => ({ ...plan, signatures: [...plan.signatures, ...plan.signatures] }));
    expect((await apply(twice)).code).toBe(9);
    expect(team.service.sent).toEqual([]);
  });

  test.each([
    [['payout', 'create', '--amount', '49999', '--to', 'bank-1'], 0],
    [['payout', 'create', '--amount', '49999.000001', '--to', 'bank-1'], 9],
    [['api', 'POST', '/initiateofframp', '-f', 'amount=49999000001', '-f', 'bankAccountId=bank-1'], 9],
    [['api', 'POST', '/initiateofframp', '-f', 'amount=1.5', '-f', 'bankAccountId=bank-1'], 9],
    [['fx', 'trade', '--quote', 'quote-1'], 9],
    [['fx', 'orders', 'update', 'order-1', '--price', '1'], 9],
    [['swaps', 'create', '--wallet', '0x52908400098527886E0F7030069857D2E4169EE7', '--sell', 'CNGN'], 9],
  ])('%j exits with %i', async (argv, exit) => {
    expect((await team.run('bayo', [...argv, '--yes'])).code).toBe(exit);
    expect(team.service.sent).toHaveLength(exit === 0 ? 1 : 0);
  });

  test('an amount of 0 means every amount', async () => {
    await approvalThresholds('0 CNGN');
    const { code } = await team.run('bayo', ['payout', 'create', '--amount', '0.000001', '--to', 'bank-1', '--yes']);
    expect({ code, sent: team.service.sent }).toEqual({ code: 9, sent: [] });
  });

  test('an order can be paused by anyone', async () => {
    team.service.instead['/fx/limit-order/update'] = refusal(404, '02', 'no such order');
    const { code } = await team.run('bayo', ['fx', 'orders', 'pause', 'order-1', '--yes']);
    expect(code).toBe(3);
  });

  test('a request of fiatrail api can be planned too', async () => {
    const path = team.file('api.json');
    const argv = ['api', 'POST', '/initiateofframp', '-d', '{"amount":50000000000,"bankAccountId":"bank-1"}'];
    expect((await team.run('ada', [...argv, '--plan', path])).code).toBe(0);
    await isUnsigned(path);
    await sign('bayo', path);
    expect((await apply(path)).code).toBe(0);
    expect((await apply(path)).code).toBe(0);
    expect(team.service.sent.map(({ body }) => body)).toEqual(['{"amount":50000000000,"bankAccountId":"bank-1"}']);
  });

  test.each([
    [['api', 'POST', '/initiateofframp', '-d', '-'], 'needs the data on the command line'],
    [['api', 'POST', '/initiateofframp', '-d', '@file'], 'needs the data on the command line'],
    [['api', 'GET', '/getfees'], 'does not take --plan'],
    [['api', 'POST', '/initiateofframp', '-f', 'amount=1', '-f', 'privateKey=abc'], 'contains a secret'],
  ])('%j cannot be planned', async (argv, message) => {
    const { code, stderr } = await team.run('ada', [...argv, '--plan', team.file('api.json')]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
