import * as z from 'zod/mini';
import { changeProfile } from '../../account/changes.ts';
import { chosenProfile, fromStored, type Mode, modeForPeople, storedProfileNamed } from '../../account/profile.ts';
import { parseSharedRules, type Rules } from '../../account/rules.ts';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { endDryRun } from '../../engine/requests.ts';
import { commandRulesForPeople, rulesByCommand } from '../../engine/rules/by-command.ts';
import { brokenRule } from '../../engine/rules/check.ts';
import { type RuleSet, type RuleVerdict, settingOf } from '../../engine/rules/verdicts.ts';
import { recordSetting } from '../../engine/sending/setting.ts';
import type { Journal } from '../../journal/interface.ts';
import { amountSchema, paginationSchema } from '../../present/prints.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { nothingTo, optionalArgument, someArguments, switchOn, word } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { openTerminal } from '../../terminal/terminal.ts';
import { editedRules, editsOf, RULE_FLAGS } from './rule-flags.ts';
import { requireProfile } from './show.ts';

/** How people read where a rule is stored. */
const SOURCES: Readonly<Record<RuleSet['from'], string>> = { profile: 'profile', journal: 'shared journal' };

const SHOWN = [
  { field: 'rule', title: 'Rule' },
  { field: 'setting', title: 'Setting' },
  { field: 'source', title: 'Stored in' },
] as const;

const ruleSchema = () => z.object({ rule: z.string(), setting: z.string(), source: z.enum(Object.values(SOURCES)) });

const HELD = [
  { field: 'command', title: 'Command' },
  { field: 'amount', title: 'Amount' },
  { field: 'destination', title: 'Destination' },
  { field: 'others', title: 'Other rules' },
] as const;

/** What `profiles rules show` and `profiles rules set` print. */
const rulesSchema = () =>
  z.object({
    rules: z.array(ruleSchema()),
    pagination: paginationSchema(),
    commands: z.array(
      z.object({
        command: z.string(),
        amounts: z.array(z.string()),
        unlimited: z.array(z.string()),
        destinations: z.array(z.string()),
        stops: z.boolean(),
        others: z.array(z.string()),
      }),
    ),
  });

/** A rule as `profiles rules show` lists it. */
interface Listed {
  /** The name of the flag that sets it. */
  readonly rule: string;
  readonly setting: string;
}

/** Lists rules with the flags that set them. */
function listed(rules: Rules): readonly Listed[] {
  const each = (rule: string, settings: readonly string[] | undefined) =>
    (settings?.length === 0 ? ['none'] : (settings ?? [])).map((setting) => ({ rule, setting }));
  return [
    ...(rules.readOnly ? [{ rule: 'read-only', setting: 'on' }] : []),
    ...(rules.amounts ?? []).map((rule) => ({ rule: `max-per-${rule.per}`, setting: settingOf.amount(rule) })),
    ...each('allow-account', rules.accounts),
    ...each('allow-address', rules.addresses),
    ...each('allow-user', rules.users),
    ...each('hours', rules.hours),
    ...(rules.requireOnce ? [{ rule: 'require-once', setting: 'on' }] : []),
    ...(rules.maxFromMarket === undefined
      ? []
      : [{ rule: 'max-from-market', setting: settingOf.market(rules.maxFromMarket) }]),
    ...(rules.agentAllowance === undefined
      ? []
      : [{ rule: 'agent-allowance', setting: `${settingOf.amount(rules.agentAllowance)} a day` }]),
    ...(rules.confirmAbove ?? []).map((rule) => ({ rule: 'confirm-above', setting: settingOf.amount(rule) })),
  ];
}

const rowsOf = (from: RuleSet['from'], rules: Rules = {}) =>
  listed(rules).map((each) => ({ ...each, source: SOURCES[from] }));

/** Returns the rules that hosts share; undefined if there are none. Throws CliError usage. */
async function sharedRules(journal: Journal | undefined): Promise<Rules | undefined> {
  const text = await journal?.shared('rules');
  return text === undefined ? undefined : parseSharedRules(text);
}

/** Prints the rules of an account's profile, and those that hosts share, which count for every account but an embedded sandbox. */
async function rulesResult(account: Account): Promise<Outcome> {
  const { name, mode } = account.profile;
  // Read again, because this command may have changed them.
  const own = storedProfileNamed(name, account.world)?.rules;
  const shared = mode === 'embedded' ? undefined : await sharedRules(await existingJournal(account));
  const rows = [...rowsOf('profile', own), ...rowsOf('journal', shared)];
  if (rows.length === 0)
    await account.notices.note(`profile ${name} has no rules; set one with: fiatrail profiles rules set`);
  const commands = rulesByCommand([own, shared].flatMap((each) => each ?? []));
  return {
    result: {
      data: { rules: rows, commands },
      lists: 'rules',
      list: { isWhole: true },
      columns: SHOWN,
      ...(rows.length > 0
        ? { below: { title: 'Rules by command', rows: commands.map(commandRulesForPeople), columns: HELD } }
        : {}),
    },
  };
}

