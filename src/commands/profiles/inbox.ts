import { changeProfile } from '../../account/changes.ts';
import { storedProfileNamed } from '../../account/profile.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { inboxLocationOf } from '../../engine/connection/inbox.ts';
import { endDryRun } from '../../engine/requests.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { nothingTo } from '../../terminal/parse/parameters.ts';
import { locationKit, locationNamed, locationOptions, nameArgument, requireOneLocation } from './location.ts';
import { requireProfile } from './show.ts';

const { show, prints, shown, locationNow } = locationKit({
  noun: 'inbox',
  thing: 'the webhooks that it received',
  locationOf: ({ world, profile }, _terminal, name) => {
    const { mode, baseUrl = profile.baseUrl } = storedProfileNamed(name, world) ?? profile;
    return inboxLocationOf(world, { name, mode, baseUrl });
  },
});

const SETTINGS = locationOptions;

const setCommand = command({
  words: ['profiles', 'inbox', 'set'],
  summary: 'Set where a profile stores the webhooks that it receives',
  details:
    'The inbox is a file on this machine, or a PostgreSQL database that several hosts share. With a shared inbox, any number of listeners can receive at one address; each event is stored once and forwarded by one of them. Put no password in the URL: fiatrail reads it from ~/.pgpass or PGPASSFILE. FIATRAIL_INBOX_URL overrides the profile. Events already received stay in the old inbox. The embedded sandbox always uses a file.',
  examples: [
    'fiatrail profiles inbox set main --url postgres://ops@db.example.com/fiatrail',
    'fiatrail profiles inbox set main --local',
  ],
  endpoints: [],
  prints,
  isLocal: true,
  parameters: { name: nameArgument, ...SETTINGS },
  run: async (account, terminal, { name = account.profile.name, url, local }) => {
    requireOneLocation({ '--url': url !== undefined, '--local': local === true });
    if (url === undefined && !local) throw nothingTo('set', SETTINGS);
    const stored = requireProfile(account, name);
    if (url !== undefined && stored.mode === 'embedded')
      throw new CliError('usage', 'the events of the embedded sandbox stay on this machine, in a file', {
        hint: advice`name a profile of an account: [fiatrail profiles list]`,
      });
    const next = locationNamed(url);
    endDryRun(account, { profile: name, inbox: next });
    await confirmChange(terminal.dialog, {
      summary: `change the inbox of profile ${name}`,
      lines: [
        ['now', locationNow(account, terminal, name)],
        ['new', next],
        ['effect', 'events that wait in the present inbox are forwarded only by a listener that uses it'],
      ],
    });
    await changeProfile(account.world, name, (current) => ({ ...(current ?? stored), inboxUrl: url }));
    return shown(account, terminal, name);
  },
});

export const inboxCommands = [show, setCommand];
