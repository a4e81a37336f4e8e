import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { openJournal } from '../../src/journal/open.ts';
import { TRIGGERS } from '../../src/journal/sqlite/schema.ts';
import { fakeWorld } from '../support/world.ts';
import type { Engine } from './queue-cases.ts';
import { openTeamAfter, type Team } from './support.ts';

const HOUR_MS = 3_600_000;
const pathOf = (team: Team) => team.file('state/journal.db');

/** A journal in a file. */
export const FILE_ENGINE: Engine = {
  open: async (beginning) => (await openTeamAfter(beginning)).team,
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