/** Runs work with the account of a profile, which may have another journal than the active one. */
async function withAccountOf<T>(
  account: Account,
  terminal: Terminal,
  given: string | undefined,
  work: (own: Account, terminal: Terminal) => Promise<T>,
): Promise<T> {
  const { world, command } = account;
  const { runs } = terminal;
  const name = given ?? chosenProfile(terminal.globals.profile, world).name;
  if (name === account.profile.name) return work(account, terminal);
  const profile = fromStored(requireProfile(account, name), world);
  const globals = { ...terminal.globals, profile: name };
  const own = openTerminal({ world, profile, globals, command, runs });
  try {
    return await work(own.account, own.terminal);
  } finally {
    await own.close();
  }
}

const showCommand = command({
  words: ['profiles', 'rules', 'show'],
  summary: 'Show the rules of a profile',
  details:
    'Shows the rules in the profile and those in a shared journal. A change must meet both. The second table shows the rules by command.',
  examples: ['fiatrail profiles rules show', 'fiatrail profiles rules show main -o json --query "rules[].setting"'],
  endpoints: [],
  prints: rulesSchema,
  isLocal: true,
  parameters: { name: optionalArgument('name', 'profile name (default: the active profile)', word) },
  run: async (account, terminal, { name }) => withAccountOf(account, terminal, name, rulesResult),
});

/** Rules to be changed, and where they are stored. */
interface RulesTarget {
  readonly what: string;
  readonly profile: string;
  readonly mode: Mode;
  readonly baseUrl: string;
  readonly rules: Rules | undefined;
  /** Saves the rules, unless they were changed in the meantime. Throws CliError. */
  save(next: Rules | undefined): Promise<void>;
}

const changedInTheMeantime = (what: string) =>
  new CliError('usage', `another command changed ${what} in the meantime; nothing was saved`, {
    code: 'CONFIG_CHANGED',
    hint: 'run the command again',
  });

const isEqual = (one: Rules | undefined, other: Rules | undefined) =>
  JSON.stringify(listed(one ?? {})) === JSON.stringify(listed(other ?? {}));

function profileTarget(account: Account): RulesTarget {
  const { world } = account;
  const { name } = account.profile;
  const { mode, baseUrl = '', rules } = requireProfile(account, name);
  const what = `the rules of profile ${name}`;
  const save = async (next: Rules | undefined) => {
    await changeProfile(world, name, (found) => {
      const now = found ?? storedProfileNamed(name, world);
      if (!now || !isEqual(now.rules, rules)) throw changedInTheMeantime(what);
      const { rules: _, ...rest } = now;
      return next ? { ...rest, rules: next } : rest;
    });
  };
  return { what, profile: name, mode, baseUrl, rules, save };
}

async function sharedTarget(account: Account): Promise<RulesTarget> {
  const { name, mode, baseUrl } = account.profile;
  const journal = await account.journal();
  const before = await journal.shared('rules');
  const rules = before === undefined ? undefined : parseSharedRules(before);
  const what = 'the rules of the shared journal';
  const save = async (next: Rules | undefined) => {
    if (!(await journal.setShared('rules', next && JSON.stringify(next), before))) throw changedInTheMeantime(what);
  };
  return { what, profile: name, mode, baseUrl, rules, save };
}

const asTyped = (rules: Rules | undefined) => listed(rules ?? {}).map(({ rule, setting }) => `${rule} ${setting}`);

/** Returns what a change removes and adds, as lines of the confirmation. */
function changeLines(before: Rules | undefined, after: Rules | undefined) {
  const [old, next] = [asTyped(before), asTyped(after)];
  return [
    ...old.filter((each) => !next.includes(each)).map((each) => ['removes', each] as const),
    ...next.filter((each) => !old.includes(each)).map((each) => ['sets', each] as const),
  ];
}

/** Asks before rules change. Those of a live account, and those that other hosts have too, need a person on a terminal. */
async function agree(
  account: Account,
  terminal: Terminal,
  { what, mode, profile }: RulesTarget,
  lines: ReturnType<typeof changeLines>,
  isShared: boolean,
) {
  const change = {
    summary: `change ${what}`,
    lines: [...(isShared ? [] : [['profile', `${profile} (${modeForPeople(mode)})`] as const]), ...lines],
  };
  if (mode !== 'live' && !isShared) return confirmChange(terminal.dialog, change);
  if (!account.notices.isInteractive)
    throw new CliError('usage', `cannot ask for confirmation without a terminal: change ${what}; nothing was changed`, {
      code: 'CONFIRMATION_NEEDED',
      hint: 'run the command on a terminal; --yes is not enough to change these rules',
    });
  return confirmChange(terminal.dialog, change, true);
}

/** Records a change of rules in the journal, before and after it is made. */
async function journaled(
  account: Account,
  target: RulesTarget,
  lines: ReturnType<typeof changeLines>,
  change: () => Promise<void>,
) {
  const { what, profile, mode, baseUrl, rules } = target;
  const owner = `rules of ${profile}`;
  const setting = {
    // Rules belong to a profile, so its key need not be known, nor be the one of its payments.
    account: { keyFingerprint: owner, profile: owner, baseUrl: '' },
    profile,
    mode,
    baseUrl,
    endpoint: 'profiles.rules',
    summary: `change ${what}: ${lines.map(([verb, each]) => `${verb} ${each}`).join('; ')}`,
    request: JSON.stringify({ before: asTyped(rules), changes: lines.map((each) => each.join(' ')) }),
    input: JSON.stringify([account.command.line, lines]),
  };
  await recordSetting(account, setting, change);
}

