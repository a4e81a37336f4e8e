import * as z from 'zod/mini';
import { changeProfile } from '../../account/changes.ts';
import { storedProfileNamed } from '../../account/profile.ts';
import { CliError } from '../../base/errors.ts';
import { copyLocationOf } from '../../copy/open.ts';
import { endDryRun } from '../../engine/requests.ts';
import { command } from '../../terminal/command.ts';
import { duration, nothingTo, option } from '../../terminal/parse/parameters.ts';
import { locationKit, locationOptions, nameArgument, requireOneLocation } from './location.ts';
import { requireProfile } from './show.ts';

const DAY_MS = 86_400_000;

/** Parses how long what is personal is kept, in whole days. Throws CliError usage. */
function wholeDays(text: string): number {
  const days = duration(text) / DAY_MS;
  if (Number.isInteger(days)) return days;
  throw new CliError('usage', `"${text}" is not a number of days`, { hint: 'for example 30d, 90d or 1y' });
}

const { show, prints, shown } = locationKit({
  noun: 'copy',
  thing: 'the copy of its account’s lists',
  more: { personalDays: { schema: () => z.int(), title: 'Days that names are kept' } },
  locationOf: ({ world, profile }, _terminal, name) => {
    const { mode } = storedProfileNamed(name, world) ?? profile;
    const { personalDays, ...place } = copyLocationOf(world, { name, mode });
    return { ...place, more: { personalDays } };
  },
});

const SETTINGS = {
  ...locationOptions,
  personalDays: option('--keep <duration>', 'how long to keep personal names and numbers (default 90d)', wholeDays),
};

const setCommand = command({
  words: ['profiles', 'copy', 'set'],
  summary: 'Set where a profile stores its local copy and how long it keeps personal names',
  details:
    'The copy is a file on this machine, or a PostgreSQL database that other hosts and dashboards can read. Put no password in the URL: fiatrail reads it from ~/.pgpass or PGPASSFILE. FIATRAIL_COPY_URL overrides the profile. An existing copy is not moved: run fiatrail sync to fill the new one.',
  examples: [
    'fiatrail profiles copy set main --url postgres://ops@db.example.com/fiatrail',
    'fiatrail profiles copy set main --local --keep 30d',
  ],
  endpoints: [],
  prints,
  isLocal: true,
  parameters: {
    name: nameArgument,
    ...SETTINGS,
  },
  run: async (account, terminal, { name = account.profile.name, url, local, personalDays }) => {
    requireOneLocation({ '--url': url !== undefined, '--local': local === true });
    if (url === undefined && !local && personalDays === undefined) throw nothingTo('set', SETTINGS);
    const stored = requireProfile(account, name);
    const next = {
      url: local ? undefined : (url ?? stored.copy?.url),
      personalDays: personalDays ?? stored.copy?.personalDays,
    };
    endDryRun(account, { profile: name, copy: next });
    await changeProfile(account.world, name, (current) => ({ ...(current ?? stored), copy: next }));
    return shown(account, terminal, name);
  },
});

export const copyCommands = [show, setCommand];
