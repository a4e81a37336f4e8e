import * as z from 'zod/mini';
import { changeProfile, storeSecret } from '../../account/changes.ts';
import { secretOf, storedProfileNamed } from '../../account/profile.ts';
import { modeForPeople } from '../../account/service-address.ts';
import { isOurStore, type StoredProfile } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { journalLocationOf } from '../../engine/journal-location.ts';
import { endDryRun } from '../../engine/requests.ts';
import { isBound, passwordToStore, serverAddressOf } from '../../journal/postgres/server-address.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { nothingTo, option, optionalArgument, switchOn, word } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import { requireProfile } from './show.ts';

const MAX_PASSWORD_BYTES = 4096;

/** Validates the URL of a journal's database. Throws CliError usage. */
function journalUrl(text: string): string {
  serverAddressOf(text);
  return text;
}

const COLUMNS = [
  { field: 'profile', title: 'Profile' },
  { field: 'journal', title: 'Journal' },
  { field: 'place', title: 'Place' },
  { field: 'from', title: 'Set by' },
  { field: 'independent', title: 'Independent' },
] as const;

/** Describes where the journal of a profile is. Never contains a password. */
function printedLocation({ world }: Session, profile: string) {
  const { path, server } = journalLocationOf(world, { name: profile });
  const independent = storedProfileNamed(profile, world)?.independentJournal === true && !server;
  if (!server) return { profile, journal: 'SQLite', place: path, from: null, independent };
  const { name } = serverAddressOf(server.url, server.from);
  return { profile, journal: 'PostgreSQL', place: name, from: server.from, independent };
}

const shownSchema = () =>
  z.object({
    profile: z.string(),
    journal: z.enum(['SQLite', 'PostgreSQL']),
    place: z.string(),
    from: z.nullable(z.string()),
    independent: z.boolean(),
  });

const nameArgument = optionalArgument('name', 'profile name (default: the profile in use)', word);

const showCommand = command({
  words: ['profiles', 'journal', 'show'],
  summary: 'Show where a profile keeps its journal',
  examples: ['fiatrail profiles journal show', 'fiatrail profiles journal show main -o json --query place'],
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
  url: option('--url <url>', 'keep the journal in this PostgreSQL database: postgres://USER@HOST/DATABASE', journalUrl),
  local: switchOn('--local', 'keep the journal in a file of this machine'),
  independent: switchOn('--independent', 'let each state folder have a journal of its own (see above for the cost)'),
  passwordStdin: switchOn('--password-stdin', 'read the password of the database from standard input, and store it'),
};

const setCommand = command({
  words: ['profiles', 'journal', 'set'],
  summary: 'Set where a profile keeps its journal',
  details:
    'The journal records every operation before it is sent. It is a file of this machine, or a PostgreSQL database that several hosts share, so that each idempotency key is used once among them. The URL contains no password: fiatrail takes it from the profile’s secret store (--password-stdin), which keeps it for one host, port, database and user, or from ~/.pgpass or PGPASSFILE; a socket may need none. FIATRAIL_JOURNAL_URL takes precedence over the profile. Move an existing journal with: fiatrail ops export --with-digest-key, then fiatrail ops import. fiatrail remembers which journal an account has, and sends nothing with another one. --independent turns that off: each state folder has a journal of its own, also a new and empty one, and an idempotency key or a guard of one does not count in another, so the same command moves money once in each. It is for a host or a container that shares no database, and can be part of an image',
  examples: [
    'fiatrail profiles journal set main --url postgres://ops@db.example.com/fiatrail',
    'fiatrail profiles journal set main --local',
    'fiatrail profiles journal set main --independent --yes',
  ],
  endpoints: [],
  prints: shownSchema,
  isLocal: true,
  parameters: {
    name: nameArgument,
    ...SETTINGS,
  },
  run: async (session, { name = session.profile.name, url, local, independent, passwordStdin }) => {
    if ([url !== undefined, local, independent].filter(Boolean).length > 1)
      throw new CliError('usage', '--url, --local and --independent cannot be combined', { hint: 'give one of them' });
    if (url === undefined && !local && !independent && !passwordStdin) throw nothingTo('set', SETTINGS);
    const isLocal = local === true || independent === true;
    await change(session, name, {
      url,
      isLocal,
      isIndependent: independent === true,
      hasPassword: passwordStdin === true,
    });
    return { result: { data: printedLocation(session, name), columns: COLUMNS } };
  },
});

export const journalCommands = [showCommand, setCommand];

interface Wanted {
  readonly url: string | undefined;
  readonly isLocal: boolean;
  readonly isIndependent: boolean;
  readonly hasPassword: boolean;
}

async function change(
  session: Session,
  name: string,
  { url, isLocal, isIndependent, hasPassword }: Wanted,
): Promise<void> {
  const { world } = session;
  const stored = requireProfile(session, name);
  if (hasPassword && !isOurStore(stored.store))
    throw new CliError('usage', `profile ${name} has no store for a password: its key comes from elsewhere`, {
      hint: 'put the password into ~/.pgpass or PGPASSFILE',
    });
  const passwordUrl = url ?? stored.journalUrl;
  if (hasPassword && passwordUrl === undefined)
    throw new CliError('usage', `profile ${name} has no server that the password could be for`, {
      hint: 'give the URL of the journal’s database too: --url postgres://USER@HOST/DATABASE',
    });
  const password = hasPassword ? passwordFrom(await world.stdin.readAll(MAX_PASSWORD_BYTES)) : undefined;
  const now = printedLocation(session, name);
  const file = isIndependent ? 'a file in each state folder' : 'a file of this machine';
  const next = url === undefined ? (isLocal ? file : now.place) : serverAddressOf(url).name;
  endDryRun(session, { profile: name, journal: next });
  const lines = [
    ['profile', `${name} (${modeForPeople(stored.mode)})`],
    ['now', now.place],
    ['new', next],
    [
      'effect',
      isIndependent
        ? 'idempotency keys and guards of one journal do not count in another, so a command that runs with two state folders moves the money twice'
        : 'idempotency keys that only the present journal has are unknown in the new one until you move it',
    ],
  ] as const;
  if (url !== undefined || isLocal) {
    await confirmChange(session, { summary: `change the journal of profile ${name}`, lines });
    await bindPassword(session, stored);
    await changeProfile(world, name, (current) => ({
      ...(current ?? stored),
      journalUrl: url,
      independentJournal: isIndependent || undefined,
    }));
  }
  if (password && passwordUrl !== undefined) await storePassword(session, stored, passwordUrl, password);
}

/** Stores a password with the host, port, database and user of a URL. */
async function storePassword({ world }: Session, stored: StoredProfile, url: string, password: Secret): Promise<void> {
  const current = passwordToStore(password, serverAddressOf(url), world.host.user);
  await storeSecret(world, stored, 'journal-password', current);
}

/** A password that was stored without what it is for belongs to the URL that the profile has until now. */
async function bindPassword(session: Session, stored: StoredProfile): Promise<void> {
  if (stored.journalUrl === undefined) return;
  const password = await secretOf(stored, 'journal-password', session.world);
  if (password && !isBound(password)) await storePassword(session, stored, stored.journalUrl, password);
}

function passwordFrom(text: string): Secret {
  const password = text.replace(/\r?\n$/, '');
  if (password !== '' && !/\p{Cc}/u.test(password)) return new Secret(password);
  throw new CliError('usage', 'the password on standard input is empty or has more than one line', {
    hint: 'give the password alone, on one line',
  });
}
