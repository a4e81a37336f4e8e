import * as z from 'zod/mini';
import { limitOf } from '../../account/approval-threshold.ts';
import { ownApprover } from '../../account/approvers.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { journalLocationOf } from '../../engine/connection/journal-location.ts';
import {
  type ApproverChange,
  type ApproverList,
  accountForPeople,
  changeForPeople,
  LIST_CHANGES,
  limitsForPeople,
  type PendingChange,
  pendingForPeople,
  readApprovers,
  requireListed,
  requireNew,
  type StoredList,
} from '../../engine/plans/approver-list.ts';
import type { PlannedChange, PlanToApply } from '../../engine/plans/change.ts';
import type { Author } from '../../engine/plans/plan.ts';
import { requireSignatures } from '../../engine/plans/signatures.ts';
import type { Change } from '../../engine/sending/change.ts';
import { asPlanned } from '../../engine/sending/change.ts';
import { authorityOf, claimOf } from '../../engine/sending/send.ts';
import { recordSetting } from '../../engine/sending/setting.ts';
import { accountLine, confirmChange, confirmConsent } from '../../terminal/ask/confirm.ts';
import type { Terminal } from '../../terminal/terminal.ts';

type Lines = PlannedChange['lines'];

/** The list as it was read, with what a new list replaces. */
type Read = Awaited<ReturnType<typeof readApprovers>>;

/**
 * Makes a change of the approvers, or the plan of one. Once there are two, it needs the signature of one of them who is not the one
 * who asks. Throws CliError.
 */
export async function changeApprovers(account: Account, terminal: Terminal, wanted: ApproverChange): Promise<void> {
  const read = await readApprovers(account);
  const { list } = read;
  const nowIso = async () => new Date(await account.time.nowMs()).toISOString();
  const own = await asker(account, list);
  // Before anything is asked.
  changedList(list, wanted, own, await nowIso());
  const summary = changeForPeople(wanted);
  const { lines, previews } = linesOf(wanted, list);
  const planned = await asPlanned(
    account,
    terminal.consent,
    {
      endpoint: APPROVERS,
      input: wanted,
      summary,
      lines,
      tag: undefined,
      rulesMet: async () => [],
      readPreviews: async () => previews,
    },
    async () => {},
  );
  const applied = planned?.applied;
  if (list.needsAnother) requireSignatures(list, `a second person must approve, to ${summary}`, applied, 'changed');
  else requireService(account, list);
  const shown = planned ? planned.agreed.lines : lines;
  await consent(account, terminal, { summary, lines: [accountLine(account.profile), ...shown, ...previews] });
  if (applied) (await import('../../engine/plans/plan.ts')).requireUnexpired(applied.plan, await account.time.nowMs());
  await save(
    account,
    terminal,
    read,
    changedList(list, wanted, askedBy(applied, own), await nowIso()),
    summary,
    applied,
  );
}

/** Says who runs this command: the user of this machine, and as which approver. */
async function asker({ world, profile }: Account, { approvers }: ApproverList): Promise<Author> {
  const own = await ownApprover(approvers, profile, world);
  const approver = own ? { name: own.name, publicKey: own.publicKey } : null;
  return { user: world.host.user, host: world.host.name, approver };
}

/** What a change says, and the list as it is: a plan of it holds while both stay. */
function linesOf(
  wanted: ApproverChange,
  { approvers, approvalThresholds, accounts }: ApproverList,
): { lines: Lines; previews: Lines } {
  const names = approvers.map(({ name, publicKey }) => `${name} (${publicKey})`).join(', ');
  return {
    lines:
      wanted.change === 'approval-threshold'
        ? [['approval threshold', limitsForPeople(wanted.limits)]]
        : [
            ['approver', wanted.name],
            ['public key', wanted.publicKey],
          ],
    previews: [
      ['account', accounts.map(accountForPeople).join('; ') || 'no approvers yet'],
      ['approvers now', names || 'none'],
      ['approval threshold now', limitsForPeople(approvalThresholds)],
    ],
  };
}

const isShared = ({ world, profile }: Account): boolean => journalLocationOf(world, profile).server !== undefined;

/**
 * Asks for a person's consent, in a terminal if other hosts share the journal or it knows a live account, whatever profile asks: which
 * account a profile has is up to whoever runs the command.
 */
async function consent(account: Account, terminal: Terminal, change: Change): Promise<void> {
  const { profile } = account;
  const why = isShared(account)
    ? 'other hosts share it'
    : (await (await account.journal()).knowsLive())
      ? 'the journal has a LIVE account'
      : undefined;
  if (profile.mode === 'live' || why === undefined) return confirmConsent(terminal.dialog, profile, change);
  if (account.notices.isInteractive) return confirmChange(terminal.dialog, change, true);
  throw new CliError('usage', `this needs a person at a terminal, because ${why}: ${change.summary}`, {
    code: 'CONFIRMATION_NEEDED',
    hint: 'run it in a terminal; --yes does not count here',
  });
}

