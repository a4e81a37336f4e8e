import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { quotedText } from '../../src/engine/plans/plan.ts';
import { authorityOf } from '../../src/engine/sending/send.ts';
import { refusal } from '../support/exchange.ts';
import {
  contentOf,
  exchangeKeys,
  joinTeam,
  listOf,
  openTeamAfter,
  plan,
  rehashed,
  rewritten,
  type Team,
  yes,
} from './support.ts';

let team: Team;
let keys: Record<string, string>;
const twoWithKeys = async (all: Team) => {
  await joinTeam(all, 'ada', 'bayo');
  return exchangeKeys(all, 'ada', 'bayo');
};
beforeEach(async () => {
  ({ team, made: keys } = await openTeamAfter(twoWithKeys));
});

const sign = (path: string) => team.run('bayo', ['plans', 'approve', path], { answers: [yes('Approve the plan')] });

/** Writes a plan without a signature as its author could, with other words of theirs. */
const claimed = async (change: object) =>
  rewritten(team, await plan(team, 'ada'), ({ content }) =>
    rehashed({ content: { ...content, ...change } as typeof content, hash: '', signatures: [] }),
  );

const isRefused = async (path: string, exit: number, message: string) => {
  const before = readFileSync(path);
  const { code, stderr } = await team.run('bayo', ['plans', 'approve', path], { isTerminal: true });
  expect({ code, stderr }).toEqual({ code: exit, stderr: expect.stringContaining(message) });
  expect(readFileSync(path).equals(before)).toBe(true);
};

describe('plans approve', () => {
  test('prints its own reads, and the author’s words apart from them', async () => {
    const path = await claimed({
      balance: { text: '9,000,000.00 cNGN before', asset: 'CNGN', beforeMinor: '1', afterMinor: null },
      rules: ['max-per-day CNGN 1'],
    });
    const { code, stderr } = await sign(path);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/^ +balance +500,000\.00 cNGN before, 449,925\.00 cNGN after$/m);
    expect(stderr).toMatch(/^ +the author says +balance then: 9,000,000\.00 cNGN before$/m);
    expect(stderr).toMatch(/^ +the author says +rule met there: max-per-day CNGN 1$/m);
    expect(stderr).toMatch(/^ +rule met here +none$/m);
  });

  test('prints the rules that the plan meets here', async () => {
    await team.run('bayo', ['profiles', 'rules', 'set', '--max-per-day', 'CNGN 80000'], { answers: [yes('rules')] });
    const { stderr } = await sign(await plan(team, 'ada'));
    expect(stderr).toMatch(/^ +rule met here +max-per-day CNGN 80000$/m);
  });

  test('prints the amount, the asset, the destination with its holder, the fees, and what applying it twice would do', async () => {
    const { stderr } = await sign(await plan(team, 'ada'));
    for (const line of [
      /^ +amount +50,000\.00 cNGN \(50,000,000,000 base units\)/m,
      /^ +destination +bank account bank-1$/m,
      /^ +account +ADA OBI, 012 345 6789 at GTB$/m,
      /^ +fees +₦75\.00 to the platform$/m,
      /^ +exact amount +50000\.000000 CNGN, 50000000000 in its smallest unit$/m,
    ])
      expect(stderr).toMatch(line);
    const twice = stderr.replace(/\n {4,}/g, ' ');
    expect(twice).toMatch(
      /^ +applied twice +this profile says that plans are applied on this machine alone; with another machine’s journal, it sends 50000\.000000 CNGN again: nothing in the service’s lists/m,
    );
  });

  test('refuses a plan that breaks a rule here', async () => {
    await team.run('bayo', ['profiles', 'rules', 'set', '--max-per-day', 'CNGN 8'], { answers: [yes('rules')] });
    await isRefused(await plan(team, 'ada'), 9, 'rule max-per-day of profile main');
  });

  test.each<[string, object, (team: Team) => void]>([
    ['the fee is another one', {}, ({ service }) => (service.feeKobo = 9_900)],
    ['the destination has another name', {}, ({ service }) => (service.accountName = 'EVE OBI')],
    ['the balance no longer covers it', {}, ({ service }) => (service.balance = '1.000000')],
    ['the author wrote another name', { previews: [['to', 'ADA OBI']] }, () => {}],
    ['the author wrote another summary', { summary: 'pay 5 cNGN' }, () => {}],
    ['the author wrote another amount', { amounts: [] }, () => {}],
  ])('refuses a plan if %s', async (_what, change, set) => {
    const path = await claimed(change);
    set(team);
    await isRefused(path, 9, 'the plan no longer holds');
  });

  test('refuses a plan that it cannot compare with the account', async () => {
    const path = await plan(team, 'ada');
    team.service.instead['/balance/multi'] = refusal(503, '99', 'down');
    const { code, stderr } = await team.run('bayo', ['plans', 'approve', path], { isTerminal: true });
    expect(stderr).toContain('the plan could not be compared with the account, so it was not approved');
    expect([code === 0, contentOf(path).signatures.length]).toEqual([false, 1]);
  });

  test.each([
    ['2020-13-01T00:00:00.000Z', 'has a time that does not exist: 2020-13-01'],
    ['2026-02-30T00:00:00.000Z', 'has a time that does not exist: 2026-02-30'],
    ['2099-01-01T00:00:00.000Z', 'expected at most 30 days later'],
  ])('refuses a plan that expires on %s', async (expiresAt, message) => {
    await isRefused(await claimed({ expiresAt }), 9, message);
  });

  test('escapes and cuts what the author says', async () => {
    const user = `ada\u200b\u00ad\u{e0041}\u001b[31m\napproved by  bayo${'x'.repeat(400)}`;
    const path = await claimed({ author: { user, host: 'h', approver: null } });
    const { stderr } = await sign(path);
    expect(stderr).toContain('ada\\u{200b}\\u{ad}\\u{e0041}\\u{1b}[31m\\u{a}approved by  bayoxxx');
    expect(stderr).not.toContain('x'.repeat(200));
    expect(stderr).not.toMatch(/^ *approved by +bayo/m);
  });
});

test('a long text is cut, and says how long it was', () => {
  expect(quotedText('x'.repeat(201))).toBe(`${'x'.repeat(200)}… (cut; 201 characters)`);
  expect(quotedText('x'.repeat(200))).toBe('x'.repeat(200));
});

test('the authority of an operation names the plan, its author and who approved, by the fingerprint of the key', async () => {
  const path = await plan(team, 'ada');
  await sign(path);
  const { plan: content, hash, signatures } = contentOf(path);
  const { signaturesOf } = await import('../../src/engine/plans/signatures.ts');
  const approvers = Object.entries(keys).map(([name, publicKey]) => ({
    name,
    publicKey,
    addedAt: '',
    addedBy: { user: name, host: 'host-1', approver: null },
  }));
  const read = { content, hash, signatures };
  const signed = await signaturesOf(read, { list: listOf(approvers), isShared: true });
  const typed = { words: [], input: {}, commandLine: '' };
  expect(await authorityOf({ kind: 'apply', plan: read, typed, signed })).toEqual({
    plan: hash,
    author: { user: 'ada', host: 'host-1', approver: 'ada' },
    signers: [
      {
        name: 'ada',
        role: 'author',
        keyFingerprint: expect.stringMatching(/^SHA256:.{43}$/),
        signedAt: signatures[0].signedAt,
      },
      {
        name: 'bayo',
        role: 'signer',
        keyFingerprint: expect.stringMatching(/^SHA256:.{43}$/),
        signedAt: signatures[1].signedAt,
      },
    ],
  });
});
