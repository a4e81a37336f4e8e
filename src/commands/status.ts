import * as z from 'zod/mini';
import { ownApprover } from '../account/approvers.ts';
import type { Profile } from '../account/profile.ts';
import { CliError } from '../base/errors.ts';
import { balanceMulti } from '../contract/endpoints/balances.ts';
import { accumulatedFees } from '../contract/endpoints/fees.ts';
import { listDeposits, listPayouts } from '../contract/endpoints/history.ts';
import { listWithdrawals } from '../contract/endpoints/withdrawals.ts';
import { valuesOf } from '../contract/fields.ts';
import { rowsOf } from '../contract/rows.ts';
import { existingCopy } from '../copy/open.ts';
import { tablesOf } from '../copy/sync.ts';
import type { Account } from '../engine/account.ts';
import { existingProfileInbox } from '../engine/connection/inbox.ts';
import { listingOf } from '../engine/lists/listing-of.ts';
import type { Outcome } from '../engine/outcome.ts';
import { approverListOf, warnOfChanges } from '../engine/plans/approver-list.ts';
import { isUncertain } from '../engine/plans/line.ts';
import { accountBalance } from '../engine/previews/balances.ts';
import { nairaOf } from '../engine/previews/fees.ts';
import { amount, TOKENS, type Token } from '../money/amount.ts';
import { amountSchema } from '../present/prints.ts';
import type { Column } from '../present/result.ts';
import { command } from '../terminal/command.ts';
import { duration, option, switchOn } from '../terminal/parse/parameters.ts';
import { offramp } from '../things/bank-transfers.ts';
import { deposit } from '../things/deposits.ts';
import { valueAt } from '../things/fields.ts';
import { goesOn } from '../things/states.ts';
import type { ServiceList, Thing } from '../things/thing.ts';
import { withdrawal } from '../things/token-transfers.ts';

/** Work that has not ended: how much, and since when the oldest of it. */
interface OpenWork {
  readonly count: number;
  readonly since: string | null;
}

/** Counts the rows of a list in one state, and reads when the oldest was made. Undefined if the service does not say. */
async function openIn(account: Account, list: ServiceList, status: string): Promise<OpenWork | undefined> {
  const listing = listingOf(list, { status } as object);
  const page = async (offset: number) => {
    const { data } = await account.call(list.endpoint, listing.request({ size: 1, offset }, ALL_TIMES));
    return { total: listing.totalOf?.(data), createdAt: valueAt(listing.rowsOf(data)?.[0], list.createdAt) };
  };
  try {
    const { total, createdAt } = await page(0);
    if (typeof total !== 'number') return undefined;
    // Lists are newest first.
    const oldest = total > 1 ? (await page(total - 1)).createdAt : createdAt;
    return { count: total, since: total > 0 && typeof oldest === 'string' ? oldest : null };
  } catch {
    return undefined;
  }
}

const ALL_TIMES = { startDate: undefined, endDate: undefined };

/** The states that a list is filtered by in which its things go on. */
function openStatesOf(thing: Thing, { endpoint }: ServiceList): readonly string[] {
  const status = rowsOf(endpoint.request()).find(({ name }) => name === 'status');
  return ((status && valuesOf(status)) ?? []).filter((state) => goesOn(thing, state));
}

/** Adds up what is open in several states; null if one of them is not known. */
function together(all: readonly (OpenWork | undefined)[]): OpenWork | null {
  const known = all.filter((each) => each !== undefined);
  if (known.length < all.length) return null;
  const times = known.flatMap(({ since }) => (since === null ? [] : [since])).sort();
  return { count: known.reduce((sum, { count }) => sum + count, 0), since: times[0] ?? null };
}

/** Reads the work that has not ended, in every state in which it goes on. */
async function openOf(account: Account) {
  const read = async (thing: Thing) => {
    const { list } = thing;
    return list
      ? together(await Promise.all(openStatesOf(thing, list).map((status) => openIn(account, list, status))))
      : null;
  };
  const [deposits, payouts, withdrawals] = await Promise.all([deposit, offramp, withdrawal].map(read));
  return { deposits: deposits ?? null, payouts: payouts ?? null, withdrawals: withdrawals ?? null };
}

