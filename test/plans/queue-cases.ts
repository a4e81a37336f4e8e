import { describe, expect, test } from 'vitest';
import { agreeOn, exchangeKeys, joinTeam, PAYOUT, type Ran, type Team } from './support.ts';

/** What the queue of plans does, whichever engine has the journal. */

interface Engine {
  open(): Team;
  /** Lets an hour pass by the clock that decides. */
  passAnHour(team: Team): Promise<void>;
  /** Runs SQL on the journal behind its back, without its triggers. */
  edit(team: Team, sql: string): Promise<void>;
  /** A plan that expires before that hour is over. */
  readonly brief: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was printed
type Json = any;

const jsonOf = ({ stdout }: Ran): Json => JSON.parse(stdout);
const codeOf = ({ stderr }: Ran) => /"code": *"(\w+)"/.exec(stderr)?.[1] ?? '';
const endOf = (ran: Ran) => [ran.code, codeOf(ran)];

/** Ada and Bayo are approvers of a live account, and a payout above 49,999 cNGN needs both. Chidi has no key. */
async function opened({ open }: Engine): Promise<Team> {
  const team = open();
  await joinTeam(team, 'ada', 'bayo', 'chidi');
  await exchangeKeys(team, 'ada', 'bayo');
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 49999']);
  return team;
}

/** Writes a plan into the journal, and returns its id. */
async function queued(team: Team, person: string, ...more: readonly string[]): Promise<string> {
  const ran = await team.run(person, [...PAYOUT, '--plan', '-o', 'json', ...more]);
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
const shown = async (team: Team, id: string, person = 'ada') => jsonOf(await team.run(person, json('plans', 'show', id)));
const listed = async (team: Team, person: string, ...more: readonly string[]) =>
  jsonOf(await team.run(person, json('plans', 'list', ...more))).plans;
const statusOf = async (team: Team, id: string) => (await shown(team, id)).status;

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

    test('200 applies of one plan, from two hosts, are one', async () => {
      const team = await start();
      const id = await queued(team, 'ada');
      await approve(team, 'bayo', id);
      const all = Array.from({ length: 200 }, (_, index) => apply(team, index % 2 ? 'ada' : 'bayo', id));
      const codes = new Set((await Promise.all(all)).map(({ code }) => code));
      expect([...codes]).toEqual([0]);
      expect(team.service.sent).toHaveLength(1);
      expect((await shown(team, id)).history.map(({ act }: Json) => act)).toEqual(['approved', 'applied']);
    });

  });
}

export { apply, approve, type Engine, endOf, json, jsonOf, listed, opened, queued, reject, shown, statusOf, withdraw };
