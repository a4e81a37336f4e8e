import { ownApprover } from '../../account/approvers.ts';
import { CliError } from '../../base/errors.ts';
import { SECRET_VARIABLES, Secret } from '../../base/secret.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { World } from '../../base/world.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { redactText, secretsIn } from '../../contract/redact.ts';
import { fingerprint } from '../../crypto/digest.ts';
import { type Amount, amount, amountForPeople, amountText, isAsset } from '../../money/amount.ts';
import { isWireNumber, parseExactJson, wireNumberText } from '../../money/decimal.ts';
import { exactAmount, isPlainAmount, isPlainObject, type Plain, toPlain } from '../../present/plain.ts';
import type { Result } from '../../present/result.ts';
import type { AccountOptions } from '../connection/notices.ts';
import { writtenText } from './acts.ts';
import { approversOf, type WarnedAccount } from './approver-list.ts';
import { createPlan, planText } from './file.ts';
import { isUncertain, type ShownLine } from './line.ts';
import { notifyOfPlan } from './notify.ts';
import {
  hashOf,
  type Plan,
  type PlanContent,
  type PlannedAmount,
  type PlannedLine,
  type Terms,
  type TypedInput,
} from './plan.ts';
import { PLAN_COLUMNS, proofLines, shownPlan } from './shown.ts';
import { type Signed, withSignature } from './signatures.ts';

/** The command whose change is planned, as it was typed. */
interface TypedCommand {
  readonly words: readonly string[];
  readonly input: TypedInput;
  /** As a shell would take it. */
  readonly commandLine: string;
}

/** Writes what would be sent into the journal, or to a file. */
interface PlanToWrite {
  readonly kind: 'write';
  /** Undefined for the journal. */
  readonly path: string | undefined;
  readonly lifetimeMs: number;
  /** Identifies the plan, also to a service that does a request at most once per key. */
  readonly id: string;
  readonly typed: TypedCommand;
}

/** Sends exactly what a plan says, once. */
export interface PlanToApply {
  readonly kind: 'apply';
  readonly plan: Plan;
  readonly typed: TypedCommand;
  readonly signed: readonly Signed[];
}

/** Compares a plan with the account, as applying it does, and sends nothing. */
interface PlanToCheck extends Omit<PlanToApply, 'kind'> {
  readonly kind: 'check';
}

/** Sends a row of a file whose plan is applied: the file was compared with the plan, so that no row is. */
interface PlanOfRow extends Omit<PlanToApply, 'kind' | 'typed'> {
  readonly kind: 'row';
}

/** What an account does with the change of its command instead of sending it as it is. */
export type PlanMode = PlanToWrite | PlanToApply | PlanToCheck | PlanOfRow;

/** The plan by which a request is sent. */
export type AppliedPlan = PlanToApply | PlanOfRow;

/** The parts of an account that plans need. */
interface PlanningAccount extends WarnedAccount {
  readonly globals: Pick<AccountOptions, 'agent'>;
  readonly time: { nowMs(): Promise<number> };
}

/** A change of a command: the request, and what a confirmation shows. */
export interface PlannedChange {
  readonly endpoint: Pick<Endpoint, 'id' | 'request'> & { readonly method: string; readonly path: string };
  readonly input: unknown;
  readonly summary: string;
  readonly lines: readonly ShownLine[];
  readonly tag: string | undefined;
  /** How many operations it makes; one if left out. */
  readonly count?: number;
  /** What it moves, if its input is no request that says it. */
  readonly sums?: readonly Amount[];
  /** Its rows with what each moves, if it is a file: an approver may strike some out. */
  readonly rows?: ReadonlyMap<string, Amount | undefined>;
  /** Reads what an approver should know and what may be otherwise later: it is shown, and not compared. */
  readNotes?(): Promise<readonly ShownLine[]>;
  /** Records the plan in the journal, with what it is about. Returns false if the journal has that id. */
  record?(id: string, entry: string): Promise<boolean>;
  /** The rules of the profile and of the journal that it meets. */
  rulesMet(): Promise<readonly string[]>;
  /** Reads the previews; rejects if one of them cannot be read. */
  readPreviews(): Promise<readonly ShownLine[]>;
}

/** A new plan as it is printed, and the lines of a confirmation. */
interface WrittenPlan {
  /** Its id, or the path of its file as a shell takes it. */
  readonly name: string;
  readonly result: Result;
  readonly shown: readonly ShownLine[];
}

