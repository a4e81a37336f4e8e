import * as z from 'zod/mini';
import { changeProfile, storeSecret } from '../../account/changes.ts';
import { modeForPeople, secretOf, storedProfileNamed } from '../../account/profile.ts';
import { isOurStore, type StoredProfile } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { Account } from '../../engine/account.ts';
import { journalLocationOf } from '../../engine/connection/journal-location.ts';
import { endDryRun } from '../../engine/requests.ts';
import { isBound, passwordToStore, serverAddressOf } from '../../journal/postgres/server-address.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { nothingTo, switchOn } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { locationKit, locationNamed, locationOptions, nameArgument, requireOneLocation } from './location.ts';
import { requireProfile } from './show.ts';

const MAX_PASSWORD_BYTES = 4096;

const { show, prints, shown, locationNow } = locationKit({
  noun: 'journal',
  thing: 'its journal',
  more: {
    independent: { schema: () => z.boolean(), title: 'Independent' },
    soleHost: { schema: () => z.boolean(), title: 'Sole host' },
  },
  locationOf: ({ world }, _terminal, name) => {
    const place = journalLocationOf(world, { name });
    const stored = storedProfileNamed(name, world);
    const independent = stored?.independentJournal === true && !place.server;
    const soleHost = stored?.soleHost === true && !place.server;
    return { ...place, more: { independent, soleHost } };
  },
});

const SETTINGS = {
  ...locationOptions,
  independent: switchOn('--independent', 'let each state folder have its own journal (see the risk above)'),
  soleHost: switchOn('--sole-host', 'store it in a file, and say that plans are applied on this machine alone'),
  passwordStdin: switchOn('--password-stdin', 'read the password of the database from standard input, and store it'),
};

const setCommand = command({
  words: ['profiles', 'journal', 'set'],
  summary: 'Set where a profile stores its journal',
  details:
    'The journal records every operation before it is sent. It is a file on this machine, or a PostgreSQL database that several hosts share, so that they share idempotency keys. Put no password in the URL: fiatrail reads it from the profile’s secret store (--password-stdin), ~/.pgpass or PGPASSFILE. FIATRAIL_JOURNAL_URL overrides the profile. To move an existing journal, use fiatrail ops journal export --with-digest-key, then fiatrail ops journal import. fiatrail does not send with a different journal; the first journal of a live account is confirmed once, in a terminal or with fiatrail ops journal verify --accept. --independent turns this check off, for hosts and containers that share no database. Each state folder then has its own journal and its own idempotency keys, so the same command moves money once in each. Plans of an account with two approvers are applied with a shared journal, or on one machine alone: say so there with --sole-host. Otherwise plans apply rejects them, because another machine could apply the same plan too.',
  examples: [
    'fiatrail profiles journal set main --url postgres://ops@db.example.com/fiatrail',
    'fiatrail profiles journal set main --local',
    'fiatrail profiles journal set main --independent --yes',
    'fiatrail profiles journal set main --sole-host',
  ],
  endpoints: [],
  prints,
  isLocal: true,
  parameters: {
    name: nameArgument,
    ...SETTINGS,
  },
  run: async (account, terminal, { name = account.profile.name, url, local, independent, soleHost, passwordStdin }) => {
    const [isIndependent, isSoleHost] = [independent === true, soleHost === true];
    requireOneLocation({
      '--url': url !== undefined,
      '--local': local === true,
      '--independent': isIndependent,
      '--sole-host': isSoleHost,
    });
    const isLocal = local === true || isIndependent || isSoleHost;
    if (url === undefined && !isLocal && !passwordStdin) throw nothingTo('set', SETTINGS);
    await change(account, terminal, name, {
      url,
      isLocal,
      isIndependent,
      isSoleHost,
      hasPassword: passwordStdin === true,
    });
    return shown(account, terminal, name);
  },
});

export const journalCommands = [show, setCommand];

interface Wanted {
  readonly url: string | undefined;
  readonly isLocal: boolean;
  readonly isIndependent: boolean;
  readonly isSoleHost: boolean;
  readonly hasPassword: boolean;
}

async function change(
  account: Account,
  terminal: Terminal,
  name: string,
  { url, isLocal, isIndependent, isSoleHost, hasPassword }: Wanted,
): Promise<void> {
  const { world } = account;
  const stored = requireProfile(account, name);
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
  const now = locationNow(account, terminal, name);
  const file = isIndependent ? 'a file in each state folder' : 'a file of this machine';
  const next = url === undefined && !isLocal ? now : locationNamed(url, file);
  endDryRun(account, { profile: name, journal: next });
  const lines = [
    ['profile', `${name} (${modeForPeople(stored.mode)})`],
    ['now', now],
    ['new', next],
    [
      'effect',
      isIndependent
        ? 'idempotency keys and guards of one journal do not count in another, so a command that runs with two state folders moves the money twice'
        : isSoleHost
          ? 'plans that two approvers approved can be applied here; a plan that another machine applies too moves the money twice'
          : 'idempotency keys that only the present journal has are unknown in the new one until you move it',
    ],
  ] as const;
  if (url !== undefined || isLocal) {
    await confirmChange(terminal.dialog, { summary: `change the journal of profile ${name}`, lines });
    await bindPassword(account, stored);
    await changeProfile(world, name, (current) => ({
      ...(current ?? stored),
      journalUrl: url,
      independentJournal: isIndependent || undefined,
      soleHost: isSoleHost || undefined,
    }));
  }
  if (password && passwordUrl !== undefined) await storePassword(account, stored, passwordUrl, password);
}

/** Stores a password with the host, port, database and user of a URL. */
async function storePassword({ world }: Account, stored: StoredProfile, url: string, password: Secret): Promise<void> {
  const current = passwordToStore(password, serverAddressOf(url), world.host.user);
  await storeSecret(world, stored, 'journal-password', current);
}

/** A password that was stored without what it is for belongs to the URL that the profile has until now. */
async function bindPassword(account: Account, stored: StoredProfile): Promise<void> {
  if (stored.journalUrl === undefined) return;
  const password = await secretOf(stored, 'journal-password', account.world);
  if (password && !isBound(password)) await storePassword(account, stored, stored.journalUrl, password);
}

function passwordFrom(text: string): Secret {
  const password = text.replace(/\r?\n$/, '');
  if (password !== '' && !/\p{Cc}/u.test(password)) return new Secret(password);
  throw new CliError('usage', 'the password on standard input is empty or has more than one line', {
    hint: 'give the password alone, on one line',
  });
}
