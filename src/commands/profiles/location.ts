import * as z from 'zod/mini';
import { storedProfileNamed } from '../../account/profile.ts';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { serverAddressOf } from '../../journal/postgres/server-address.ts';
import { command } from '../../terminal/command.ts';
import { option, optionalArgument, switchOn, word } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { requireProfile } from './show.ts';

export const nameArgument = optionalArgument('name', 'profile name (default: the active profile)', word);

/** Validates the URL of a database. Throws CliError usage. */
function databaseUrl(text: string): string {
  serverAddressOf(text);
  return text;
}

/** Where something that a profile has can be stored. */
export const locationOptions = {
  url: option('--url <url>', 'store it in this PostgreSQL database: postgres://USER@HOST/DATABASE', databaseUrl),
  local: switchOn('--local', 'store it in a file on this machine'),
};

/** Throws CliError usage if more than one of them is given. */
export function requireOneLocation(given: Readonly<Record<string, boolean>>): void {
  const names = Object.keys(given);
  if (Object.values(given).filter(Boolean).length > 1)
    throw new CliError('usage', `${names.slice(0, -1).join(', ')} and ${names.at(-1)} cannot be combined`, {
      hint: 'give one of them',
    });
}

/** Says where a URL leads, or the file that serves instead of one. Never contains a password. */
export const locationNamed = (url: string | undefined, file = 'a file of this machine') =>
  url === undefined ? file : serverAddressOf(url).name;

interface Location {
  readonly path: string;
  /** The database that has it instead of the file, and what says so. */
  readonly server: { readonly url: string; readonly from: string } | undefined;
  /** What else is said of it. */
  readonly more?: Readonly<Record<string, unknown>>;
}

interface Stored {
  /** What is stored, as a field and as the group of its commands. */
  readonly noun: 'journal' | 'inbox' | 'copy';
  /** The same in words. */
  readonly thing: string;
  /** The schema and the title of each further field. */
  readonly more?: Readonly<Record<string, { readonly schema: () => z.core.$ZodType; readonly title: string }>>;
  readonly locationOf: (account: Account, terminal: Terminal, name: string) => Location;
}

/** The command that shows where a profile stores something, and what the one that sets it prints. */
export function locationKit({ noun, thing, more = {}, locationOf }: Stored) {
  const prints = () =>
    z.object({
      profile: z.string(),
      [noun]: z.enum(['SQLite', 'PostgreSQL']),
      place: z.string(),
      from: z.nullable(z.string()),
      ...Object.fromEntries(Object.entries(more).map(([field, { schema }]) => [field, schema()])),
    });
  const columns = [
    { field: 'profile', title: 'Profile' },
    { field: noun, title: `${noun[0]?.toUpperCase()}${noun.slice(1)}` },
    { field: 'place', title: 'Place' },
    { field: 'from', title: 'Set by' },
    ...Object.entries(more).map(([field, { title }]) => ({ field, title })),
  ];
  const nowOf = (account: Account, terminal: Terminal, name: string) => {
    const { path, server, more: values } = locationOf(account, terminal, name);
    const place = server ? serverAddressOf(server.url, server.from).name : path;
    return { profile: name, [noun]: server ? 'PostgreSQL' : 'SQLite', place, from: server?.from ?? null, ...values };
  };
  const shown = (account: Account, terminal: Terminal, name: string) => ({
    result: { data: nowOf(account, terminal, name), columns },
  });
  const show = command({
    words: ['profiles', noun, 'show'],
    summary: `Show where a profile stores ${thing}`,
    examples: [`fiatrail profiles ${noun} show`, `fiatrail profiles ${noun} show main -o json --query place`],
    endpoints: [],
    prints,
    isLocal: true,
    parameters: { name: nameArgument },
    run: async (account, terminal, { name = account.profile.name }) => {
      if (name !== account.profile.name || storedProfileNamed(name, account.world)) requireProfile(account, name);
      return shown(account, terminal, name);
    },
  });
  return {
    show,
    prints,
    shown,
    locationNow: (account: Account, terminal: Terminal, name: string): string => nowOf(account, terminal, name).place,
  };
}