/** Writes the plan of a change, and sends nothing. Throws CliError. */
export async function writePlan(
  account: PlanningAccount,
  { path, lifetimeMs, id, typed }: PlanToWrite,
  change: PlannedChange,
): Promise<WrittenPlan> {
  const { world, profile } = account;
  requireNoSecret(change);
  const { terms, balance, balanceLine } = await termsOf(typed, change);
  const { keyFingerprint } = await account.accountNames();
  const own = await ownApprover((await approversOf(account)).approvers, profile, world);
  const nowMs = await account.time.nowMs();
  const { name, mode, baseUrl } = profile;
  const content: PlanContent = {
    id,
    createdAt: new Date(nowMs).toISOString(),
    expiresAt: new Date(nowMs + lifetimeMs).toISOString(),
    author: {
      user: world.host.user,
      host: world.host.name,
      approver: own ? { name: own.name, publicKey: own.publicKey } : null,
      ...(account.globals.agent === undefined ? {} : { agent: account.globals.agent }),
    },
    account: { profile: name, mode, baseUrl, keyFingerprint },
    words: typed.words,
    input: typed.input,
    ...terms,
    balance,
    rules: await change.rulesMet(),
  };
  const unsigned: Plan = { content, hash: hashOf(content), signatures: [] };
  const plan = own ? await withSignature(unsigned, own, 'author', nowMs) : unsigned;
  requireNoKnownSecret(planText(plan), world.env);
  requireNoKey([typed.input, change.input], keyFingerprint);
  if (path === undefined) {
    const journal = await account.journal();
    const record = change.record ?? ((name: string, entry: string) => journal.plans.add(name, entry, 0));
    if (!(await record(id, writtenText(plan)))) throw new Error(`the journal has a plan ${id} already`);
    await notifyOfPlan(account, plan, { status: 'waiting', by: content.author });
  } else createPlan(path, plan);
  const result = {
    data: shownPlan(path ?? id, plan, { signed: plan.signatures, status: 'waiting' }),
    columns: PLAN_COLUMNS,
  };
  const notes = (await change.readNotes?.()) ?? [];
  const shown = [...terms.lines, ...terms.previews, ...(balanceLine ? [plain(balanceLine)] : []), ...notes];
  return { name: path === undefined ? id : shellWord(path), result, shown };
}

/** Throws CliError usage for a request with a secret field: a plan is handed to others. */
function requireNoSecret({ endpoint, input }: PlannedChange): void {
  if (secretsIn(endpoint.request(), input).length > 0) throw secretInPlan();
}

/** Throws CliError usage for a text that contains a secret of this process. */
function requireNoKnownSecret(text: string, env: World['env']): void {
  const secrets = SECRET_VARIABLES.flatMap((name) => env[name]?.trim() || []);
  if (redactText(text, secrets) !== text) throw secretInPlan();
}

/** Throws CliError usage if a word of a text is the account’s API key, of which only the fingerprint is known here. */
function requireNoKey(value: unknown, keyFingerprint: string): void {
  if (typeof value === 'string') {
    if (value.split(/\s+/).some((word) => fingerprint(new Secret(word)) === keyFingerprint)) throw secretInPlan();
  } else if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) requireNoKey(each, keyFingerprint);
  }
}

function secretInPlan(): CliError {
  return new CliError('usage', 'the request contains a secret, which a plan must not; nothing was sent', {
    code: 'SECRET_IN_PLAN',
    hint: 'send it without --plan',
  });
}

/** Reads the terms of a change as they are now. */
async function termsOf(typed: TypedCommand, change: PlannedChange) {
  const { endpoint, input, summary, lines, tag, count = 1, sums } = change;
  const { id, method, path } = endpoint;
  const previews = await change.readPreviews();
  const found = previews.find(([, , each]) => each);
  const known = isUncertain(found?.[2]) ? undefined : found?.[2];
  const line = known && found;
  const terms: Terms = {
    commandLine: typed.commandLine,
    summary,
    endpoint: id,
    method,
    path,
    request: parseExactJson(JSON.stringify(input)) as Terms['request'],
    tag: tag ?? null,
    amounts: sums ? sums.map(plannedSum) : amountsOf(toPlain(input, endpoint.request()), ''),
    count,
    lines: lines.map(plain),
    previews: previews.filter(([, , each]) => !each).map(plain),
  };
  const { asset, beforeMinor, afterMinor } = known ?? {};
  const balance: PlanContent['balance'] =
    line && asset !== undefined
      ? {
          text: line[1],
          asset,
          beforeMinor: String(beforeMinor),
          afterMinor: afterMinor === undefined ? null : String(afterMinor),
        }
      : null;
  return { terms, balance, balanceLine: line };
}

const plain = ([label, value]: ShownLine): PlannedLine => [label, value];

const plannedSum = (sum: Amount): PlannedAmount => ({
  field: 'sum',
  asset: sum.asset,
  value: amountText(sum),
  minor: String(sum.minor),
});

/** A change that is what its plan says. */
export interface Agreed {
  readonly input: unknown;
  readonly tag: string | undefined;
  readonly lines: readonly ShownLine[];
  readonly previews: readonly ShownLine[];
  /** What may be otherwise later. */
  readonly notes: readonly ShownLine[];
}

/**
 * Compares a change with its plan, and returns it with the plan’s tag. Throws CliError declined if anything is not as the plan says:
 * the request, the fees, the destination, or a balance that no longer covers it.
 */
