import * as z from 'zod/mini';
import { changeProfile } from '../../account/changes.ts';
import { storedProfileNamed } from '../../account/profile.ts';
import { CliError } from '../../base/errors.ts';
import { inboxLocationOf } from '../../engine/inbox.ts';
import { endDryRun } from '../../engine/requests.ts';
import { serverAddressOf } from '../../journal/postgres/server-address.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { nothingTo, option, optionalArgument, switchOn, word } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import { requireProfile } from './show.ts';

/** Validates the URL of an inbox's database. Throws CliError usage. */
function inboxUrl(text: string): string {
  serverAddressOf(text);
  return text;
}

const COLUMNS = [
  { field: 'profile', title: 'Profile' },
  { field: 'inbox', title: 'Inbox' },
  { field: 'place', title: 'Place' },
  { field: 'from', title: 'Set by' },
] as const;

/** Describes where the inbox of a profile is. */
function printedLocation({ world, profile }: Session, name: string) {
  const stored = storedProfileNamed(name, world);
  const mode = (stored ?? profile).mode;
  const { path, server } = inboxLocationOf(world, { name, mode, baseUrl: stored?.baseUrl ?? profile.baseUrl });
  if (!server) return { profile: name, inbox: 'SQLite', place: path, from: null };
  const { name: place } = serverAddressOf(server.url, server.from);
  return { profile: name, inbox: 'PostgreSQL', place, from: server.from };
}

const shownSchema = () =>
  z.object({
    profile: z.string(),
    inbox: z.enum(['SQLite', 'PostgreSQL']),
    place: z.string(),
    from: z.nullable(z.string()),
  });

const nameArgument = optionalArgument('name', 'profile name (default: the profile in use)', word);

const showCommand = command({
  words: ['profiles', 'inbox', 'show'],
  summary: 'Show where a profile keeps the webhooks that it received',
  examples: ['fiatrail profiles inbox show', 'fiatrail profiles inbox show main -o json --query place'],
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
  url: option('--url <url>', 'keep it in this PostgreSQL database: postgres://USER@HOST/DATABASE', inboxUrl),
  local: switchOn('--local', 'keep it in a file of this machine'),
};

const setCommand = command({
  words: ['profiles', 'inbox', 'set'],
  summary: 'Set where a profile keeps the webhooks that it received',
  details:
    'The inbox is a file of this machine, or a PostgreSQL database that several hosts share: any number of them receive behind one address, each event is stored once, and one of them forwards it. The URL contains no password: it comes from ~/.pgpass or PGPASSFILE. FIATRAIL_INBOX_URL takes precedence over the profile. Events do not move: those of the present inbox stay there. The embedded sandbox keeps its events in a file.',
  examples: [
    'fiatrail profiles inbox set main --url postgres://ops@db.example.com/fiatrail',
    'fiatrail profiles inbox set main --local',
  ],
  endpoints: [],
  prints: shownSchema,
  isLocal: true,
  parameters: { name: nameArgument, ...SETTINGS },
  run: async (session, { name = session.profile.name, url, local }) => {
    if (url !== undefined && local)
      throw new CliError('usage', '--url and --local cannot be combined', { hint: 'give one of them' });
    if (url === undefined && !local) throw nothingTo('set', SETTINGS);
    const stored = requireProfile(session, name);
    if (url !== undefined && stored.mode === 'embedded')
      throw new CliError('usage', 'the events of the embedded sandbox stay on this machine, in a file', {
        hint: 'name a profile of an account: fiatrail profiles list',
      });
    const next = url === undefined ? 'a file of this machine' : serverAddressOf(url).name;
    endDryRun(session, { profile: name, inbox: next });
    await confirmChange(session, {
      summary: `change the inbox of profile ${name}`,
      lines: [
        ['now', printedLocation(session, name).place],
        ['new', next],
        ['effect', 'events that wait in the present inbox are forwarded only by a listener that uses it'],
      ],
    });
    await changeProfile(session.world, name, (current) => ({ ...(current ?? stored), inboxUrl: url }));
    return { result: { data: printedLocation(session, name), columns: COLUMNS } };
  },
});

export const inboxCommands = [showCommand, setCommand];