/** A change of approvers as a plan describes it: nothing is sent to the service. */
const APPROVERS = {
  id: LIST_CHANGES,
  method: 'CHANGE',
  path: 'approvers',
  // What a field holds that nobody declares may be a secret: an amount has as many digits as a BVN.
  request: () =>
    z.looseObject({
      change: z.string(),
      name: z.optional(z.string()),
      publicKey: z.optional(z.string()),
      limits: z.optional(z.array(z.looseObject({ asset: z.string(), minor: z.string() }))),
    }),
} as const;

/** How long a change waits that no other approver signed. */
const WAITING_MS = 48 * 3_600_000;

/** Returns a list after a change. Throws CliError usage if the change cannot be made. */
function changedList(list: ApproverList, wanted: ApproverChange, by: Author, at: string): ApproverList {
  const { approvers } = list;
  if (wanted.change === 'approval-threshold') return { ...list, approvalThresholds: wanted.limits };
  const { name, publicKey } = wanted;
  if (wanted.change === 'add') {
    requireNew(list, wanted);
    return { ...list, approvers: [...approvers, { name, publicKey, addedBy: by, addedAt: at }] };
  }
  requireListed(list, wanted);
  return { ...list, approvers: approvers.filter((each) => each.publicKey !== publicKey) };
}

/** Whether two changes are the same one. */
const isSameChange = (one: ApproverChange, other: ApproverChange): boolean =>
  JSON.stringify(asRow(one)) === JSON.stringify(asRow(other));

const asRow = (wanted: ApproverChange) =>
  wanted.change === 'approval-threshold'
    ? [wanted.change, ...wanted.limits.map((limit) => [limit.asset, String(limitOf(limit).minor)])]
    : [wanted.change, wanted.name, wanted.publicKey];

/** Saves a list as that of the account, and records who changed it. */
async function save(
  account: Account,
  terminal: Terminal,
  { list, stored }: Read,
  { approvers, approvalThresholds, pending }: ApproverList,
  summary: string,
  applied?: PlanToApply,
): Promise<void> {
  const { profile } = account;
  const { name, mode, baseUrl } = profile;
  const journal = await account.journal();
  const guard = terminal.consent.guard;
  const names = await account.accountNames();
  const next: StoredList = {
    account: { mode, baseUrl, keyFingerprint: names.keyFingerprint },
    approvers,
    approvalThresholds,
    pending,
  };
  const setting = {
    account: names,
    profile: name,
    mode,
    baseUrl,
    endpoint: APPROVERS.id,
    summary,
    request: JSON.stringify({ before: list, after: next }),
    input: guard?.input ?? JSON.stringify([account.command.line, next]),
    idempotencyKey: guard?.idempotencyKey,
    authority: applied && (await authorityOf(applied)),
    plan: applied && (await claimOf(account, applied)),
  };
  await recordSetting(account, setting, async () => {
    // The change itself is recorded by now, so that the account has an id.
    const id = stored?.id ?? (await journal.accountIds(names))[0];
    if (id !== undefined && (await journal.setShared(`approvers ${id}`, JSON.stringify(next), stored?.text))) return;
    throw new CliError('usage', 'another command changed the approvers in the meantime; nothing was changed', {
      code: 'CONFIG_CHANGED',
      hint: 'run the command again',
    });
  });
}

/** Whoever wrote the plan, if their signature proves it; else whoever runs this command. */
const askedBy = (applied: PlanToApply | undefined, own: Author): Author =>
  applied?.signed.some(({ role }) => role === 'author') ? applied.plan.content.author : own;

/**
 * Throws CliError declined unless a profile reaches the service that the list of a live account is of. A server of one's own says what
 * its owner wants, with the key of a live account too.
 */
function requireService({ profile }: Account, { accounts, isOwn, approvers }: ApproverList): void {
  if (profile.mode !== 'live' || approvers.length === 0) return;
  if (isOwn && accounts.every(({ baseUrl }) => baseUrl === profile.baseUrl)) return;
  throw new CliError(
    'declined',
    `the approvers are those of ${accounts.map(accountForPeople).join('; ')}, and profile ${profile.name} has ${profile.baseUrl}; nothing was changed`,
    {
      code: 'OTHER_SERVICE',
      hint: 'choose a profile with that account: --profile NAME; or have a second person approve the change: add --plan',
    },
  );
}

