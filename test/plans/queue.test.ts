import { queueCases } from './queue-cases.ts';
import { openTeam } from './support.ts';

const HOUR_MS = 3_600_000;

queueCases('a file', {
  open: openTeam,
  passAnHour: (team) => team.clock.sleep(HOUR_MS, new AbortController().signal),
  edit: async () => {},
  brief: '30m',
});
