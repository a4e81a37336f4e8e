import { CliError } from '../base/errors.ts';
import type { ResponseOf } from '../contract/endpoint.ts';
import { getFees, previewFees } from '../contract/endpoints/fees.ts';
import { DIRECTIONS } from '../contract/values.ts';
import type { Account } from '../engine/account.ts';
import { pacer } from '../engine/lists/pages.ts';
import { nairaOf } from '../engine/previews/fees.ts';
import type { Queries } from '../journal/store.ts';
import { amount, toWireNumber } from '../money/amount.ts';
import { cappedPercentOf, type PercentMillionths, percentFromWire } from '../money/rates.ts';
import { insertion, type NewRow, type RowOf } from '../store/table.ts';
import type { LocalCopy } from './database.ts';
import { CHANGED_BEFORE, WITNESSES } from './fees.ts';
import { zonedTime } from './rows.ts';
import { FEE_SCHEDULES } from './schema.ts';

const DAY_MS = 86_400_000;

/** How long the account of an onramp can be paid. Source: interface. */
const PAYABLE_MS = 30 * 60_000;

/** Before the first sync that read them, the service's fees are taken to have been the same for so long, unless a row says otherwise. Source: inferred. */
const SAME_BEFORE_MS = DAY_MS;

/** From when on every account that can be paid was opened under a fee that was in force since a time; what was always so has no time. */
const openedFrom = (since: string): string => (since === '' ? '' : isoAt(Date.parse(since) + PAYABLE_MS));

type ScheduleRow = RowOf<typeof FEE_SCHEDULES>;

/** What a fee is now. */
interface Schedule {
  readonly fromKobo: bigint;
  readonly belowKobo: bigint | null;
  readonly percent: PercentMillionths;
  readonly capKobo: bigint | null;
  readonly isEnabled: boolean;
}

const isoAt = (atMs: number) => new Date(atMs).toISOString();

/** The service's time, before something is asked: what the response says was true then, or a little later. */
const nowOf = ({ time, world }: Account) => time.service.nowMs() ?? world.clock.now();

/** Reads the fees that are in force, those of the account and those of the service; `sinceAt` is when this was done last. Rejects with CliError. */
export async function readSchedules(account: Account, copy: LocalCopy, sinceAt: string): Promise<void> {
  await readOwn(account, copy);
  const atMs = nowOf(account);
  const tiers = await readTiers(account);
  await copy.write(async (queries) => {
    const isFirst = (await latest(queries, 'platform', 'onramp')).length === 0;
    const since = isoAt(isFirst ? atMs - SAME_BEFORE_MS : atMs);
    for (const tier of tiers) await save(queries, { taker: 'platform', direction: 'onramp', ...tier }, since, atMs);
    for (const taker of ['own', 'platform'] as const) await findSince(queries, taker, sinceAt);
  });
}

/** The account's own fees. The service says when they were changed last, in whichever direction. */
async function readOwn(account: Account, copy: LocalCopy): Promise<void> {
  const atMs = nowOf(account);
  const { data } = await account.call(getFees, {});
  const at = isoAt(atMs);
  const changedAt = zonedTime(data.timestamps?.updatedAt);
  await copy.write(async (queries) => {
    for (const direction of DIRECTIONS) {
      const schedule = ownSchedule(data, direction);
      // What was never set was never charged.
      const since = changedAt ?? (data.hasConfiguration === false ? '' : at);
      if (schedule) await save(queries, { taker: 'own', direction, ...schedule }, since, atMs);
    }
  });
}

const NONE: Schedule = { fromKobo: 0n, belowKobo: null, percent: 0n, capKobo: null, isEnabled: false };

/** The fee in one direction; undefined if the service does not say it. A direction that was never set is left out. Source: public. */
function ownSchedule(
  { hasConfiguration, feeConfiguration }: ResponseOf<typeof getFees>,
  direction: (typeof DIRECTIONS)[number],
): Schedule | undefined {
  if (hasConfiguration === false) return NONE;
  if (!feeConfiguration) return undefined;
  const setting = feeConfiguration[`${direction}Fee`];
  if (!setting || setting.enabled === false) return NONE;
  const percent = setting.percentageFee == null ? undefined : percentFromWire(setting.percentageFee);
  const cap = nairaOf(setting.capFee);
  if (percent === undefined || setting.enabled !== true || (setting.capFee != null && !cap)) return undefined;
  return { ...NONE, percent, capKobo: cap?.minor ?? null, isEnabled: true };
}

