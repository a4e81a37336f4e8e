import { joined } from '../../base/advice.ts';
import { type Category, CliError, hintOf, withDetails } from '../../base/errors.ts';
import { validRequest } from '../../client/request.ts';
import { withdrawFees } from '../../contract/endpoints/fee-withdrawals.ts';
import type { Account } from '../../engine/account.ts';
import { AlreadyDone, type Guard } from '../../engine/guard.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { DryRun, dryRunOfParts } from '../../engine/requests.ts';
import { idempotencyKeyUse } from '../../engine/sending/change.ts';
import { requireUnused } from '../../engine/sending/once.ts';
import { requireSigned } from '../../engine/sending/send.ts';
import type { Sweep } from '../../journal/intent.ts';
import type { Operation } from '../../journal/operations.ts';
import { type Amount, amount, amountForPeople } from '../../money/amount.ts';
import { accountLine, confirmChange } from '../../terminal/ask/confirm.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { consenting } from '../../terminal/terminal.ts';
import {
  destinationText,
  readWithdrawable,
  requireWithdrawable,
  sendWithdrawal,
  type WithdrawalTexts,
  withdrawalRequest,
  withdrawalToSend,
} from './send.ts';

/** A withdrawal of a sweep as it is printed. */
interface SweptPart {
  readonly withdrawalId: string | null;
  readonly amount: Amount | null;
  readonly status: string | null;
  /** The idempotency key of this withdrawal; null without one. */
  readonly idempotencyKey: string | null;
}

const COLUMNS = [
  { field: 'withdrawalId', title: 'Withdrawal' },
  { field: 'amount', title: 'Amount' },
  { field: 'status', title: 'Status' },
  { field: 'idempotencyKey', title: 'Idempotency key' },
] as const;

/** The withdrawals of a dry run. */
const DRY_COLUMNS = [
  { field: 'amount', title: 'Amount' },
  { field: 'idempotencyKey', title: 'Idempotency key' },
  { field: 'body.bankAccountNumber', title: 'Account' },
  { field: 'body.bankCode', title: 'Bank' },
  { field: 'body.accountName', title: 'Account name' },
  { field: 'body.narration', title: 'Narration' },
] as const;

/**
 * Withdraws everything that is available, in as many withdrawals as the maximum of one makes necessary, after one question. Each is
 * journaled under an idempotency key of its own, KEY/1, KEY/2 and so on. Running the same command with the same key resumes where it stopped, and
 * never withdraws more than what was agreed when it was first used.
 */
export async function sweep(account: Account, terminal: Terminal, texts: WithdrawalTexts): Promise<Outcome> {
  if (terminal.consent.plan)
    throw new CliError('usage', '--amount all may make several withdrawals, and a plan is one', {
      hint: 'plan them one by one with --amount max',
    });
  const guard = terminal.consent.guard;
  const before = await withdrawnBefore(account, guard, texts);
  const found = await readWithdrawable(account);
  if (before.parts.length === 0) requireWithdrawable(found);
  const agreed = before.agreed ?? partsOf(found);
  const parts = [...before.parts];
  const smallest = found.minimum?.minor ?? 1n;
  // What another process withdrew under the key counts too.
  const leftMinor = () => agreed.total.minor - allOf(parts);
  if (parts.length >= agreed.count || leftMinor() < smallest) {
    await account.notices.note(
      `every withdrawal was made before under the idempotency key ${guard?.idempotencyKey}; nothing was sent`,
    );
    return outcomeWith(account, parts, found.available);
  }
  if (account.globals.dryRun) throw await dryRunOfSweep(account, terminal, texts, agreed, found.maximum);
  await agreeTo(
    account,
    terminal,
    texts,
    { total: amount('NGN', leftMinor()), count: agreed.count - parts.length },
    found.maximum,
  );
  const progress = account.notices.progress.line();
  try {
    let reported: typeof found | undefined = found;
    while (parts.length < agreed.count && leftMinor() >= smallest) {
      const now = reported ?? (await readWithdrawable(account));
      reported = undefined;
      if (account.world.stderr.isTerminal) await progress.show(`${parts.length} of ${counted(agreed.count)}`);
      const next = least(leftMinor(), now.available.minor, now.maximum?.minor ?? leftMinor());
      if (next < smallest) break;
      parts.push(
        await sendPart(account, terminal, texts, amount('NGN', next), guard, { ...agreed, number: parts.length + 1 }),
      );
    }
    // Another process may have taken the rest under the same key.
    if (guard?.idempotencyKey !== undefined)
      parts.splice(0, parts.length, ...(await withdrawnBefore(account, guard, texts)).parts);
  } catch (error) {
    if (!(error instanceof CliError) || parts.length === 0) throw error;
    return { ...(await outcomeWith(account, parts)), error: stoppedAfter(error, parts, guard) };
  } finally {
    await progress.clear();
  }
  return outcomeWith(account, parts, await availableNow(account));
}

