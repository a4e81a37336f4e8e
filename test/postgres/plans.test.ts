import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filePlanCases, planned, ROWS, start } from '../plans/file-cases.ts';
import {
  approve,
  type Engine,
  endOf,
  json,
  jsonOf,
  listed,
  opened,
  queueCases,
  queued,
  twoApprovers,
} from '../plans/queue-cases.ts';
import { agreeOn, joinTeam, openTeamAfter, type Team } from '../plans/support.ts';
import { ROOT } from '../support/built.ts';
import { COLUMNS } from '../support/journal-edits.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { openHost } from './support.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

const urls = new WeakMap<Team, string>();
const urlOf = (team: Team) => urls.get(team) ?? '';

const openShared: Engine['open'] = async (beginning) => {
  const { team, url = '' } = await openTeamAfter(beginning, server);
  urls.set(team, url);
  return team;
};

const TABLES = Object.keys(COLUMNS);

const ENGINE: Engine = {
  open: openShared,
  // Its server has the clock that decides.
  passAnHour: () => new Promise((resolve) => setTimeout(resolve, 600)),
  edit: (team, sql) =>
    void server.sql(
      urlOf(team),
      [
        ...TABLES.map((name) => `ALTER TABLE fiatrail.${name} DISABLE TRIGGER ALL`),
        sql.replace('TABLE', 'fiatrail.entry'),
        ...TABLES.map((name) => `ALTER TABLE fiatrail.${name} ENABLE TRIGGER ALL`),
      ].join('; '),
    ),
  journal: (team) => openHost(urlOf(team)),
  // The server has 100 connections.
  atOnce: 50,
  rowTable: 'fiatrail.file_row',
  brief: '500ms',
};

queueCases('PostgreSQL', ENGINE);
filePlanCases('PostgreSQL', ENGINE);

const agreeing = { agrees: true, isTerminal: true } as const;

/** The key of an approver on a machine of one person. */
const keyFile = (team: Team, person: string) => join(team.folder, person, 'config', 'secrets', 'main.approver-key');

test('a plan is approved on another host, by another profile of the account, without carrying a file', async () => {
  const team = await opened(ENGINE);
  const id = await queued(team, 'ada');
  const there = { host: 'host-2', ...agreeing };
  // Bayo’s machine has another name for the account, and knows nothing of Ada’s.
  const config = join(team.folder, 'bayo', 'config');
  cpSync(config, join(team.folder, 'there', 'config'), { recursive: true });
  const bayo = { ...there, user: 'bayo' };
  await team.run('there', ['ops', 'journal', 'verify', '--accept', '--yes', '-q'], bayo);
  expect(jsonOf(await team.run('there', json('plans', 'list'), bayo)).plans).toMatchObject([
    { plan: id, waitsForYou: true },
  ]);
  const { holds, facts } = jsonOf(await team.run('there', json('plans', 'show', id), bayo));
  expect({ holds, has: facts.some(({ value }: { value: string }) => value.includes('ADA OBI')) }).toEqual({
    holds: true,
    has: true,
  });
  expect((await team.run('there', json('plans', 'approve', id), bayo)).code).toBe(0);
  const applied = await team.run('ada', json('plans', 'apply', id, '--yes'));
  expect(applied.code, applied.stderr).toBe(0);
  const again = await team.run('there', json('plans', 'apply', id, '--yes'), bayo);
  expect(again.code, again.stderr).toBe(0);
  expect(team.service.sent).toHaveLength(1);
  const { history } = jsonOf(await team.run('there', json('plans', 'show', id), bayo));
  expect(history).toMatchObject([
    { act: 'approved', by: 'bayo, bayo on host-2' },
    { act: 'applied', by: 'ada on host-1' },
  ]);
});