interface Named extends Schedule {
  readonly taker: 'own' | 'platform';
  readonly direction: string;
}

/** The schedules that were seen last, one for each tier. */
function latest(queries: Queries, taker: string, direction: string): Promise<readonly ScheduleRow[]> {
  return queries.all<ScheduleRow>(
    `SELECT * FROM stored_fee_schedules s WHERE taker = ? AND direction = ? AND NOT EXISTS (SELECT 1 FROM stored_fee_schedules n
       WHERE n.taker = s.taker AND n.direction = s.direction AND n.from_minor = s.from_minor AND n.first_seen_at > s.first_seen_at)`,
    taker,
    direction,
  );
}

/** Notes that a fee was in force: the one that was, or another one, since some time. */
async function save(queries: Queries, schedule: Named, since: string, atMs: number): Promise<void> {
  const { taker, direction, fromKobo, belowKobo, percent, capKobo, isEnabled } = schedule;
  const last = (await latest(queries, taker, direction)).find(({ from_minor }) => from_minor === fromKobo);
  const at = isoAt(atMs);
  const isSame =
    last?.below_minor === belowKobo &&
    last.percent_millionths === percent &&
    last.cap_minor === capKobo &&
    last.enabled === (isEnabled ? 1n : 0n) &&
    // The service says when the account's fees were changed: also if they are again what they were.
    (taker === 'platform' || since <= last.stated_since || since === at);
  if (last && isSame) return stretch(queries, last, { seenAt: at, payableUntil: isoAt(atMs + PAYABLE_MS) });
  // An account that was opened under the old fee can be paid for some time.
  const startMs = Date.parse(since);
  if (last && startMs > Date.parse(last.seen_at))
    await stretch(queries, last, { seenAt: last.seen_at, payableUntil: isoAt(startMs + PAYABLE_MS) });
  // What the service says of a change that was seen before is not when this one was made.
  const start = last && !(startMs > Date.parse(last.seen_at)) ? at : since;
  const row: NewRow<typeof FEE_SCHEDULES> = {
    taker,
    direction,
    from_minor: fromKobo,
    below_minor: belowKobo,
    percent_millionths: percent,
    cap_minor: capKobo,
    enabled: isEnabled ? 1 : 0,
    since: start,
    stated_since: start,
    first_seen_at: at,
    seen_at: at,
    payable_until: isoAt(atMs + PAYABLE_MS),
    opened_from: openedFrom(start),
  };
  await queries.run(...insertion(FEE_SCHEDULES, [row]));
}

type Key = Pick<ScheduleRow, 'taker' | 'direction' | 'from_minor' | 'since'>;

const KEY = 'taker = ? AND direction = ? AND from_minor = ? AND since = ?';

const keyOf = ({ taker, direction, from_minor, since }: Key) => [taker, direction, from_minor, since] as const;

async function stretch(
  queries: Queries,
  row: Key,
  { seenAt, payableUntil }: { readonly seenAt: string; readonly payableUntil: string },
): Promise<void> {
  await queries.run(
    `UPDATE stored_fee_schedules SET seen_at = ?, payable_until = ? WHERE ${KEY}`,
    seenAt,
    payableUntil,
    ...keyOf(row),
  );
}

/** More tiers than a price list has. */
const MOST_TIERS = 50;

/** An amount that reaches the cap of the last tier, if it has one: ₦1,000,000,000. */
const LARGE_KOBO = 100_000_000_000n;

/**
 * The service's fees on deposits: each tier is asked for its smallest and its largest amount. A tier whose fees do not follow from its
 * percentage and its cap is left out: what it would take from another amount is not known.
 */