async function changeRules(
  account: Account,
  terminal: Terminal,
  given: Parameters<typeof editsOf>[0],
  isShared: boolean,
): Promise<void> {
  const target = isShared ? await sharedTarget(account) : profileTarget(account);
  const before = target.rules ?? {};
  const next = editedRules(before, editsOf(given, before));
  const lines = changeLines(target.rules, next);
  endDryRun(account, { rules: target.what, changes: lines.map((each) => each.join(' ')) });
  if (lines.length === 0) return account.notices.note(`${target.what} are already like this; nothing was changed`);
  await agree(account, terminal, target, lines, isShared);
  await journaled(account, target, lines, () => target.save(next));
}

const setCommand = command({
  words: ['profiles', 'rules', 'set'],
  summary: 'Set, change or remove the rules of a profile',
  details:
    'fiatrail checks the rules before it records and sends a change. A change that breaks a rule exits with 9, even with --yes. Rules that you do not name stay unchanged. The journal records each change of the rules; on a live profile, it needs a terminal, and --yes is not enough. Rules prevent mistakes, not misuse: anyone who can change the profile can change its rules.',
  examples: [
    'fiatrail profiles rules set main --max-per-call "NGN 500000" --max-per-day "NGN 2000000 fees withdraw"',
    'fiatrail profiles rules set main --allow-account 000013/0123456789 --hours "mon-fri 08:00-18:00"',
    'fiatrail profiles rules set reports --read-only',
    'fiatrail profiles rules set --shared --max-per-month "CNGN 50000000"',
  ],
  endpoints: [],
  prints: rulesSchema,
  isLocal: true,
  parameters: {
    name: optionalArgument('name', 'profile name (default: the active profile)', word),
    shared: switchOn('--shared', 'change the rules in the journal, which apply to every host that uses it'),
    ...RULE_FLAGS,
  },
  run: async (account, terminal, { name, shared, ...given }) => {
    if (shared && name !== undefined)
      throw new CliError('usage', 'a profile name and --shared cannot be combined', {
        hint: 'the rules of a shared journal count for every profile',
      });
    if (Object.values(given).every((value) => value === undefined)) throw nothingTo('set', RULE_FLAGS);
    return withAccountOf(account, terminal, name, async (own, terminal) => {
      await changeRules(own, terminal, given, shared === true);
      return rulesResult(own);
    });
  },
});

const TESTED = [
  { field: 'rule', title: 'Rule' },
  { field: 'setting', title: 'Setting' },
  { field: 'source', title: 'Stored in' },
  { field: 'result', title: 'Result' },
  { field: 'left', title: 'Left' },
  { field: 'detail', title: 'Detail' },
] as const;

/** What a command line that is tested ends with. */
interface Tested {
  readonly profile: string;
  readonly rules: readonly RuleVerdict[];
}

const testedRow = ({ rule, setting, from, result, left, detail }: RuleVerdict) => ({
  rule,
  setting,
  source: SOURCES[from],
  result,
  left: left ?? null,
  detail: detail ?? null,
});

const testedRuleSchema = () =>
  z.extend(ruleSchema(), {
    result: z.enum(['allows', 'blocks', 'not applicable']),
    left: z.nullable(amountSchema()),
    detail: z.nullable(z.string()),
  });

const testCommand = command({
  words: ['profiles', 'rules', 'test'],
  summary: 'Check a command line against the rules, without sending it',
  details:
    'Write the command line after "--". It runs until it would send its first change, so it may read from the service. Exit code 9 means that a rule blocks it.',
  examples: [
    'fiatrail profiles rules test -- fees withdraw --amount 25000 --to BANK_ACCOUNT_ID',
    'fiatrail profiles rules test --profile main -- payout create --amount 5000 --to BANK_ACCOUNT_ID',
  ],
  endpoints: [],
  prints: () => z.object({ rules: z.array(testedRuleSchema()), pagination: paginationSchema() }),
  parameters: { line: someArguments('command', 'command line to test, after --', word, 'Command line:') },
  run: async (account, terminal, { line }) => {
    const { profile } = terminal.globals;
    const { result } = await terminal.runs.line(
      ['--quiet', ...(profile === undefined ? [] : ['--profile', profile]), ...line],
      account.world,
      true,
    );
    const tested = result?.data as Partial<Tested> | undefined;
    if (!tested?.rules || tested.profile === undefined)
      throw new CliError('usage', 'this command line sends no request, so no rule applies to it');
    const rows = tested.rules.map(testedRow);
    const error = brokenRule(tested.profile, tested.rules);
    return {
      result: { data: { rules: rows }, lists: 'rules', list: { isWhole: true }, columns: TESTED },
      ...(error ? { error } : {}),
    };
  },
});

export const rulesCommands = [showCommand, setCommand, testCommand];
