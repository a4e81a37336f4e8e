import * as z from 'zod/mini';
import { changeProfile } from '../../account/changes.ts';
import { planNoticeCommand, planNoticeUrl } from '../../account/plan-notices.ts';
import type { Account } from '../../engine/account.ts';
import { endDryRun } from '../../engine/requests.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { nothingTo, option } from '../../terminal/parse/parameters.ts';
import { nameArgument } from './location.ts';
import { requireProfile } from './show.ts';

const prints = () =>
  z.object({ profile: z.string(), notifyCommand: z.nullable(z.string()), notifyUrl: z.nullable(z.string()) });

const COLUMNS = [
  { field: 'profile', title: 'Profile' },
  { field: 'notifyCommand', title: 'Notify command' },
  { field: 'notifyUrl', title: 'Notify URL' },
] as const;

function shown(account: Account, name: string) {
  const { command: notifyCommand = null, url: notifyUrl = null } = requireProfile(account, name).planNotices ?? {};
  return { result: { data: { profile: name, notifyCommand, notifyUrl }, columns: COLUMNS } };
}

const showCommand = command({
  words: ['profiles', 'plans', 'show'],
  summary: 'Show what a profile tells about plans',
  examples: ['fiatrail profiles plans show main'],
  endpoints: [],
  prints,
  isLocal: true,
  parameters: { name: nameArgument },
  run: async (account, _terminal, { name = account.profile.name }) => shown(account, name),
});

/** The word that removes a setting. */
const OFF = 'off';

const commandOrOff = (text: string): string => (text === OFF ? OFF : planNoticeCommand(text));
const urlOrOff = (text: string): string => (text === OFF ? OFF : planNoticeUrl(text));

const SETTINGS = {
  notifyCommand: option(
    '--notify-command <command>',
    'run this program when a plan waits or is decided ("off" removes it)',
    commandOrOff,
  ),
  notifyUrl: option(
    '--notify-url <url>',
    'send this URL a POST when a plan waits or is decided ("off" removes it)',
    urlOrOff,
  ),
};

/** A setting after a command: as it was if the flag was not given, and gone with "off". */
const next = (given: string | undefined, now: string | undefined) =>
  given === undefined ? now : given === OFF ? undefined : given;

const setCommand = command({
  words: ['profiles', 'plans', 'set'],
  summary: 'Set what is told when a plan waits or is decided',
  details:
    'The command and the URL are told by the host that wrote, approved, rejected or withdrew the plan, once this is in the journal. The command is a program and its arguments: no shell reads it, and the facts of the plan are in variables such as FIATRAIL_PLAN_ID, FIATRAIL_PLAN_STATUS and FIATRAIL_PLAN_SUMMARY, and as JSON on standard input. The URL gets the same JSON; it is https, or http on this machine. No secret is among the facts. What takes longer than 10 seconds or fails is a warning, and changes nothing for the plan. An export does not contain these settings.',
  examples: [
    'fiatrail profiles plans set main --notify-command "/usr/local/bin/tell-approvers --queue plans"',
    'fiatrail profiles plans set main --notify-url https://ops.example.com/plans',
    'fiatrail profiles plans set main --notify-url off',
  ],
  endpoints: [],
  prints,
  isLocal: true,
  parameters: { name: nameArgument, ...SETTINGS },
  run: async (account, terminal, { name = account.profile.name, notifyCommand, notifyUrl }) => {
    if (notifyCommand === undefined && notifyUrl === undefined) throw nothingTo('set', SETTINGS);
    const stored = requireProfile(account, name);
    const { command: commandNow, url: urlNow } = stored.planNotices ?? {};
    const planNotices = { command: next(notifyCommand, commandNow), url: next(notifyUrl, urlNow) };
    endDryRun(account, {
      profile: name,
      notifyCommand: planNotices.command ?? null,
      notifyUrl: planNotices.url ?? null,
    });
    await confirmChange(terminal.dialog, {
      summary: `change what profile ${name} tells about plans`,
      lines: [
        ['command', `${commandNow ?? 'none'} → ${planNotices.command ?? 'none'}`],
        ['URL', `${urlNow ?? 'none'} → ${planNotices.url ?? 'none'}`],
      ],
    });
    const isOff = planNotices.command === undefined && planNotices.url === undefined;
    await changeProfile(account.world, name, (current) => ({
      ...(current ?? stored),
      planNotices: isOff ? undefined : planNotices,
    }));
    return shown(account, name);
  },
});

export const planNoticeCommands = [showCommand, setCommand];