async function readTiers(account: Account): Promise<readonly Schedule[]> {
  const wait = pacer(account, previewFees);
  const preview = async (kobo: bigint) => {
    await wait();
    return previewOf(account, kobo);
  };
  const tiers: Schedule[] = [];
  let fromKobo: bigint | null = 1n;
  for (let count = 0; fromKobo !== null && count < MOST_TIERS; count += 1) {
    const least = await preview(fromKobo);
    if (!least) break;
    const { belowKobo } = least;
    // A tier that does not begin with the next amount, or ends before it, would be asked for again and again.
    if (belowKobo !== null && belowKobo <= fromKobo) break;
    const most = await preview(belowKobo === null ? LARGE_KOBO : belowKobo - 1n);
    const tier: Schedule = {
      fromKobo: least.fromKobo,
      belowKobo,
      percent: least.percent,
      capKobo: most?.capKobo ?? null,
      isEnabled: true,
    };
    const follows = ({ amountKobo, feeKobo }: Preview) =>
      cappedPercentOf(amountKobo, tier.percent, tier.capKobo ?? undefined).minor === feeKobo;
    if (most && most.fromKobo === least.fromKobo && [least, most].every(follows)) tiers.push(tier);
    fromKobo = belowKobo;
  }
  return tiers;
}

interface Preview {
  readonly amountKobo: bigint;
  readonly feeKobo: bigint;
  readonly percent: PercentMillionths;
  /** The cap, if the amount reached it. */
  readonly capKobo: bigint | null;
  readonly fromKobo: bigint;
  readonly belowKobo: bigint | null;
}

/** What the service takes from a deposit; undefined if it does not say it, with the tier. */
async function previewOf(account: Account, kobo: bigint): Promise<Preview | undefined> {
  const request = { amount: toWireNumber(amount('NGN', kobo), 'kobo'), transactionType: 'onramp' } as const;
  try {
    const { result } = (await account.call(previewFees, request)).data;
    const fee = nairaOf(result?.finalFee);
    const from = nairaOf(result?.tierUsed?.minAmount);
    const percent = result?.feePercentage == null ? undefined : percentFromWire(result.feePercentage);
    if (!fee || !from || percent === undefined) return undefined;
    return {
      amountKobo: kobo,
      feeKobo: fee.minor,
      percent,
      capKobo: result?.wasCapped === true ? fee.minor : null,
      fromKobo: from.minor,
      belowKobo: nairaOf(result?.tierUsed?.maxAmount)?.minor ?? null,
    };
  } catch (error) {
    // Not every account may ask.
    if (error instanceof CliError && error.category === 'rejected') return undefined;
    throw error;
  }
}

/**
 * Finds since when a fee on deposits applied, from rows of users that state it: as far back as no row states another fee, and no sync saw one.
 * Only for a fee that is new, or if rows that are older than it have changed since it was done last.
 */
async function findSince(queries: Queries, taker: 'own' | 'platform', sinceAt: string): Promise<void> {
  const { older, agrees, contradicts } = WITNESSES[taker];
  for (const row of await latest(queries, taker, 'onramp')) {
    const before = await queries.get<{ seen_at: string | null }>(
      `SELECT max(seen_at) AS seen_at FROM stored_fee_schedules WHERE taker = ? AND direction = 'onramp' AND seen_at < ?`,
      taker,
      row.first_seen_at,
    );
    const afterAt = before?.seen_at ?? '';
    const key = keyOf(row);
    const isNew = row.first_seen_at > sinceAt;
    if (!isNew && !(await queries.get(CHANGED_BEFORE, row.first_seen_at))) continue;
    if (!(await queries.get(older, ...key, afterAt))) continue;
    // What the service itself says needs no row.
    const untilAt = taker === 'own' ? row.stated_since : row.first_seen_at;
    const other = await queries.get<{ at: string | null }>(contradicts, ...key, afterAt, untilAt);
    const otherAt = other?.at ?? afterAt;
    const same = await queries.get<{ at: string | null }>(agrees, ...key, otherAt, untilAt);
    const known = otherAt >= row.since ? untilAt : row.since;
    const since = same?.at != null && same.at < known ? same.at : known;
    if (since !== row.since)
      await queries.run(
        `UPDATE stored_fee_schedules SET since = ?, opened_from = ? WHERE ${KEY}`,
        since,
        openedFrom(since),
        ...key,
      );
  }
}