/** What is left; undefined if it cannot be read, which changes nothing about what was done. */
async function availableNow(account: Account): Promise<Amount | undefined> {
  return readWithdrawable(account).then(
    ({ available }) => available,
    (error: unknown) => {
      if (error instanceof CliError) return undefined;
      throw error;
    },
  );
}

const least = (...amounts: readonly bigint[]): bigint => amounts.reduce((one, other) => (other < one ? other : one));

/** No account needs more, and every one is a transfer with a fee. */
const MAX_WITHDRAWALS = 10_000n;

/** Splits what is available; a rest below the minimum stays. Throws CliError network for limits that nobody can have meant. */
function partsOf({ available, minimum, maximum }: Awaited<ReturnType<typeof readWithdrawable>>): Sweep {
  const perWithdrawal = maximum && maximum.minor > 0n ? maximum.minor : available.minor;
  if (available.minor <= 0n) return { total: available, count: 0 };
  const [full, rest] = [available.minor / perWithdrawal, available.minor % perWithdrawal];
  if (full > MAX_WITHDRAWALS)
    throw new CliError(
      'network',
      `the service reports a maximum of ${amountForPeople(amount('NGN', perWithdrawal))} per withdrawal, which takes ${full} withdrawals; nothing was sent`,
      { code: 'UNUSABLE_RESPONSE', hint: 'withdraw an amount instead of all' },
    );
  const isRestTaken = rest > 0n && rest >= (minimum?.minor ?? 0n);
  const total = full * perWithdrawal + (isRestTaken ? rest : 0n);
  return { total: amount('NGN', total), count: Number(full) + (isRestTaken ? 1 : 0) };
}

/** The guard of one withdrawal of a sweep. */
function partGuard(guard: Guard | undefined, number: number): Guard | undefined {
  if (!guard) return undefined;
  const { idempotencyKey } = guard;
  return {
    ...guard,
    idempotencyKey: idempotencyKey === undefined ? undefined : `${idempotencyKey}/${number}`,
    input: JSON.stringify([guard.input, number]),
  };
}

/** What was done under an idempotency key, and what was agreed when it was first used. */
interface Before {
  readonly parts: readonly SweptPart[];
  readonly agreed: Sweep | undefined;
}

/** Returns the withdrawals that were made under the idempotency key before. Throws CliError if the outcome of one is unknown, or for another account. */
async function withdrawnBefore(account: Account, guard: Guard | undefined, texts: WithdrawalTexts): Promise<Before> {
  const parts: SweptPart[] = [];
  let agreed: Sweep | undefined;
  if (guard?.idempotencyKey === undefined || account.globals.dryRun) return { parts, agreed };
  for (;;) {
    const operation = await heldBy(account, partGuard(guard, parts.length + 1) ?? guard);
    if (!operation) return { parts, agreed };
    requireSameAccount(operation, texts, guard.idempotencyKey);
    agreed ??= await agreedIn(account, operation);
    parts.push(recordedPart(operation));
  }
}

