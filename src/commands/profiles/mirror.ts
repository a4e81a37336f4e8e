import * as z from 'zod/mini';
import { changeProfile } from '../../account/changes.ts';
import { storedProfileNamed } from '../../account/profile.ts';
import { CliError } from '../../base/errors.ts';
import { mirrorLocationOf } from '../../engine/mirror/open.ts';
import { endDryRun } from '../../engine/requests.ts';
import { serverAddressOf } from '../../journal/postgres/server-address.ts';
import { command } from '../../terminal/command.ts';
import { duration, nothingTo, option, optionalArgument, switchOn, word } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import { requireProfile } from './show.ts';

const DAY_MS = 86_400_000;

/** Validates the URL of a mirror's database. Throws CliError usage. */
function mirrorUrl(text: string): string {
  serverAddressOf(text);
  return text;
}

/** Parses how long what is personal is kept, in whole days. Throws CliError usage. */
function wholeDays(text: string): number {
  const days = duration(text) / DAY_MS;
  if (Number.isInteger(days)) return days;
  throw new CliError('usage', `"${text}" is not a number of days`, { hint: 'for example 30d, 90d or 1y' });
}

const COLUMNS = [
  { field: 'profile', title: 'Profile' },
  { field: 'mirror', title: 'Mirror' },
  { field: 'place', title: 'Place' },
  { field: 'from', title: 'Set by' },
  { field: 'personalDays', title: 'Days that names are kept' },
] as const;

/** Describes where the mirror of a profile is. */
function printedLocation({ world, profile }: Session, name: string) {
  const mode = (storedProfileNamed(name, world) ?? profile).mode;
  const { path, server, personalDays } = mirrorLocationOf(world, { name, mode });
  if (!server) return { profile: name, mirror: 'SQLite', place: path, from: null, personalDays };
  return {
    ...{ profile: name, mirror: 'PostgreSQL', place: serverAddressOf(server.url, server.from).name },
    ...{ from: server.from, personalDays },
  };
}

const shownSchema = () =>
  z.object({
    profile: z.string(),
    mirror: z.enum(['SQLite', 'PostgreSQL']),
    place: z.string(),
    from: z.nullable(z.string()),
    personalDays: z.int(),
  });

const nameArgument = optionalArgument('name', 'profile name (default: the profile in use)', word);

const showCommand = command({
  words: ['profiles', 'mirror', 'show'],
  summary: 'Show where a profile keeps the copy of its account’s lists',
  examples: ['fiatrail profiles mirror show', 'fiatrail profiles mirror show main -o json --query place'],
  endpoints: [],
  prints: shownSchema,
  isLocal: true,
  parameters: { name: nameArgument },
  run: async (session, { name = session.profile.name }) => {
    if (name !== session.profile.name || storedProfileNamed(name, session.world)) requireProfile(session, name);
    return { result: { data: printedLocation(session, name), columns: COLUMNS } };
  },
});

const SETTINGS = {
  url: option('--url <url>', 'keep it in this PostgreSQL database: postgres://USER@HOST/DATABASE', mirrorUrl),
  local: switchOn('--local', 'keep it in a file of this machine'),
  personalDays: option('--keep <duration>', 'how long names and numbers of persons are kept (default 90d)', wholeDays),
};

const setCommand = command({
  words: ['profiles', 'mirror', 'set'],
  summary: 'Set where a profile keeps the copy of its account’s lists, and how long it keeps names',
  details:
    'The copy is a file of this machine, or a PostgreSQL database, which several hosts, dashboards and accountants can read. The URL contains no password: it comes from ~/.pgpass or PGPASSFILE. FIATRAIL_MIRROR_URL takes precedence over the profile. The copy itself does not move: fiatrail sync fills the new one.',
  examples: [
    'fiatrail profiles mirror set main --url postgres://ops@db.example.com/fiatrail',
    'fiatrail profiles mirror set main --local --keep 30d',
  ],
  endpoints: [],
  prints: shownSchema,
  isLocal: true,
  parameters: {
    name: nameArgument,
    ...SETTINGS,
  },
  run: async (session, { name = session.profile.name, url, local, personalDays }) => {
    if (url !== undefined && local)
      throw new CliError('usage', '--url and --local cannot be combined', { hint: 'give one of them' });
    if (url === undefined && !local && personalDays === undefined) throw nothingTo('set', SETTINGS);
    const stored = requireProfile(session, name);
    const next = {
      url: local ? undefined : (url ?? stored.mirror?.url),
      personalDays: personalDays ?? stored.mirror?.personalDays,
    };
    endDryRun(session, { profile: name, mirror: next });
    await changeProfile(session.world, name, (current) => ({ ...(current ?? stored), mirror: next }));
    return { result: { data: printedLocation(session, name), columns: COLUMNS } };
  },
});

export const mirrorCommands = [showCommand, setCommand];
