import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openJournal } from '../../src/journal/open.ts';
import { TRIGGERS } from '../../src/journal/sqlite/schema.ts';
import { ROOT } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';
import { filePlanCases } from './file-cases.ts';
import { type Engine, queueCases } from './queue-cases.ts';
import { openTeam, type Team } from './support.ts';

const HOUR_MS = 3_600_000;
const pathOf = (team: Team) => team.file('state/journal.db');

const ENGINE: Engine = {
  open: openTeam,
  passAnHour: (team) => team.clock.sleep(HOUR_MS, new AbortController().signal),
  edit: (team, sql) => {
    const database = new DatabaseSync(pathOf(team));
    const drops = TRIGGERS.map((each) => `DROP TRIGGER ${each.split(' ')[2]}`);
    database.exec(['PRAGMA foreign_keys = OFF', ...drops, sql.replace('TABLE', 'entry'), ...TRIGGERS].join('; '));
    database.close();
  },
  journal: async (team) => {
    const journal = await openJournal(pathOf(team), fakeWorld({}));
    onTestFinished(() => journal.close());
    return journal;
  },
  atOnce: 200,
  rowTable: 'file_row',
  brief: '30m',
};

queueCases('a file', ENGINE);
filePlanCases('a file', ENGINE);

test('each end in the documentation of the queue is that of a test', () => {
  const textOf = (...names: readonly string[]) => readFileSync(join(ROOT, ...names), 'utf8');
  const [, section = ''] = textOf('docs', 'contributing', 'approvals.md').split('## Plans in the journal');
  const [table = ''] = section.split('\n## ');
  const codes = [...table.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code);
  const tests =
    textOf('test', 'plans', 'queue-cases.ts') +
    textOf('test', 'plans', 'file-cases.ts') +
    textOf('test', 'postgres', 'plans.test.ts');
  expect(new Set(codes).size).toBeGreaterThan(10);
  expect(codes.filter((code) => !tests.includes(`'${code}'`))).toEqual([]);
});
