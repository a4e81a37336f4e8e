import { FORMATS } from '../../present/result.ts';
import type { Command } from '../command.ts';
import type { HelpRow } from './layout.ts';

const PROFILE: HelpRow = ['--profile <name>', 'profile to use'];
const OUTPUT: HelpRow = ['-o, --output <format>', FORMATS.join(', ')];
const FIELDS: HelpRow = ['--fields <a,b>', 'fields to print, comma-separated'];
const QUERY: HelpRow = ['--query <JMESPath>', 'filter the output with a JMESPath expression'];
const ZONE: HelpRow = ['--tz <zone>', 'time zone of the dates'];
const YES: HelpRow = ['-y, --yes', 'skip confirmation prompts'];
const DRY_RUN: HelpRow = ['--dry-run', 'print the request without sending it'];

/** The options that people use most, for the first screen. */
export const COMMON_OPTIONS: readonly HelpRow[] = [PROFILE, OUTPUT, YES, DRY_RUN, ['-h, --help', 'show help']];

/** Commands that ask before they do something, besides those that move money. */
export const ASKING: readonly string[] = [
  'api',
  'bank-accounts add',
  'bank-accounts remove',
  'fx orders remove',
  'fx orders update',
  'fx vault set',
  'ip add',
  'ip remove',
  'ip replace',
  'keys encryption enable',
  'keys encryption rotate',
  'keys platform accept',
  'keys rotate',
  'ops apply',
  'ops resolve',
  'ops sign',
  'ops verify',
  'profiles journal set',
  'profiles operators add',
  'profiles operators cancel',
  'profiles operators remove',
  'profiles remove',
  'profiles rules set',
  'profiles sign-above set',
  'profiles trust',
  'report accept',
  'sandbox reset',
  'sandbox restore',
  'sync forget',
  'users default-wallet remove',
  'users default-wallet set',
  'users onboarding start',
  'wallets external remove',
  'webhooks inbox prune',
  'webhooks listen',
  'webhooks set',
];

/** The last words of commands that change nothing (docs/contributing/naming.md), so that a dry run is of no use. */
const READING = new Set([
  ...['account', 'address', 'backup', 'bash', 'check', 'clock', 'deposits', 'deposit-account', 'earned'],
  ...[
    'events',
    'export',
    'fish',
    'gaps',
    'head',
    'list',
    'listen',
    'networks',
    'open',
    'payouts',
    'preview',
    'quote',
    'fees',
    'users',
    'pending',
    'balance',
    'owed',
  ],
  ...['serve', 'show', 'snapshot', 'stats', 'status', 'test', 'token', 'transactions', 'user', 'verify', 'withdrawals'],
  ...['zsh', 'resume', 'reconcile'],
]);

/** Groups of one command that send nothing, or only read. */
const READING_GROUPS = new Set([
  'banks',
  'doctor',
  'endpoints',
  'explain',
  'openapi',
  'schema',
  'tour',
  'version',
  'whoami',
]);

/** Local commands that read the profile all the same: its journal, its inbox or its settings. */
const USES_PROFILE = /^(doctor|explain|ops|webhooks)\b/;

/** Whether a command is about the account of the chosen profile. */
export const usesProfile = ({ words, isLocal = false }: Pick<Command, 'words' | 'isLocal'>): boolean =>
  !isLocal || USES_PROFILE.test(words.join(' '));

/** Returns the global options that matter for a command. */
export function optionsOf(command: Command): readonly HelpRow[] {
  const { words, parameters, prints, money } = command;
  const name = words.join(' ');
  const isReading = READING.has(words.at(-1) ?? '') || READING_GROUPS.has(words[0] ?? '');
  const isDated = Object.values(parameters).some((each) => each.name.startsWith('--since '));
  return [
    ...(usesProfile(command) ? [PROFILE] : []),
    ...(prints ? [OUTPUT, FIELDS, QUERY] : []),
    ...(isDated ? [ZONE] : []),
    ...(money !== undefined || ASKING.includes(name) ? [YES] : []),
    ...(isReading ? [] : [DRY_RUN]),
  ];
}