/** Returns what was agreed when the first withdrawal of a sweep was made. Throws CliError usage for an operation that is none. */
async function agreedIn(account: Account, { operationId, summary, idempotencyKey }: Operation): Promise<Sweep> {
  const known = await (await account.journal()).sweepOf(operationId);
  if (known) return known;
  throw new CliError(
    'usage',
    `the idempotency key ${idempotencyKey} was used for something else: ${summary}; nothing was sent`,
    { code: 'ONCE_KEY_TAKEN', hint: 'use another idempotency key', operationId },
  );
}

/** With --to default, the account may be another one than when the key was first used. */
function requireSameAccount({ request }: Operation, { destination }: WithdrawalTexts, idempotencyKey: string): void {
  const { bankAccountNumber, bankCode } = JSON.parse(request) as Readonly<Record<string, unknown>>;
  if (bankAccountNumber === destination.bankAccountNumber && bankCode === destination.bankCode) return;
  throw new CliError(
    'usage',
    `the idempotency key ${idempotencyKey} was used for account ${bankAccountNumber} at bank ${bankCode}; nothing was sent`,
    { code: 'ONCE_KEY_TAKEN', hint: 'name that account, or use another idempotency key' },
  );
}

/** Returns a withdrawal as the journal recorded it. */
function recordedPart({ requestId, moves, idempotencyKey, state, result }: Operation): SweptPart {
  const { data } = JSON.parse(result ?? '{}') as { readonly data?: { readonly status?: string } };
  const status = state === 'failed' ? state : (data?.status ?? state);
  return { withdrawalId: requestId, amount: moves, status, idempotencyKey };
}

async function heldBy(account: Account, guard: Guard): Promise<Operation | undefined> {
  try {
    await requireUnused(account, guard);
    return undefined;
  } catch (error) {
    if (error instanceof AlreadyDone) return error.operation;
    throw error;
  }
}

/** Shows all withdrawals together and asks once. The rules and the signatures of the profile count for their sum. */
async function agreeTo(
  account: Account,
  terminal: Terminal,
  texts: WithdrawalTexts,
  { total, count }: Sweep,
  maximum: Amount | undefined,
): Promise<void> {
  const { profile } = account;
  const request = withdrawalRequest(texts, total);
  await requireSigned(account, withdrawFees, request, undefined);
  const idempotencyKey = idempotencyKeyUse(terminal.consent);
  await account.rules.require(withdrawFees, request, { idempotencyKey });
  const where = destinationText(texts.destination);
  const summary = `withdraw ${amountForPeople(total)} in fees to ${where}, in ${counted(count)}`;
  const each = maximum ? `, at most ${amountForPeople(maximum)} each` : '';
  await confirmChange(terminal.dialog, {
    summary,
    lines: [
      accountLine(profile),
      ['amount', amountForPeople(total)],
      ['withdrawals', `${count}${each}`],
      ['destination', `${where}, ${texts.destination.accountName}`],
    ],
  });
  // A code that a rule wants is typed once, for the sum: each part may be below its amount.
  await account.rules.require(withdrawFees, request, { codeFor: summary, idempotencyKey });
}

/** Ends a dry run with every withdrawal that would be made, or with what the rules say about their sum. */
async function dryRunOfSweep(
  account: Account,
  terminal: Terminal,
  texts: WithdrawalTexts,
  { total, count }: Sweep,
  maximum: Amount | undefined,
): Promise<DryRun> {
  const {
    profile,
    world,
    command: { inputName },
  } = account;
  const verdicts = await account.rules.tested(withdrawFees, withdrawalRequest(texts, total), {
    idempotencyKey: idempotencyKeyUse(terminal.consent),
  });
  if (verdicts) return new DryRun({ data: { profile: profile.name, rules: verdicts } });
  const perWithdrawal = maximum && maximum.minor > 0n ? maximum.minor : total.minor;
  const parts = Array.from({ length: count }, (_, index) => {
    const money = amount('NGN', least(total.minor - BigInt(index) * perWithdrawal, perWithdrawal));
    const idempotencyKey = partGuard(terminal.consent.guard, index + 1)?.idempotencyKey ?? null;
    const input = withdrawalToSend(account, texts, money);
    validRequest(withdrawFees, input, inputName);
    return { input, more: { amount: money, idempotencyKey } };
  });
  return dryRunOfParts(profile, world.env, withdrawFees, {
    name: 'withdrawals',
    columns: DRY_COLUMNS,
    together: { total, count },
    parts,
  });
}