function needsKey(): CliError {
  return new CliError('usage', 'this needs an approver key of yours; nothing was changed', {
    code: 'NO_APPROVER_KEY',
    hint: advice`see the approvers with: [fiatrail profiles approvers list]`,
  });
}

/**
 * Makes a change that no other approver can sign, because their keys are lost: it is announced first, and made by the same command once
 * the waiting time is over. Returns when that is; undefined once it is made. Throws CliError.
 */
export async function changeAfterWaiting(
  account: Account,
  terminal: Terminal,
  wanted: ApproverChange,
): Promise<string | undefined> {
  const read = await readApprovers(account);
  const { list } = read;
  const own = await asker(account, list);
  if (!list.needsAnother)
    throw new CliError('usage', 'no one else could approve, so no approval is needed; nothing was changed', {
      hint: 'omit --without-approval',
    });
  if (!own.approver) throw needsKey();
  requireService(account, list);
  const nowMs = await waitingTime(account);
  const at = new Date(nowMs).toISOString();
  const next = changedList(list, wanted, own, at);
  const { pending } = list;
  if (pending) {
    requireOver(account, pending, wanted, nowMs);
    const made = changedList(list, wanted, pending.askedBy, at);
    await consent(account, terminal, consentTo(account, wanted, list));
    await save(
      account,
      terminal,
      read,
      { ...made, pending: null },
      `${changeForPeople(wanted)} after the waiting time`,
    );
    return undefined;
  }
  const endsAt = new Date(nowMs + WAITING_MS).toISOString();
  const askedAtByHost = new Date(account.world.clock.now()).toISOString();
  const announced: PendingChange = { wanted, askedBy: own, askedAt: at, endsAt, askedAtByHost };
  const change = consentTo(account, wanted, next);
  await consent(account, terminal, { ...change, lines: [...change.lines, ['can be made from', endsAt]] });
  const summary = `announce a change without a second approval: ${changeForPeople(wanted)}, from ${endsAt}`;
  await save(account, terminal, read, { ...list, pending: announced }, summary);
  await account.notices.say(`warning: ${pendingForPeople(announced)}`);
  return endsAt;
}

/** Returns the time by which changes wait. Throws CliError declined if only this machine's clock says one, which its user can set. */
async function waitingTime({ time }: Account): Promise<number> {
  const statedMs = await time.statedMs();
  if (statedMs !== undefined) return statedMs;
  throw new CliError(
    'declined',
    'the service did not say its time, so no change can wait for it; nothing was changed',
    {
      code: 'TIME_UNKNOWN',
      hint: 'have a second person approve the change: add --plan instead of --without-approval',
    },
  );
}

function consentTo({ profile }: Account, wanted: ApproverChange, list: ApproverList): Change {
  const { lines } = linesOf(wanted, list);
  return { summary: changeForPeople(wanted), lines: [accountLine(profile), ...lines] };
}

/** Throws CliError declined unless a change is the one that is pending, and its waiting time is over. */
function requireOver(account: Account, pending: PendingChange, wanted: ApproverChange, nowMs: number): void {
  if (!isSameChange(pending.wanted, wanted))
    throw new CliError('declined', `${pendingForPeople(pending)}; nothing was changed`, {
      code: 'CHANGE_PENDING',
      hint: advice`only one change can wait; cancel it with: [fiatrail profiles approvers cancel]`,
    });
  const leftMs = Math.max(Date.parse(pending.endsAt) - nowMs, leftByHostMs(account, pending));
  if (leftMs <= 0) return;
  const from = new Date(nowMs + leftMs).toISOString();
  throw new CliError('declined', `the change can be made from ${from}; nothing was changed`, {
    code: 'CHANGE_PENDING',
    hint: 'run the command again then, or have a second person approve the change: add --plan instead',
  });
}

/** How much of a wait is left by this machine's clock; nothing if a shared journal's server measures it, or the account is a sandbox. */
function leftByHostMs(account: Account, { askedAtByHost }: PendingChange): number {
  if (isShared(account) || account.profile.mode !== 'live') return 0;
  return Date.parse(askedAtByHost) + WAITING_MS - account.world.clock.now();
}

/** Cancels the pending change. Throws CliError if there is none, or this user is no approver. */
export async function cancelPending(account: Account, terminal: Terminal): Promise<PendingChange> {
  const read = await readApprovers(account);
  const { list } = read;
  if (!list.pending)
    throw new CliError('usage', 'no change of approvers is pending', {
      code: 'NOT_FOUND',
      hint: advice`see the approvers with: [fiatrail profiles approvers list]`,
    });
  if (!(await asker(account, list)).approver) throw needsKey();
  const summary = `cancel the pending change: ${changeForPeople(list.pending.wanted)}`;
  await save(account, terminal, read, { ...list, pending: null }, summary);
  return list.pending;
}