test('40 attempts of an author to approve their own plan, with every key, name and machine they can have, are none', async () => {
  const team = await opened(ENGINE);
  // Ada makes a key, and Bayo believes that it is Dayo’s.
  await team.run('dayo', ['profiles', 'list']);
  cpSync(join(team.folder, 'chidi'), join(team.folder, 'dayo'), { recursive: true });
  const made = await team.run('dayo', json('profiles', 'approvers', 'add', 'dayo', '--generate'), agreeing);
  await agreeOn(team, 'ada', 'bayo', ['add', 'dayo', '--public-key', jsonOf(made).publicKey]);
  const id = await queued(team, 'ada');
  const adaKey = keyFile(team, 'ada');
  const keys: readonly (readonly [string, string | undefined])[] = [
    ['her own', adaKey],
    ['one that she added', keyFile(team, 'dayo')],
    ['none', undefined],
    ['one that is in no list', ''],
    ['her own, with another name of the profile', adaKey],
  ];
  const ends: unknown[] = [];
  for (const user of ['ada', 'bayo', 'dayo', 'root'])
    for (const host of ['host-1', 'host-9'])
      for (const [index, [, key]] of keys.entries()) {
        const person = `as-${user}-${host}-${index}`;
        cpSync(join(team.folder, 'ada'), join(team.folder, person), { recursive: true });
        rmSync(keyFile(team, person), { force: true });
        mkdirSync(join(team.folder, person, 'config', 'secrets'), { recursive: true });
        if (key === '') writeFileSync(keyFile(team, person), `${'17'.repeat(32)}\n`, { mode: 0o600 });
        else if (key !== undefined) copyFileSync(key, keyFile(team, person));
        const how = { ...agreeing, user, host };
        if (host === 'host-9') await team.run(person, ['ops', 'journal', 'verify', '--accept', '--yes', '-q'], how);
        ends.push(endOf(await team.run(person, json('plans', 'approve', id), how))[1]);
      }
  expect(ends).toHaveLength(40);
  expect([...new Set(ends)].sort()).toEqual(['APPROVED_BY_AUTHOR', 'APPROVER_ADDED_BY_AUTHOR', 'NO_APPROVER_KEY']);
  const { history, status } = jsonOf(await team.run('bayo', json('plans', 'show', id)));
  expect({ history, status, sent: team.service.sent }).toEqual({ history: [], status: 'waiting', sent: [] });
  expect(await listed(team, 'dayo')).toMatchObject([{ plan: id, waitsForYou: false }]);
  expect((await approve(team, 'bayo', id)).code).toBe(0);
});

/** Who tries something with a plan of Ada, where, and as the table of the documentation calls them. */
const PEOPLE = [
  ['its author, on the first host', 'ada', undefined],
  ['another approver, on the second host', 'bayo', 'host-2'],
  ['an approver whose key the author added, on the second host', 'dayo', 'host-2'],
  ['someone without an approver key, on the second host', 'chidi', 'host-2'],
] as const;

const ACTS = ['approve', 'reject', 'withdraw', 'apply', 'apply approved'] as const;

/** Dayo is an approver too, whom Ada added, and everyone but Ada accepted the journal on the second host. */
async function onTwoHosts(team: Team): Promise<void> {
  await twoApprovers(team);
  await joinTeam(team, 'dayo');
  const made = team.file('dayo.json');
  await team.run('dayo', ['profiles', 'approvers', 'add', 'dayo', '--generate', '--plan', made]);
  const { publicKey } = JSON.parse(readFileSync(made, 'utf8')).plan.request;
  await agreeOn(team, 'ada', 'bayo', ['add', 'dayo', '--public-key', publicKey]);
  for (const person of ['bayo', 'chidi', 'dayo'])
    await team.run(person, ['ops', 'journal', 'verify', '--accept', '--yes', '-q'], { host: 'host-2' });
}

test('who can do what with the plan of a file, on two hosts, is what the documentation says', async () => {
  const rows: string[] = [];
  let count = 0;
  for (const [who, person, host] of PEOPLE) {
    // In one journal, the rows of the last file would wait for their share of the rate limit, which the server's clock knows.
    const team = await start(ENGINE, onTwoHosts);
    const cells: string[] = [];
    for (const act of ACTS) {
      count += 1;
      const id = await planned(
        team,
        'ada',
        [],
        ROWS.map(([ref, ...row]) => [`${ref}-${count}`, ...row] as const),
        `k${count}`,
      );
      if (act === 'apply approved') await approve(team, 'bayo', id, 'host-2');
      const before = team.service.sent.length;
      const more =
        act === 'reject' || act === 'withdraw' ? ['--reason', 'no'] : act.startsWith('apply') ? ['--wait', '1ms'] : [];
      const line = json('plans', act.split(' ')[0] ?? '', id, '--yes', ...more);
      const [code, name] = endOf(await team.run(person, line, { ...agreeing, ...(host ? { host } : {}) }));
      const sentRows = team.service.sent.length - before;
      // What was sent is still at work at the service.
      cells.push(sentRows > 0 ? `${sentRows} rows` : code === 0 ? 'done' : `${code} \`${name}\``);
      await team.run('ada', json('bulk', 'cancel', `k${count}`, '--yes'));
    }
    rows.push(`| ${who} | ${cells.join(' | ')} |`);
  }
  const page = readFileSync(join(ROOT, 'docs', 'contributing', 'approvals.md'), 'utf8');
  const [, table = ''] = page.split('| who |');
  expect(table.split('\n').slice(2, 2 + rows.length)).toEqual(rows);
});