/** Reads the account in parallel. Throws CliError if it does not respond. */
async function figuresOf(account: Account) {
  const inAll = async (token: Token) => {
    const held = await accountBalance(account, token, 'allNetworks', {});
    return held && !isUncertain(held) ? amount(token, held.minor) : null;
  };
  const held = async () => Promise.all(TOKENS.map(async (token) => [token, await inAll(token)] as const));
  const [balances, { data }, open] = await Promise.all([held(), account.call(accumulatedFees, {}), openOf(account)]);
  const fees = (kobo: Parameters<typeof nairaOf>[0]) => nairaOf(kobo) ?? null;
  return {
    balances: Object.fromEntries(balances),
    fees: { withdrawable: fees(data.summary?.availableForWithdrawal), pending: fees(data.summary?.pendingFees) },
    open: { ...open, feeWithdrawals: fees(data.summary?.pendingWithdrawals) },
  };
}

/** What this machine has of the account: the age of its copy, and events that were not passed on. */
async function here({ world, profile }: Account) {
  const copy = await existingCopy(world, profile);
  const inbox = await existingProfileInbox(world, profile);
  try {
    const tables = copy ? await tablesOf(copy) : [];
    const times = tables.map(({ syncedAt }) => syncedAt);
    const isSynced = tables.length > 0 && times.every((at) => at !== null);
    const { waiting = 0, dead = 0, quarantined = 0, late = 0 } = (await inbox?.counts()) ?? {};
    return {
      copy: copy
        ? {
            syncedAt: isSynced ? (times.sort()[0] ?? null) : null,
            gaps: tables.filter(({ gap }) => gap !== null).length,
          }
        : null,
      events: inbox ? { waiting, dead, quarantined, late } : null,
    };
  } finally {
    await inbox?.close();
    await copy?.close();
  }
}

const ACCOUNT = [
  { field: 'balances.CNGN', title: 'Balances' },
  { field: 'balances.USDC', title: '' },
  { field: 'balances.USDT', title: '' },
  { field: 'fees.withdrawable', title: 'Withdrawable fees' },
  { field: 'fees.pending', title: 'Pending fees' },
  { field: 'open.feeWithdrawals', title: 'Open fee withdrawals' },
] as const;

const KINDS = ['deposits', 'payouts', 'withdrawals'] as const;

type StatusShown = Awaited<ReturnType<typeof here>> & {
  readonly plans: Awaited<ReturnType<typeof plansOf>>;
  readonly open?: Awaited<ReturnType<typeof openOf>>;
};

/** The columns: an embedded sandbox has no base URL, an account that does not respond has no figures, and what is empty has no age. */
function columnsOf(mode: Profile['mode'], { open, copy, events, plans }: StatusShown): readonly Column[] {
  return [
    { field: 'profile', title: 'Profile' },
    { field: 'mode', title: 'Mode' },
    ...(mode === 'embedded' ? [] : [{ field: 'baseUrl', title: 'Base URL' }]),
    { field: 'reachable', title: 'Reachable' },
    ...(open ? ACCOUNT : []),
    ...(open ? KINDS : []).flatMap((kind) => [
      { field: `open.${kind}.count`, title: `Open ${kind}` },
      ...(open?.[kind]?.since ? [{ field: `open.${kind}.since`, title: `Open ${kind} since` }] : []),
    ]),
    { field: 'unknownOutcomes', title: 'Unknown outcomes' },
    ...(plans?.waitingForYou ? [{ field: 'plans.waitingForYou', title: 'Plans that wait for you' }] : []),
    ...(plans?.waiting ? [{ field: 'plans.waiting', title: 'Plans that wait' }] : []),
    ...(plans?.approved ? [{ field: 'plans.approved', title: 'Approved plans to apply' }] : []),
    ...(events ? [{ field: 'events.waiting', title: 'Events to forward' }] : []),
    ...(events?.dead ? [{ field: 'events.dead', title: 'Events given up' }] : []),
    ...(events?.quarantined ? [{ field: 'events.quarantined', title: 'Events quarantined' }] : []),
    ...(events?.late ? [{ field: 'events.late', title: 'Events late or early' }] : []),
    ...(copy ? [{ field: 'copy.syncedAt', title: 'Last sync' }] : []),
    ...(copy?.gaps ? [{ field: 'copy.gaps', title: 'Incomplete tables' }] : []),
  ];
}

const openSchema = () => z.nullable(z.object({ count: z.int(), since: z.nullable(z.iso.datetime()) }));
const tokenSchema = () => z.nullable(amountSchema());

