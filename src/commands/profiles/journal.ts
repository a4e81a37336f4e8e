import { changeProfile, storeSecret } from '../../account/changes.ts';
import { journalPlaceOf } from '../../account/journal-place.ts';
import { modeForPeople } from '../../account/mode.ts';
import { storedProfileNamed } from '../../account/profile.ts';
import { isOurStore } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { command } from '../../cli/command.ts';
import { confirmChange } from '../../cli/confirm.ts';
import { endDryRun } from '../../cli/dry-run.ts';
import { option, optionalArgument, switchOn, word } from '../../cli/parameters.ts';
import type { Session } from '../../cli/session.ts';
import { serverPlaceOf } from '../../journal/postgres/place.ts';
import { requireProfile } from './show.ts';

const MAX_PASSWORD_BYTES = 4096;

/** Validates the URL of a journal's database. Throws CliError usage. */
function journalUrl(text: string): string {
  serverPlaceOf(text);
  return text;
}

const COLUMNS = [
  { field: 'profile', title: 'Profile' },
  { field: 'journal', title: 'Journal' },
  { field: 'place', title: 'Place' },
  { field: 'from', title: 'Set by' },
] as const;

/** Describes where the journal of a profile is. Never contains a password. */
function placeOf({ world }: Session, profile: string) {
  const { path, server } = journalPlaceOf(world, { name: profile });
  if (!server) return { profile, journal: 'SQLite', place: path, from: null };
  return { profile, journal: 'PostgreSQL', place: serverPlaceOf(server.url, server.from).name, from: server.from };
}

export const journalCommand = command({
  words: ['profiles', 'journal'],
  summary: 'Show or set where a profile keeps its journal',
  details:
    'The journal records every operation before it is sent. It is a file of this machine, or a PostgreSQL database that several hosts share, so that each once key is used once among them. The URL contains no password: fiatrail takes it from the profile’s secret store (--password-stdin) or from ~/.pgpass or PGPASSFILE; a socket may need none. FIATRAIL_JOURNAL_URL takes precedence over the profile. Move an existing journal with: fiatrail ops export --with-digest-key, then fiatrail ops import',
  examples: [
    'fiatrail profiles journal',
    'fiatrail profiles journal main --url postgres://ops@db.example.com/fiatrail',
    'fiatrail profiles journal main --local',
  ],
  endpoints: [],
  prints: {
    form: {
      profile: 'text',
      journal: ['one of', 'SQLite', 'PostgreSQL'],
      place: 'text',
      from: ['null or', 'text'],
    },
  },
  isLocal: true,
  parameters: {
    name: optionalArgument('name', 'profile name (default: the profile in use)', word),
    url: option(
      '--url <url>',
      'keep the journal in this PostgreSQL database: postgres://USER@HOST/DATABASE',
      journalUrl,
    ),
    local: switchOn('--local', 'keep the journal in a file of this machine'),
    passwordStdin: switchOn('--password-stdin', 'read the password of the database from standard input, and store it'),
  },
  run: async (session, { name = session.profile.name, url, local, passwordStdin }) => {
    if (url !== undefined && local)
      throw new CliError('usage', '--url and --local cannot be combined', { hint: 'give one of them' });
    if (name !== session.profile.name || storedProfileNamed(name, session.world)) requireProfile(session, name);
    if (url !== undefined || local || passwordStdin)
      await change(session, name, { url, isLocal: local === true, hasPassword: passwordStdin === true });
    return { result: { data: placeOf(session, name), columns: COLUMNS } };
  },
});

interface Wanted {
  readonly url: string | undefined;
  readonly isLocal: boolean;
  readonly hasPassword: boolean;
}

async function change(session: Session, name: string, { url, isLocal, hasPassword }: Wanted): Promise<void> {
  const { world } = session;
  const stored = requireProfile(session, name);
  if (hasPassword && !isOurStore(stored.store))
    throw new CliError('usage', `profile ${name} has no store for a password: its key comes from elsewhere`, {
      hint: 'put the password into ~/.pgpass or PGPASSFILE',
    });
  const password = hasPassword ? passwordFrom(await world.stdin.readAll(MAX_PASSWORD_BYTES)) : undefined;
  const now = placeOf(session, name);
  const next = url === undefined ? (isLocal ? 'a file of this machine' : now.place) : serverPlaceOf(url).name;
  endDryRun(session, { profile: name, journal: next });
  const lines = [
    ['profile', `${name} (${modeForPeople(stored.mode)})`],
    ['now', now.place],
    ['new', next],
    ['effect', 'once keys that only the present journal has are unknown in the new one until you move it'],
  ] as const;
  if (url !== undefined || isLocal) {
    await confirmChange(session, { summary: `change the journal of profile ${name}`, lines });
    await changeProfile(world, name, (kept) => ({ ...(kept ?? stored), journalUrl: url }));
  }
  if (password) await storeSecret(world, stored, 'journal-password', password);
}

function passwordFrom(text: string): Secret {
  const password = text.replace(/\r?\n$/, '');
  if (password !== '' && !/\p{Cc}/u.test(password)) return new Secret(password);
  throw new CliError('usage', 'the password on standard input is empty or has more than one line', {
    hint: 'give the password alone, on one line',
  });
}
