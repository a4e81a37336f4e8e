import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { queuedPlan, struckRows } from '../../src/engine/plans/acts.ts';
import { signaturesOf } from '../../src/engine/plans/signatures.ts';
import { success } from '../support/exchange.ts';
import {
  APPLIES,
  apply,
  approve,
  type Engine,
  endOf,
  json,
  jsonOf,
  listed,
  reject,
  shown,
  twoApprovers,
  withdraw,
} from './queue-cases.ts';
import { agreeOn, contentOf, listOf, type Team } from './support.ts';

/** What a plan of a file of rows does, whichever engine has the journal. The approval threshold is 49,999 cNGN. */

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was printed
type Json = any;

const SAVED = ['acc-1', 'acc-2', 'acc-3'].map((accountId, at) => ({
  accountId,
  accountName: `SUPPLIER ${at + 1}`,
  accountNumber: `012345678${at}`,
  bankName: at < 2 ? 'GUARANTY TRUST BANK' : 'ZENITH BANK',
  bankCode: at < 2 ? '000013' : '000015',
}));

const COUNT = 8;
const AMOUNT = 7000;

type Row = readonly [reference: string, amount: string, to: string];

/** Small rows, which together are above the threshold. */
const ROWS: readonly Row[] = Array.from({ length: COUNT }, (_, at) => [
  `INV-${at + 1}`,
  String(AMOUNT + at),
  SAVED[at % 3]?.accountId ?? '',
]);

/** Each payout has an id of its own. */
function answering({ service }: Team): void {
  let count = 0;
  const plain = service.payout;
  service.payout = async (request) => {
    const { body } = await plain(request);
    count += 1;
    const requestId = `0198c1f2-5d0e-7cc3-98a1-${String(count).padStart(12, '0')}`;
    return success({ ...JSON.parse(body).data, requestId });
  };
  for (const path of ['/getbankaccounts', '/listbankaccounts']) service.instead[path] = success({ accounts: SAVED });
}

async function start(engine: Engine, beginning = twoApprovers): Promise<Team> {
  const team = await engine.open(beginning);
  answering(team);
  return team;
}

function written(team: Team, rows: readonly Row[] = ROWS, name = 'pay.csv'): string {
  const path = team.file(name);
  writeFileSync(path, `reference,amount,to\n${rows.map((row) => row.join(',')).join('\n')}\n`);
  return path;
}

const words = (path: string, key = 'nov') => ['bulk', 'create', path, '--as', 'payout create', '--once', key];

async function planned(team: Team, person = 'ada', more: readonly string[] = [], rows = ROWS, key = 'nov') {
  const ran = await team.run(person, json(...words(written(team, rows, `${key}.csv`), key), ...more, '--plan'));
  expect(ran.code, ran.stderr).toBe(0);
  return jsonOf(ran).plan as string;
}

/** Makes Chidi the third approver, whom Bayo added. */
async function addChidi(team: Team): Promise<void> {
  const made = team.file('chidi.json');
  await team.run('chidi', ['profiles', 'approvers', 'add', 'chidi', '--generate', '--plan', made]);
  const { publicKey } = contentOf(made).plan.request;
  await agreeOn(team, 'bayo', 'ada', ['add', 'chidi', '--public-key', publicKey]);
}

const agreeing = { agrees: true, isTerminal: true } as const;
const approveWithout = (team: Team, person: string, id: string, ...references: readonly string[]) =>
  team.run(person, json('plans', 'approve', id, ...references.map((each) => `--without=${each}`)), agreeing);
const status = async (team: Team, key = 'nov') => jsonOf(await team.run('ada', json('bulk', 'status', key)));
const resume = (team: Team, person = 'ada') => team.run(person, json('bulk', 'resume', 'nov', '--yes'));
/** The amounts that left, in whole cNGN. */
const sent = ({ service }: Team) =>
  service.sent.map(({ body = '' }) => Number(/"amount":(\d+)/.exec(body)?.[1] ?? '') / 1e6).toSorted();
const amounts = (...leftOut: readonly string[]) =>
  ROWS.filter(([reference]) => !leftOut.includes(reference)).map(([, each]) => Number(each));

const factsOf = (data: Json, label: string): readonly string[] =>
  data.facts.flatMap((each: Json) => (each.label === label ? [each.value] : []));