async function sendPart(
  account: Account,
  terminal: Terminal,
  texts: WithdrawalTexts,
  money: Amount,
  whole: Guard | undefined,
  part: Sweep & { readonly number: number },
): Promise<SweptPart> {
  const guard = partGuard(whole, part.number);
  const idempotencyKey = guard?.idempotencyKey ?? null;
  try {
    const { data } = await sendWithdrawal(
      account,
      guard ? consenting(terminal, { guard }) : terminal,
      texts,
      money,
      part,
    );
    return { withdrawalId: data.withdrawalId, amount: money, status: data.status ?? null, idempotencyKey };
  } catch (error) {
    // Another process was faster under this key.
    if (!(error instanceof AlreadyDone)) throw error;
    return recordedPart(error.operation);
  }
}

const counted = (count: number) => `${count} ${count === 1 ? 'withdrawal' : 'withdrawals'}`;

/** Sum of all requested amounts, failed ones included. */
const allOf = (parts: readonly SweptPart[]): bigint =>
  parts.reduce((sum, { amount: each }) => sum + (each?.minor ?? 0n), 0n);

const sumOf = (parts: readonly SweptPart[]): Amount =>
  amount(
    'NGN',
    parts.reduce((sum, { amount: each, status }) => sum + (status === 'failed' ? 0n : (each?.minor ?? 0n)), 0n),
  );

async function outcomeWith(account: Account, parts: readonly SweptPart[], available?: Amount): Promise<Outcome> {
  const total = sumOf(parts);
  const left = available && available.minor > 0n ? `; ${amountForPeople(available)} left` : '';
  await account.notices.note(`${counted(parts.length)}, ${amountForPeople(total)} in all${left}`);
  const failed = parts.filter(({ status }) => status === 'failed').length;
  return {
    ...(failed > 0 ? { error: someFailed(failed, parts.length) } : {}),
    result: {
      data: { withdrawals: parts, total, left: available ?? null },
      lists: 'withdrawals',
      columns: COLUMNS,
    },
  };
}

/** The error of a sweep of which some withdrawals failed after they were accepted. */
function someFailed(failed: number, count: number): CliError {
  return new CliError('failed', `${failed} of ${counted(count)} failed`, {
    hint: 'this is final; fix the cause, then withdraw the rest under another idempotency key',
  });
}

/** The categories that do not mean that nothing was done. */
const AFTER_PARTS: readonly Category[] = ['unknown', 'interrupted', 'rejected', 'failed'];

/** The error of a sweep that stopped in the middle: it says what was done, and how to go on. */
function stoppedAfter(error: CliError, parts: readonly SweptPart[], guard: Guard | undefined): CliError {
  const done = `before that: ${counted(parts.length)}, ${amountForPeople(sumOf(parts))} in all`;
  const hasKey = guard?.idempotencyKey !== undefined;
  // Without a key, nothing says which part is unknown, so that its outcome comes first.
  const isEnd =
    error.category === 'usage' || error.category === 'declined' || (error.category === 'unknown' && !hasKey);
  const goOn = isEnd ? undefined : hasKey ? 'run the same command again for the rest' : 'for the rest, add --again';
  return withDetails(error, {
    category: AFTER_PARTS.includes(error.category) ? error.category : 'failed',
    message: `${error.message}; ${done}`,
    hint: joined([hintOf(error), goOn], '; '),
  });
}
