import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { signingPairOf } from '../../src/crypto/signing.ts';
import { decisionOf, queuedPlan, requireDecided } from '../../src/engine/plans/acts.ts';
import type { Journal } from '../../src/journal/interface.ts';
import { success } from '../support/exchange.ts';
import { agreeOn, exchangeKeys, joinTeam, PAYOUT, plan, type Ran, rehashed, rewritten, type Team } from './support.ts';

/** What the queue of plans does, whichever engine has the journal. */

interface Engine {
  /** Opens a team as a beginning leaves it. */
  open(beginning: (team: Team) => Promise<void>): Promise<Team>;
  /** Lets an hour pass by the clock that decides. */
  passAnHour(team: Team): Promise<void>;
  /** Runs SQL on the journal behind its back, without its triggers. */
  edit(team: Team, sql: string): void;
  /** The table of the rows of files, as SQL names it. */
  readonly rowTable: string;
  /** Opens the journal as another program. */
  journal(team: Team): Promise<Journal>;
  /** How many commands the journal takes at the same instant. */
  readonly atOnce: number;
  /** A plan that expires before that hour is over. */
  readonly brief: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was printed
type Json = any;

const jsonOf = ({ stdout }: Ran): Json => JSON.parse(stdout);
const codeOf = ({ stderr }: Ran) => /"code": *"(\w+)"/.exec(stderr)?.[1] ?? '';
const endOf = (ran: Ran) => [ran.code, codeOf(ran)];

/** Ada and Bayo are approvers of a live account, and a payout above 49,999 cNGN needs both. Chidi has no key. */
async function twoApprovers(team: Team): Promise<void> {
  await joinTeam(team, 'ada', 'bayo', 'chidi');
  await exchangeKeys(team, 'ada', 'bayo');
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 49999']);
}

const opened = ({ open }: Engine): Promise<Team> => open(twoApprovers);

/** Writes a plan into the journal, and returns its id. */
async function queued(team: Team, person: string, ...more: readonly string[]): Promise<string> {
  const payout = more.includes('--amount') ? PAYOUT.filter((_, index) => index !== 2 && index !== 3) : PAYOUT;
  const ran = await team.run(person, [...payout, '--plan', '-o', 'json', ...more]);
  expect(ran.code, ran.stderr).toBe(0);
  return jsonOf(ran).plan;
}

const agreeing = { agrees: true, isTerminal: true } as const;
const json = (...argv: readonly string[]) => [...argv, '-o', 'json'];
const approve = (team: Team, person: string, id: string, host?: string) =>
  team.run(person, json('plans', 'approve', id), { ...agreeing, ...(host ? { host } : {}) });
const apply = (team: Team, person: string, id: string, ...more: readonly string[]) =>
  team.run(person, json('plans', 'apply', id, '--yes', ...more));
const reject = (team: Team, person: string, id: string) =>
  team.run(person, json('plans', 'reject', id, '--reason', 'wrong supplier'));
const withdraw = (team: Team, person: string, id: string) =>
  team.run(person, json('plans', 'withdraw', id, '--reason', 'paid by hand'));
const shown = async (team: Team, id: string, person = 'ada') =>
  jsonOf(await team.run(person, json('plans', 'show', id)));
const listed = async (team: Team, person: string, ...more: readonly string[]) =>
  jsonOf(await team.run(person, json('plans', 'list', ...more))).plans;
const statusOf = async (team: Team, id: string) => (await shown(team, id)).status;

/** Records something about a plan as a program could that has the journal, with a chain that fits. */
async function forged(engine: Engine, team: Team, id: string, entry: object): Promise<void> {
  const journal = await engine.journal(team);
  const { length } = await journal.plans.entriesOf(id);
  expect(await journal.plans.add(id, JSON.stringify(entry), length)).toBe(true);
}

const by = (person: string, publicKey?: string) => ({
  user: person,
  host: 'host-1',
  approver: publicKey === undefined ? null : { name: person, publicKey },
});
const AT = '2026-01-05T09:00:00.000Z';
const FALSE = 'ab'.repeat(64);
const actOf = (act: string, who: object, signature: string | null, reason: string | null = 'no') => ({
  act,
  by: who,
  at: AT,
  reason: act === 'approved' ? null : reason,
  signature,
  operationId: null,
});

const reversed = (act: object) => Object.fromEntries(Object.entries(act).toReversed());

/** The service says no. */
const REFUSED = {
  status: 400,
  headers: {},
  body: JSON.stringify({ status: 'error', responseCode: '02', message: 'amount is above the limit' }),
};

export const APPLIES = Number(process.env['FIATRAIL_SOAK_APPLIES'] ?? 8);

export function queueCases(name: string, engine: Engine): void {
  const start = () => opened(engine);

  describe(`plans in ${name}`, () => {
    test('a plan waits, is approved by a second person, and is applied once', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      expect(await listed(team, 'ada')).toMatchObject([{ plan: id, status: 'waiting', waitsForYou: false }]);
      expect(await listed(team, 'bayo')).toMatchObject([{ plan: id, status: 'waiting', waitsForYou: true }]);
      expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'APPROVAL_REQUIRED']);
      expect((await approve(team, 'bayo', id)).code).toBe(0);
      expect(await listed(team, 'bayo')).toMatchObject([{ plan: id, status: 'approved', waitsForYou: false }]);
      const first = await apply(team, 'ada', id);
      expect(first.code, first.stderr).toBe(0);
      expect((await apply(team, 'bayo', id)).code).toBe(0);
      expect(team.service.sent).toHaveLength(1);
      const { status, history, operations, signatures } = await shown(team, id);
      expect({ status, acts: history.map(({ act }: Json) => act) }).toEqual({
        status: 'applied',
        acts: ['approved', 'applied'],
      });
      expect(history[1].operationId).toBe(operations[0].operationId);
      expect(signatures.map(({ role, approver }: Json) => [role, approver])).toEqual([
        ['author', 'ada'],
        ['signer', 'bayo'],
      ]);
      expect(await listed(team, 'ada', '--status', 'applied')).toHaveLength(1);
      expect(await listed(team, 'ada', '--status', 'waiting')).toEqual([]);
    });