export function filePlanCases(name: string, engine: Engine): void {
  describe(`plans of files in ${name}`, () => {
    test('small rows that are above the threshold together need an approval, and are sent once', async () => {
      const team = await start(engine);
      const path = written(team);
      expect(endOf(await team.run('ada', json(...words(path), '--yes')))).toEqual([9, 'APPROVAL_REQUIRED']);
      const id = await planned(team);
      expect(await status(team)).toMatchObject({ status: 'planned', plan: id, waiting: COUNT });
      expect(await listed(team, 'bayo')).toMatchObject([{ plan: id, status: 'waiting', waitsForYou: true }]);
      for (const ended of [resume(team), team.run('ada', json(...words(path), '--yes'))])
        expect(endOf(await ended)).toEqual([9, 'FILE_PLANNED']);
      expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'APPROVAL_REQUIRED']);
      expect(endOf(await approve(team, 'ada', id))).toEqual([9, 'APPROVED_BY_AUTHOR']);
      expect(endOf(await approve(team, 'chidi', id))).toEqual([2, 'NO_APPROVER_KEY']);
      expect((await approve(team, 'bayo', id)).code).toBe(0);
      expect(sent(team)).toEqual([]);
      await apply(team, 'ada', id);
      await apply(team, 'bayo', id);
      await team.run('ada', json(...words(path), '--yes'));
      await resume(team);
      expect(sent(team)).toEqual(amounts());
      const { status: now, history, operations } = await shown(team, id);
      expect({ now, acts: history.map(({ act }: Json) => act), count: operations.length }).toEqual({
        now: 'applied',
        acts: ['approved', 'applied'],
        count: COUNT,
      });
      expect(endOf(await reject(team, 'bayo', id))).toEqual([9, 'PLAN_APPLIED']);
      expect(endOf(await withdraw(team, 'ada', id))).toEqual([9, 'PLAN_APPLIED']);
    });

    test('the page of the plan has totals by bank, the largest rows, new payees and the fees', async () => {
      const team = await start(engine);
      const id = await planned(team);
      const page = jsonOf(await team.run('bayo', json('plans', 'show', id)));
      expect(page).toMatchObject({ holds: true, amounts: [{ asset: 'CNGN', value: '56028.000000' }] });
      expect(factsOf(page, 'to')).toEqual([
        'GUARANTY TRUST BANK (000013): 42,021.00 cNGN in 6 rows',
        'ZENITH BANK (000015): 14,007.00 cNGN in 2 rows',
      ]);
      expect(factsOf(page, 'largest')[0]).toBe(
        'INV-8 (line 9): 7,007.00 cNGN to SUPPLIER 2 0123456781 at GUARANTY TRUST BANK (000013)',
      );
      expect(factsOf(page, 'new payees')[0]).toMatch(/^3 of 3: /);
      expect(factsOf(page, 'new payee')).toHaveLength(3);
      expect(factsOf(page, 'fees')).toEqual(['₦600.00 on top']);
      expect(factsOf(page, 'balance')).toEqual(['500,000.00 cNGN before, 443,372.00 cNGN after']);
      expect(factsOf(page, 'rule met here')).toEqual([
        'a second person must approve rows that move more than 49,999.00 cNGN together',
      ]);
    });

    test('rows that an approver struck out are never sent, and the approval says which', async () => {
      const team = await start(engine);
      const id = await planned(team);
      expect(endOf(await approveWithout(team, 'bayo', id, 'INV-99'))).toEqual([2, 'NO_SUCH_ROW']);
      const all = ROWS.map(([reference]) => reference);
      expect(endOf(await approveWithout(team, 'bayo', id, ...all))).toEqual([2, 'NO_SUCH_ROW']);
      expect((await approveWithout(team, 'bayo', id, 'INV-3', 'INV-5')).code).toBe(0);
      await apply(team, 'ada', id);
      await resume(team);
      expect(sent(team)).toEqual(amounts('INV-3', 'INV-5'));
      expect(await status(team)).toMatchObject({ struck: 2, waiting: 0 });
      const { status: now, history } = await shown(team, id);
      expect({ now, without: history[0].without }).toEqual({ now: 'applied-in-part', without: ['INV-3', 'INV-5'] });
      const { rows } = jsonOf(await team.run('ada', json('bulk', 'report', 'nov')));
      expect(rows.filter((each: Json) => each.status === 'struck')).toMatchObject([
        { reference: 'INV-3', reason: 'an approver struck it out' },
        { reference: 'INV-5' },
      ]);
    });

    test('rows that an approver struck out stay so after the approver was removed', async () => {
      const team = await start(engine);
      await addChidi(team);
      const id = await planned(team);
      expect((await approveWithout(team, 'bayo', id, 'INV-3')).code).toBe(0);
      expect((await approve(team, 'chidi', id)).code).toBe(0);
      await agreeOn(team, 'ada', 'chidi', ['remove', 'bayo']);
      await apply(team, 'ada', id);
      expect(sent(team)).toEqual(amounts('INV-3'));
    });

    test('an approver who is removed in the middle stops the rows that were not sent', async () => {
      const team = await start(engine);
      const id = await planned(team);
      await approve(team, 'bayo', id);
      let isRemoved = false;
      team.service.meanwhile = async (path) => {
        if (path !== '/initiateofframp' || isRemoved || team.service.sent.length < 2) return;
        isRemoved = true;
        await agreeOn(team, 'ada', 'bayo', ['remove', 'bayo']);
      };
      expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'APPROVAL_REQUIRED']);
      expect(endOf(await resume(team))).toEqual([9, 'APPROVAL_REQUIRED']);
      expect(sent(team)).toHaveLength(3);
    });

    test('what is sent is what was approved, whatever becomes of the file', async () => {
      const team = await start(engine);
      const id = await planned(team);
      const more: Row = ['INV-9', '9999', 'acc-1'];
      written(team, [...ROWS.toReversed(), more], 'nov.csv');
      await approve(team, 'bayo', id);
      await apply(team, 'ada', id);
      expect(sent(team)).toEqual(amounts());
      const path = team.file('nov.csv');
      expect(endOf(await team.run('ada', json(...words(path), '--yes')))).toEqual([2, 'FILE_KEY_TAKEN']);
      // In another order, they are the same rows.
      written(team, ROWS.toReversed(), 'nov.csv');
      await team.run('ada', json(...words(path), '--yes'));
      expect(sent(team)).toEqual(amounts());
    });

    test.each([
      [
        'a row more',
        `INSERT INTO ROWS SELECT file, ${COUNT + 1}, account, 'INV-9', 10, texts FROM ROWS WHERE number = 1`,
      ],
      ['an amount', `UPDATE ROWS SET texts = replace(texts, '7001', '9001') WHERE number = 2`],
      ['a payee', `UPDATE ROWS SET texts = replace(texts, 'acc-2', 'acc-1') WHERE number = 2`],
      ['the order', 'UPDATE ROWS SET number = 1000 - number'],
    ])('rows that were edited behind its back stop the plan: %s', async (_, sql) => {
      const team = await start(engine);
      const id = await planned(team);
      await approve(team, 'bayo', id);
      engine.edit(team, sql.replaceAll('ROWS', engine.rowTable));
      expect(endOf(await apply(team, 'ada', id))).toEqual([2, 'JOURNAL_CHANGED']);
      expect(sent(team)).toEqual([]);
    });

    test.each<[string, (act: Json) => Json]>([
      ['one row less', (act) => ({ ...act, without: ['INV-3'] })],
      ['another row', (act) => ({ ...act, without: ['INV-3', 'INV-4'] })],
      ['none', ({ without: _, ...act }) => act],
    ])('the rows that an approval strikes out are signed: %s', async (_, changed) => {
      const team = await start(engine);
      const id = await planned(team);
      await approveWithout(team, 'bayo', id, 'INV-3', 'INV-5');
      const [first = '', act = ''] = await (await engine.journal(team)).plans.entriesOf(id);
      const { approvers } = jsonOf(await team.run('ada', json('profiles', 'approvers', 'list')));
      const addedBy = { user: 'someone', host: 'host-1', approver: null };
      const list = listOf(approvers.map((each: Json) => ({ ...each, addedBy: { ...addedBy, user: each.name } })));
      const counts = async (entry: string) => {
        const queued = queuedPlan(id, [first, entry]);
        return [await signaturesOf(queued.plan, { list, isShared: false }), await struckRows(queued)] as const;
      };
      expect(await counts(act)).toMatchObject([
        [{ role: 'author' }, { without: ['INV-3', 'INV-5'] }],
        ['INV-3', 'INV-5'],
      ]);
      const forged = JSON.stringify(changed(JSON.parse(act)));
      await expect(counts(forged)).rejects.toMatchObject({ code: 'BAD_SIGNATURE' });
      const queued = queuedPlan(id, [first, forged]);
      // Also of an approver who was removed.
      if (queued.acts[0]?.without) await expect(struckRows(queued)).rejects.toMatchObject({ code: 'BAD_SIGNATURE' });
    });

    test('a file has one plan, and a key one file', async () => {
      const team = await start(engine);
      const id = await planned(team);
      const path = written(team, ROWS.slice(0, 2), 'other.csv');
      expect(endOf(await team.run('bayo', json(...words(path), '--plan')))).toEqual([2, 'FILE_KEY_TAKEN']);
      // Under another key, its references are those of the first.
      expect(endOf(await team.run('bayo', json(...words(path, 'dec'), '--plan')))).toEqual([2, 'BAD_ROWS']);
      expect((await reject(team, 'bayo', id)).code).toBe(0);
      expect(endOf(await apply(team, 'ada', id))).toEqual([9, 'PLAN_REJECTED']);
      const other = await planned(team, 'ada', [], ROWS, 'dec');
      await approve(team, 'bayo', other);
      await apply(team, 'ada', other);
      expect(sent(team)).toEqual(amounts());
      expect(await status(team)).toMatchObject({ status: 'cancelled', waiting: COUNT });
    });

    test('the references of a plan that was withdrawn or has expired are free, and its rows are never sent', async () => {
      const team = await start(engine);
      const first = await planned(team);
      expect((await withdraw(team, 'ada', first)).code).toBe(0);
      const second = await planned(team, 'ada', ['--plan-expires', engine.brief], ROWS, 'dec');
      await approve(team, 'bayo', second);
      await engine.passAnHour(team);
      expect(endOf(await apply(team, 'ada', second))).toEqual([9, 'PLAN_EXPIRED']);
      const third = await planned(team, 'ada', [], ROWS, 'jan');
      for (const id of [first, second]) expect((await apply(team, 'ada', id)).code).toBe(9);
      await approve(team, 'bayo', third);
      await apply(team, 'ada', third);
      expect(sent(team)).toEqual(amounts());
    });

    test.each([
      ['a rejection', 'FILE_CANCELLED', (team: Team, id: string) => reject(team, 'bayo', id)],
      [
        'an approval that strikes out',
        'PLAN_CLOSED',
        (team: Team, id: string) => approveWithout(team, 'chidi', id, 'INV-3'),
      ],
    ] as const)('%s while someone is asked keeps all rows from leaving', async (_, code, decide) => {
      const team = await start(engine);
      await addChidi(team);
      const id = await planned(team);
      await approve(team, 'bayo', id);
      let decided: unknown;
      const asked = async () => {
        decided = endOf(await decide(team, id));
      };
      expect(endOf(await team.run('ada', json('plans', 'apply', id), { ...agreeing, asked }))).toEqual([9, code]);
      expect(decided).toEqual([0, '']);
      expect(sent(team)).toEqual([]);
    });

    test(`${APPLIES} applies of a file by two people send each row once`, async () => {
      const team = await start(engine);
      const id = await planned(team);
      await approve(team, 'bayo', id);
      const ends: string[] = [];
      while (ends.length < APPLIES) {
        const some = Array.from({ length: Math.min(engine.atOnce, APPLIES) }, (_, at) =>
          apply(team, at % 2 ? 'ada' : 'bayo', id, '--wait', '1ms'),
        );
        ends.push(...(await Promise.all(some)).map((ran) => endOf(ran).join(' ')));
      }
      expect(
        ends.every((end) => ['0 ', '9 FILE_BUSY', '8 PENDING'].includes(end)),
        [...new Set(ends)].join(),
      ).toBe(true);
      expect(sent(team)).toEqual(amounts());
      expect((await shown(team, id)).history.map(({ act }: Json) => act)).toEqual(['approved', 'applied']);
    });
  });
}

export {
  addChidi,
  agreeing,
  amounts,
  approveWithout,
  planned,
  ROWS,
  resume,
  SAVED,
  sent,
  start,
  status,
  words,
  written,
};