export async function agreedChange(
  { plan, typed, signed }: Omit<PlanToApply, 'kind'>,
  given: PlannedChange,
  isDryRun: boolean,
): Promise<Agreed> {
  // A dry run reads nothing.
  const readPreviews = isDryRun ? async () => plan.content.previews : given.readPreviews;
  const change = withTagOf(plan, { ...given, readPreviews });
  const { terms, balance, balanceLine } = await termsOf(typed, change);
  const changes = changesBetween(termsIn(plan.content), terms);
  if (balance?.afterMinor?.startsWith('-')) changes.push(`balance: ${shortfall(balance.asset, balance.afterMinor)}`);
  if (changes.length > 0)
    throw new CliError('declined', `the plan no longer holds: ${changes.join('; ')}; nothing was sent`, {
      code: 'PLAN_CHANGED',
      hint: 'write a new plan with --plan',
    });
  const previews = [...terms.previews, ...(balanceLine ? [plain(balanceLine)] : [])];
  const notes = isDryRun ? [] : ((await change.readNotes?.()) ?? []);
  return {
    input: change.input,
    tag: change.tag,
    previews,
    notes,
    lines: [...change.lines, ...proofLines(plan, signed)],
  };
}

/** The terms of a plan without its other fields. */
function termsIn(content: PlanContent): Terms {
  const { id: _, createdAt: _created, expiresAt: _expires, author: _author, account: _account, ...rest } = content;
  const { words: _words, input: _input, balance: _balance, rules: _rules, ...terms } = rest;
  return terms;
}

function shortfall(asset: NonNullable<PlanContent['balance']>['asset'], afterMinor: string): string {
  return `${amountForPeople(amount(asset, -BigInt(afterMinor)))} short now`;
}

/** Returns a change with the tag of its plan, because a command makes a new tag each time. */
function withTagOf({ content: { tag } }: Plan, change: PlannedChange): PlannedChange {
  const own = change.tag;
  if (tag === null || own === undefined) return change;
  const lines = change.lines.map(([label, value]): ShownLine => [label, value === own ? tag : value]);
  return { ...change, tag, lines, input: replaced(change.input, own, tag) };
}

/** Returns a copy with every text that is `from` replaced. */
function replaced(value: unknown, from: string, to: string): unknown {
  if (value === from) return to;
  if (Array.isArray(value)) return value.map((each) => replaced(each, from, to));
  if (typeof value !== 'object' || value === null || isWireNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, from, to)]));
}

function amountsOf(value: Plain, field: string): PlannedAmount[] {
  if (isPlainAmount(value)) {
    const { asset, minor } = exactAmount(value) ?? {};
    if (minor === undefined || value.value === null) return [];
    return asset && isAsset(asset) ? [{ field, asset, value: value.value, minor: String(minor) }] : [];
  }
  if (Array.isArray(value)) return value.flatMap((each, index) => amountsOf(each, `${field}[${index}]`));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => amountsOf(each, field ? `${field}.${name}` : name));
}

/** Returns what is different now, each with what it was and what it is: `fees: ₦100.00 before, ₦120.00 now`. Empty if nothing is. */
function changesBetween(planned: Terms, now: Terms): string[] {
  const shown = [...lineChanges(planned.lines, now.lines), ...lineChanges(planned.previews, now.previews)];
  const request = fieldChanges(planned.request, now.request, 'request');
  const { lines: _, previews: _previews, request: _request, ...rest } = planned;
  const others = fieldChanges(rest, { ...now, lines: undefined, previews: undefined, request: undefined }, '');
  // People know the lines; the fields say the same again.
  return shown.length > 0 ? shown : [...request, ...others];
}

/** Compares lines by their labels. A label may occur more than once. */
function lineChanges(planned: readonly PlannedLine[], now: readonly PlannedLine[]): string[] {
  const valuesOf = (lines: readonly PlannedLine[], label: string) =>
    lines.flatMap(([each, value]) => (each === label ? [value] : [])).join('; ');
  const labels = [...new Set([...planned, ...now].map(([label]) => label))];
  return labels.flatMap((label) => {
    const [before, after] = [valuesOf(planned, label), valuesOf(now, label)];
    return before === after ? [] : [changed(label, before, after)];
  });
}

const changed = (what: string, before: string, after: string) =>
  `${what}: ${before || 'nothing'} before, ${after || 'nothing'} now`;

function fieldChanges(planned: object, now: object, where: string): string[] {
  const names = [...new Set([...Object.keys(planned), ...Object.keys(now)])];
  return names.flatMap((name) => {
    const [before, after] = [textOf(Reflect.get(planned, name)), textOf(Reflect.get(now, name))];
    return before === after ? [] : [changed([where, name].filter(Boolean).join(' '), before, after)];
  });
}

/** A value as JSON; empty if it is missing. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return isWireNumber(value) ? wireNumberText(value) : JSON.stringify(value);
}