/** The figures are null if the account does not respond. */
const statusSchema = () =>
  z.object({
    profile: z.string(),
    mode: z.enum(['embedded', 'sandbox', 'live']),
    baseUrl: z.nullable(z.string()),
    reachable: z.boolean(),
    balances: z.nullable(z.object({ CNGN: tokenSchema(), USDC: tokenSchema(), USDT: tokenSchema() })),
    fees: z.nullable(z.object({ withdrawable: tokenSchema(), pending: tokenSchema() })),
    open: z.nullable(
      z.object({
        deposits: openSchema(),
        payouts: openSchema(),
        withdrawals: openSchema(),
        feeWithdrawals: tokenSchema(),
      }),
    ),
    unknownOutcomes: z.int(),
    plans: z.nullable(z.object({ waiting: z.int(), waitingForYou: z.int(), approved: z.int() })),
    copy: z.nullable(z.object({ syncedAt: z.nullable(z.iso.datetime()), gaps: z.int() })),
    events: z.nullable(z.object({ waiting: z.int(), dead: z.int(), quarantined: z.int(), late: z.int() })),
  });

/** Counts the plans of the journal that are open; null, with a warning, if they cannot be read. */
async function plansOf(account: Account) {
  const { listedPlans } = await import('../engine/plans/queue.ts');
  try {
    const own = await ownApprover((await approverListOf(account)).approvers, account.profile, account.world);
    const all = await listedPlans(account, account.time.service.nowMs() ?? account.world.clock.now(), own?.publicKey);
    const count = (isMeant: (each: (typeof all)[number]) => boolean) => all.filter(isMeant).length;
    return {
      waiting: count(({ review }) => review.status === 'waiting'),
      waitingForYou: count(({ waitsForYou }) => waitsForYou),
      approved: count(({ review }) => review.status === 'approved'),
    };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    await account.notices.say(`warning: the plans cannot be read: ${error.message}`);
    return null;
  }
}

/** Reads what the command shows. The error of an account that does not respond is part of it. */
async function shownOf(account: Account): Promise<Outcome> {
  const { profile } = account;
  const journal = await account.journal();
  await warnOfChanges(account);
  const unknownOutcomes = await journal.unknownOutcomes(profile.name);
  const about = {
    profile: profile.name,
    mode: profile.mode,
    baseUrl: profile.mode === 'embedded' ? null : profile.baseUrl,
  };
  const known = { unknownOutcomes, ...(await here(account)) };
  try {
    const figures = await figuresOf(account);
    await account.time.warn();
    const data = { ...about, reachable: true, ...figures, ...known, plans: await plansOf(account) };
    return { result: { data, columns: columnsOf(profile.mode, data) } };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const none = { balances: null, fees: null, open: null };
    const withPlans = { ...known, plans: await plansOf(account) };
    const data = { ...about, reachable: error.httpStatus !== undefined, ...none, ...withPlans };
    return { result: { data, columns: columnsOf(profile.mode, withPlans) }, error };
  }
}

/** The top of a terminal, with nothing below it. */
const CLEARED = '\u001b[H\u001b[2J';

/** Shows it again whenever it has changed, until it is interrupted. */
async function watch(account: Account, everyMs: number): Promise<Outcome> {
  const { world, globals } = account;
  const { present } = await import('../present/present.ts');
  let before: string | undefined;
  while (!world.interrupted.aborted) {
    const { result, error } = await shownOf(account);
    const now = JSON.stringify([result?.data, error?.message], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    if (result && now !== before) {
      if (world.stdout.isTerminal && !globals.present.isPlain) await world.stdout.write(CLEARED);
      await present(result, globals.present, world.stdout);
      if (error) await account.notices.say(`warning: ${error.message}`);
    }
    before = now;
    await world.clock.sleep(everyMs, world.interrupted).catch(() => {});
  }
  return {};
}

const WATCH_MS = 5_000;

const statusCommand = command({
  words: ['status'],
  summary: 'Show reachability, balances, fees and open work',
  details:
    'Open means pending or processing. Also shows unknown outcomes, the plans that wait, of which those for you, the time of the last sync, and how many events are waiting to be forwarded, dead, quarantined, late or early.',
  examples: ['fiatrail status', 'fiatrail status -o json --query balances', 'fiatrail status --watch --every 30s'],
  endpoints: [balanceMulti.id, accumulatedFees.id, listDeposits.id, listPayouts.id, listWithdrawals.id],
  prints: statusSchema,
  parameters: {
    watch: switchOn('--watch', 'keep running, and print again when something changes'),
    every: option('--every <duration>', 'with --watch: how often to check (default 5s)', duration),
  },
  run: (account, _terminal, { watch: isWatched, every }) => {
    if (every !== undefined && !isWatched)
      throw new CliError('usage', '--every needs --watch', { hint: 'add --watch' });
    return isWatched ? watch(account, every ?? WATCH_MS) : shownOf(account);
  },
});

export const commands = [statusCommand];