    test('an author does not approve, and neither does somebody without a key', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      expect(endOf(await approve(team, 'ada', id))).toEqual([9, 'APPROVED_BY_AUTHOR']);
      expect(endOf(await approve(team, 'chidi', id))).toEqual([2, 'NO_APPROVER_KEY']);
      expect((await approve(team, 'bayo', id)).code).toBe(0);
      expect(endOf(await approve(team, 'bayo', id))).toEqual([9, 'APPROVED_BEFORE']);
      expect((await shown(team, id)).history).toHaveLength(1);
    });

    test('a rejection ends a plan for good, also one that was approved, and says who and why', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      await approve(team, 'bayo', id);
      expect(endOf(await reject(team, 'ada', id))).toEqual([9, 'REJECTED_BY_AUTHOR']);
      expect(endOf(await reject(team, 'chidi', id))).toEqual([2, 'NO_APPROVER_KEY']);
      expect((await reject(team, 'bayo', id)).code).toBe(0);
      for (const ended of [apply(team, 'ada', id), approve(team, 'bayo', id), reject(team, 'bayo', id)])
        expect(endOf(await ended)).toEqual([9, 'PLAN_REJECTED']);
      expect(team.service.sent).toEqual([]);
      const { status, history } = await shown(team, id);
      expect({ status, last: history.at(-1) }).toMatchObject({
        status: 'rejected',
        last: { act: 'rejected', by: 'bayo, bayo on host-1', reason: 'wrong supplier' },
      });
    });

    test('a plan is withdrawn by its author alone', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      expect(endOf(await withdraw(team, 'bayo', id))).toEqual([9, 'WITHDRAWN_BY_OTHER']);
      expect(endOf(await withdraw(team, 'chidi', id))).toEqual([9, 'WITHDRAWN_BY_OTHER']);
      expect((await withdraw(team, 'ada', id)).code).toBe(0);
      expect(endOf(await approve(team, 'bayo', id))).toEqual([9, 'PLAN_WITHDRAWN']);
      expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'PLAN_WITHDRAWN']);
      expect(await statusOf(team, id)).toBe('withdrawn');
      const own = await queued(team, 'chidi');
      expect((await withdraw(team, 'chidi', own)).code).toBe(0);
      expect(await statusOf(team, own)).toBe('withdrawn');
    });

    test.each([['reject'], ['withdraw']])('plans %s needs a reason', async (verb) => {
      const team = await start();
      const id = await queued(team, 'ada');
      const person = verb === 'reject' ? 'bayo' : 'ada';
      expect((await team.run(person, ['plans', verb, id])).code).toBe(2);
      expect((await team.run(person, ['plans', verb, id, '--reason', '  '])).code).toBe(2);
      expect((await team.run(person, ['plans', verb, id, '--reason', 'x'.repeat(501)])).code).toBe(2);
      expect(await statusOf(team, id)).toBe('waiting');
    });

    test('an expired plan is not approved, rejected or applied', async () => {
      const team = await start();
      const approved = await queued(team, 'ada', '--plan-expires', engine.brief);
      const waiting = await queued(team, 'bayo', '--plan-expires', engine.brief);
      await engine.passAnHour(team);
      expect(await statusOf(team, approved)).toBe('expired');
      expect(endOf(await approve(team, 'ada', waiting))).toEqual([9, 'PLAN_EXPIRED']);
      expect(endOf(await reject(team, 'ada', waiting))).toEqual([9, 'PLAN_EXPIRED']);
      expect(endOf(await apply(team, 'ada', approved))).toEqual([9, 'PLAN_EXPIRED']);
      expect(endOf(await apply(team, 'ada', approved, '--when-approved'))).toEqual([9, 'PLAN_EXPIRED']);
      expect(team.service.sent).toEqual([]);
    });

    test('the approval of an approver who was removed since does not count, but a rejection stays', async () => {
      const team = await start();
      const [id, other] = [await queued(team, 'ada'), await queued(team, 'ada')];
      await approve(team, 'bayo', id);
      await reject(team, 'bayo', other);
      await agreeOn(team, 'ada', 'bayo', ['remove', 'bayo']);
      expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'APPROVAL_REQUIRED']);
      expect(endOf(await apply(team, 'ada', other))).toEqual([9, 'PLAN_REJECTED']);
      expect([await statusOf(team, id), await statusOf(team, other)]).toEqual(['waiting', 'rejected']);
      expect(team.service.sent).toEqual([]);
    });

    test(`${APPLIES} applies of one plan by two people are one`, async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      await approve(team, 'bayo', id);
      const ends: string[] = [];
      while (ends.length < APPLIES) {
        const some = Array.from({ length: Math.min(engine.atOnce, APPLIES) }, (_, index) =>
          apply(team, index % 2 ? 'ada' : 'bayo', id),
        );
        ends.push(...(await Promise.all(some)).map(({ code, stderr }) => (code === 0 ? 'applied' : stderr)));
      }
      expect([...new Set(ends)]).toEqual(['applied']);
      expect(team.service.sent).toHaveLength(1);
      expect((await shown(team, id)).history.map(({ act }: Json) => act)).toEqual(['approved', 'applied']);
    });

    test('a change of approvers waits in the journal too, and is made once', async () => {
      const team = await start();
      const line = json('profiles', 'approvers', 'remove', 'bayo', '--plan');
      const [id, other] = [jsonOf(await team.run('ada', line)).plan, jsonOf(await team.run('ada', line)).plan];
      expect(endOf(await team.run('ada', json('plans', 'apply', id), agreeing))).toEqual([9, 'APPROVAL_REQUIRED']);
      expect((await reject(team, 'bayo', other)).code).toBe(0);
      expect(endOf(await team.run('ada', json('plans', 'apply', other), agreeing))).toEqual([9, 'PLAN_REJECTED']);
      expect((await approve(team, 'bayo', id)).code).toBe(0);
      const applied = await team.run('ada', json('plans', 'apply', id), agreeing);
      expect(applied.code, applied.stderr).toBe(0);
      const { approvers } = jsonOf(await team.run('ada', json('profiles', 'approvers', 'list')));
      expect(approvers.map((each: Json) => each.name)).toEqual(['ada']);
      expect((await shown(team, id)).status).toBe('applied');
    });

    test('an id after --plan is no file', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      const ran = await team.run('ada', ['withdrawals', 'create', '--plan', id, '--amount', '5']);
      expect({ code: ran.code, stderr: ran.stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining('put --plan at the end of the line'),
      });
    });

    test('a rejection between the last check and the claim keeps the request from leaving', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      await approve(team, 'bayo', id);
      let rejected: Ran | undefined;
      team.service.meanwhile = async (path) => {
        if (path !== '/payouts' || rejected) return;
        rejected = await reject(team, 'bayo', id);
      };
      expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'PLAN_CLOSED']);
      expect(rejected?.code).toBe(0);
      expect(team.service.sent).toEqual([]);
      expect(await statusOf(team, id)).toBe('rejected');
    });

    test('a rejection after the claim is refused, and so is a withdrawal', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      await approve(team, 'bayo', id);
      const late: unknown[] = [];
      team.service.meanwhile = async (path) => {
        if (path !== '/initiateofframp') return;
        late.push(endOf(await reject(team, 'bayo', id)), endOf(await withdraw(team, 'ada', id)));
      };
      expect((await apply(team, 'ada', id)).code).toBe(0);
      expect(late).toEqual([
        [9, 'PLAN_APPLIED'],
        [9, 'PLAN_APPLIED'],
      ]);
      expect(await statusOf(team, id)).toBe('applied');
    });

    test('a plan whose request the service rejected was not applied, and can be rejected or applied again', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      await approve(team, 'bayo', id);
      team.service.payout = () => REFUSED;
      expect((await apply(team, 'ada', id)).code).toBe(3);
      expect(await statusOf(team, id)).toBe('approved');
      expect((await reject(team, 'bayo', id)).code).toBe(0);
      expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'PLAN_REJECTED']);
    });

    test.each([
      ['a rejection with a false signature', (key: string) => actOf('rejected', by('bayo', key), FALSE)],
      ['a rejection by somebody without a key', () => actOf('rejected', by('bayo'), null)],
      ['a rejection without a signature', (key: string) => actOf('rejected', by('bayo', key), null)],
      ['a withdrawal by somebody else', () => actOf('withdrawn', by('bayo'), null)],
      ['a withdrawal with the user of an author who has a key', () => actOf('withdrawn', by('ada'), null)],
      ['a withdrawal without a signature', (_: string, ada: string) => actOf('withdrawn', by('ada', ada), null)],
      ['a withdrawal with a false signature', (_: string, ada: string) => actOf('withdrawn', by('ada', ada), FALSE)],
      ['an approval with a false signature', (key: string) => actOf('approved', by('bayo', key), FALSE)],
    ])('%s does not count, and stops the plan', async (_what, act) => {
      const team = await start();
      const id = await queued(team, 'ada');
      const { approvers } = jsonOf(await team.run('ada', json('profiles', 'approvers', 'list')));
      const keyOf = (person: string) => approvers.find((each: Json) => each.name === person).publicKey;
      await forged(engine, team, id, act(keyOf('bayo'), keyOf('ada')));
      for (const ended of [apply(team, 'ada', id), approve(team, 'bayo', id)])
        expect(endOf(await ended)).toEqual([9, 'BAD_SIGNATURE']);
      expect(await listed(team, 'bayo')).toMatchObject([
        { status: 'waiting', waitsForYou: false, problem: expect.stringContaining('is invalid') },
      ]);
      expect(team.service.sent).toEqual([]);
    });

    test('a decision is that of one plan, one act and one reason', async () => {
      const team = await start();
      const [id, other] = [await queued(team, 'ada'), await queued(team, 'bayo')];
      const [mine, third] = [await queued(team, 'ada'), await queued(team, 'bayo', '--amount', '51000')];
      await reject(team, 'bayo', id);
      await withdraw(team, 'ada', mine);
      const journal = await engine.journal(team);
      const lastOf = async (plan: string) => JSON.parse((await journal.plans.entriesOf(plan)).at(-1) ?? '');
      const [rejected, withdrawn] = [await lastOf(id), await lastOf(mine)];
      const acts: readonly (readonly [string, object])[] = [
        // Bayo’s rejection of another plan, on one of his own, and on one of Ada’s.
        [other, rejected],
        [await queued(team, 'ada'), rejected],
        [await queued(team, 'ada'), withdrawn],
        [third, { ...rejected, reason: 'right supplier' }],
      ];
      for (const [plan, act] of acts) {
        await forged(engine, team, plan, act);
        expect(endOf(await apply(team, 'ada', plan))).toEqual([9, 'BAD_SIGNATURE']);
      }
    });

    test.each([
      ['reason', { reason: 'right supplier' }],
      ['time', { at: '2026-01-05T08:00:00.000Z' }],
      ['act', { act: 'rejected' }],
      ['person', { by: by('chidi') }],
    ])('the signature of a decision covers its %s', async (_what, changed) => {
      const team = await start();
      const id = await queued(team, 'ada');
      await withdraw(team, 'ada', id);
      const journal = await engine.journal(team);
      const [written = '', withdrawn = ''] = await journal.plans.entriesOf(id);
      const { plan } = queuedPlan(id, [written]);
      const act = JSON.parse(withdrawn);
      await requireDecided(plan, act);
      const other = { ...act, ...changed, ...('by' in changed ? { by: { ...act.by, user: 'chidi' } } : {}) };
      await expect(requireDecided(plan, other)).rejects.toMatchObject({ code: 'BAD_SIGNATURE' });
    });

    test('only the user and host of an author without a key withdraw without one, and no other key does', async () => {
      const team = await start();
      const [id, own] = [await queued(team, 'chidi'), await queued(team, 'ada')];
      await forged(engine, team, id, actOf('withdrawn', by('bayo'), null));
      expect(endOf(await apply(team, 'chidi', id))).toEqual([9, 'BAD_SIGNATURE']);
      // Bayo withdraws Ada’s plan with his own signature.
      const { plan } = queuedPlan(own, await (await engine.journal(team)).plans.entriesOf(own));
      const key = new Secret(readFileSync(team.file('bayo/config/secrets/main.approver-key'), 'utf8').trim());
      const { publicKey } = await signingPairOf(key);
      const bayo = { name: 'bayo', publicKey, privateKey: key };
      const nowMs = team.clock.now();
      const act = await decisionOf(plan, 'withdrawn', { by: by('bayo', publicKey), own: bayo, reason: 'no', nowMs });
      await forged(engine, team, own, act);
      expect(endOf(await apply(team, 'ada', own))).toEqual([9, 'BAD_SIGNATURE']);
    });

    test('an approval that is given while somebody rejects the plan is refused', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      let rejected: Ran | undefined;
      team.service.meanwhile = async (path) => {
        if (path !== '/getbankaccounts' || rejected) return;
        rejected = await reject(team, 'bayo', id);
      };
      expect(endOf(await approve(team, 'bayo', id))).toEqual([9, 'PLAN_REJECTED']);
      expect((await shown(team, id)).history).toHaveLength(1);
    });

    test('of many decisions at once, one counts', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      const all = [1, 2, 3, 4].flatMap(() => [reject(team, 'bayo', id), withdraw(team, 'ada', id)]);
      const ends = (await Promise.all(all)).map(({ code }) => code);
      expect(ends.filter((code) => code === 0)).toHaveLength(1);
      expect((await shown(team, id)).history).toHaveLength(1);
    });

    test('a file whose plan the journal has is rejected with it', async () => {
      const team = await start();
      const path = await plan(team, 'ada');
      const text = readFileSync(path, 'utf8');
      const { id } = JSON.parse(text).plan;
      expect(await (await engine.journal(team)).plans.add(id, text, 0)).toBe(true);
      await approve(team, 'bayo', path);
      expect((await reject(team, 'bayo', id)).code).toBe(0);
      expect(endOf(await apply(team, 'ada', path))).toEqual([9, 'PLAN_REJECTED']);
      expect(endOf(await reject(team, 'bayo', path))).toEqual([2, 'USAGE']);
      const { expiresAt } = JSON.parse(text).plan;
      const later = expiresAt.replace(/T../, 'T08');
      const other = rewritten(team, path, ({ content, ...rest }) =>
        rehashed({ ...rest, content: { ...content, expiresAt: later } }),
      );
      expect(endOf(await apply(team, 'ada', other))).toEqual([2, 'PLAN_ALTERED']);
      expect(team.service.sent).toEqual([]);
    });

    test.each([
      ['something that is no act', { act: 'approved' }],
      ['a field more', { ...actOf('applied', by('ada'), null), more: 1 }],
      ['its fields in another order', reversed(actOf('applied', by('ada'), null))],
    ])('an entry of a plan that is %s stops the plan', async (_what, entry) => {
      const team = await start();
      const id = await queued(team, 'ada');
      await forged(engine, team, id, entry);
      for (const ended of [apply(team, 'ada', id), approve(team, 'bayo', id), withdraw(team, 'ada', id)])
        expect(endOf(await ended)).toEqual([2, 'PLAN_ALTERED']);
      expect(team.service.sent).toEqual([]);
    });

    test.each<[string, string, boolean?]>([
      ['the text of an entry', `UPDATE TABLE SET value = replace(value, '50000', '90000') WHERE subject LIKE 'plan %'`],
      ['who is approved', `UPDATE TABLE SET value = replace(value, 'bayo', 'chidi') WHERE subject LIKE 'plan %'`],
      ['which plan it is about', `UPDATE TABLE SET subject = subject || 'x' WHERE value LIKE '{"act":"rejected"%'`],
      ['a rejection, by deleting it', `DELETE FROM TABLE WHERE value LIKE '{"act":"rejected"%'`],
      ['a rejection that was the last entry', `DELETE FROM TABLE WHERE value LIKE '{"act":"rejected"%'`, true],
    ])('nothing is sent after an edit of %s', async (_what, sql, isLast = false) => {
      const team = await start();
      const id = await queued(team, 'ada');
      await approve(team, 'bayo', id);
      await reject(team, 'bayo', id);
      if (!isLast) await queued(team, 'ada');
      engine.edit(team, sql);
      expect(endOf(await apply(team, 'ada', id))).toEqual([2, isLast ? 'JOURNAL_CUT' : 'JOURNAL_CHANGED']);
      expect(team.service.sent).toEqual([]);
      expect((await team.run('ada', ['ops', 'journal', 'verify'])).code).not.toBe(0);
    });

    test('a plan of another account is not listed, approved or applied', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      const added = [
        'profiles',
        'add',
        'other',
        '--base-url',
        'https://other.test/v1',
        '--mode',
        'live',
        '--key-stdin',
      ];
      await team.run('bayo', added, { stdin: 'another-live-key' });
      const other = (...argv: readonly string[]) => team.run('bayo', json(...argv, '--profile', 'other'), agreeing);
      await other('ops', 'journal', 'verify', '--accept');
      expect(jsonOf(await other('plans', 'list')).plans).toEqual([]);
      expect(endOf(await other('plans', 'approve', id))).toEqual([2, 'OTHER_ACCOUNT']);
      expect(endOf(await other('plans', 'reject', id, '--reason', 'no'))).toEqual([2, 'OTHER_ACCOUNT']);
      expect(endOf(await other('plans', 'apply', id))).toEqual([2, 'OTHER_ACCOUNT']);
      expect(await statusOf(team, id)).toBe('waiting');
    });

    test('an act that names another operation does not say that a plan was applied', async () => {
      const team = await start();
      const [one, other] = [await queued(team, 'ada'), await queued(team, 'ada')];
      await approve(team, 'bayo', one);
      expect((await apply(team, 'ada', one)).code).toBe(0);
      const [{ operationId }] = (await shown(team, one)).operations;
      await forged(engine, team, other, { ...actOf('applied', by('ada'), null, null), operationId });
      expect(await statusOf(team, other)).toBe('waiting');
      expect((await approve(team, 'bayo', other)).code).toBe(0);
    });

    test('a job waits for the approval, and ends if it does not come', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      expect(endOf(await apply(team, 'ada', id, '--when-approved', '1ms'))).toEqual([8, 'PLAN_WAITING']);
      const waiting = apply(team, 'ada', id, '--when-approved', '10m');
      expect((await approve(team, 'bayo', id)).code).toBe(0);
      expect((await waiting).code).toBe(0);
      expect(team.service.sent).toHaveLength(1);
      expect((await apply(team, 'ada', id, '--when-approved')).code).toBe(0);
      const other = await queued(team, 'ada', '--amount', '60000');
      const ending = apply(team, 'ada', other, '--when-approved', '10m');
      await reject(team, 'bayo', other);
      expect(endOf(await ending)).toEqual([9, 'PLAN_REJECTED']);
      expect(team.service.sent).toHaveLength(1);
    });

    test('plans show prints what this machine read, and that a plan no longer holds', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      const of = ({ facts }: Json, label: string) => facts.find((each: Json) => each.label === label)?.value;
      const now = await shown(team, id, 'bayo');
      expect({ holds: now.holds, balance: of(now, 'balance'), fees: of(now, 'fees') }).toEqual({
        holds: true,
        balance: expect.stringContaining('500,000.00'),
        fees: expect.stringContaining('75.00'),
      });
      team.service.feeKobo = 9_900;
      const later = await team.run('bayo', json('plans', 'show', id));
      expect(jsonOf(later)).toMatchObject({ holds: false, status: 'waiting' });
      expect(later.stderr).toContain('the plan no longer holds');
      expect(endOf(await approve(team, 'bayo', id))).toEqual([9, 'PLAN_CHANGED']);
    });

    test('an id can be shortened while it is clear, and an unknown one is said', async () => {
      const team = await start();
      const [id, other] = [await queued(team, 'ada'), await queued(team, 'ada')];
      const common = [...id].findIndex((letter, index) => letter !== other[index]);
      expect(await statusOf(team, id.slice(0, common + 1))).toBe('waiting');
      expect((await team.run('ada', json('plans', 'show', id.slice(0, common)))).stderr).toContain(
        '2 plans begin with',
      );
      expect(endOf(await team.run('ada', json('plans', 'show', 'ffffffff')))).toEqual([2, 'PLAN_NOT_FOUND']);
    });

    test('status counts what waits, and what waits for this approver', async () => {
      const team = await start();
      team.service.instead['/fees/accumulated'] = success({});
      await queued(team, 'ada');
      await approve(team, 'bayo', await queued(team, 'ada'));
      const plansOf = async (person: string) => jsonOf(await team.run(person, json('status'))).plans;
      expect(await plansOf('ada')).toEqual({ waiting: 1, waitingForYou: 0, approved: 1 });
      expect(await plansOf('bayo')).toEqual({ waiting: 1, waitingForYou: 1, approved: 1 });
    });
  });
}

export {
  apply,
  approve,
  type Engine,
  endOf,
  json,
  jsonOf,
  listed,
  opened,
  queued,
  reject,
  shown,
  twoApprovers,
  withdraw,
};
