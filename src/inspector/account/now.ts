import { existingCopy } from '../../copy/open.ts';
import { type BalanceCheck, checksIn, lastCheckAt } from '../../copy/questions/report/checks.ts';
import { tablesOf } from '../../copy/sync.ts';
import type { Account } from '../../engine/account.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import { clockDistance } from '../../engine/connection/service-time.ts';
import { type Asset, amount, amountForPeople, TOKENS } from '../../money/amount.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { counted, MOST_LATEST, type Now, type NowFigure, type NowNeed, workNeeds } from '../now.ts';
import { type List, newestOf } from '../source.ts';
import type { volumesDocument } from './charts.ts';

const DAY_MS = 86_400_000;

interface NowSources {
  readonly account: Account;
  readonly inbox: () => Promise<Inbox | undefined>;
  readonly copied: List;
  readonly plans: List;
  readonly volumes: () => ReturnType<typeof volumesDocument>;
  /** How many events are missing. */
  readonly missing: () => Promise<number>;
}

/** What this machine knows of the account now. The balances are as old as the last sync, which it says. */
export async function accountNow({ account, inbox, copied, plans, volumes, missing }: NowSources): Promise<Now> {
  const { world, profile } = account;
  const nowMs = world.clock.now();
  const copy = await existingCopy(world, profile);
  try {
    const tables = copy ? await tablesOf(copy) : [];
    const held = await copy?.read((queries) =>
      checksIn(queries, { from: new Date(nowMs + DAY_MS).toISOString(), to: '9999' }, 1),
    );
    const owed = await copy?.read((queries) =>
      queries.all<{ asset: Asset; minor: bigint | string | null; unknown: bigint | string }>(
        `SELECT asset, sum(minor) AS minor, count(*) - count(minor) AS unknown FROM stored_owed o
         JOIN stored_users u ON u.id = o.user_id AND u.deleted_at IS NULL GROUP BY asset`,
      ),
    );
    const synced = tables.map(({ syncedAt }) => syncedAt);
    const asOf = synced.length > 0 && synced.every((at) => at !== null) ? (synced.toSorted()[0] ?? null) : null;
    const look = held?.at(-1);
    return {
      ...{ at: new Date(nowMs).toISOString(), of: profile.name, asOf, list: 'copied' },
      balances: copy ? balancesOf(look, owed ?? [], await openIn(copied)) : [],
      needs: [
        ...copyNeeds(tables, asOf, nowMs, copy !== undefined),
        ...clockNeeds(account, await copy?.read(lastCheckAt)),
        ...(await journalNeeds(account)),
        ...(await planNeeds(plans)),
        ...(await workNeeds(copied, 'copied', nowMs)),
        ...eventNeeds(await (await inbox())?.counts()),
        ...counted(await missing(), ['event missing in the inbox', 'events missing in the inbox'], {
          todo: 'fiatrail webhooks inbox gaps',
        }),
      ],
      volumes: volumesOf(await volumes()),
      latest: (await newestOf(copied, { text: '', state: '', limit: MOST_LATEST })).rows.toReversed(),
    };
  } finally {
    await copy?.close();
  }
}

const openIn = async (copied: List) => (await copied.sums?.({ text: '', state: '', look: 'open' })) ?? [];

const NOT_SYNCED = 'not read yet; run: fiatrail sync';

type OwedRow = { readonly asset: Asset; readonly minor: bigint | string | null; readonly unknown: bigint | string };

function balancesOf(
  look: BalanceCheck | undefined,
  owed: readonly OwedRow[],
  open: readonly { readonly asset: string; readonly amount: string }[],
): Now['balances'] {
  const known = (title: string, asset: Asset, minor: bigint | undefined, why: string): NowFigure =>
    minor === undefined
      ? { title, text: null, why }
      : { title, text: amountForPeople(amount(asset, minor)), why: null };
  const transit = (asset: Asset): NowFigure[] =>
    open.filter((each) => each.asset === asset).map(({ amount: text }) => ({ title: 'In open work', text, why: null }));
  const inWallets = (asset: Asset) => {
    const minor = look?.held.get(asset);
    return minor === undefined ? undefined : minor - (look?.inVault.get(asset) ?? 0n);
  };
  const vault = (asset: Asset): NowFigure[] => {
    const minor = look?.inVault.get(asset);
    return minor === undefined ? [] : [known('Vault', asset, minor, NOT_SYNCED)];
  };
  return [
    ...TOKENS.map((asset) => ({
      asset,
      parts: [
        known('Account wallets', asset, inWallets(asset), NOT_SYNCED),
        ...vault(asset),
        usersPart(
          asset,
          owed.find((each) => each.asset === asset),
        ),
        ...transit(asset),
      ],
    })),
    { asset: 'NGN', parts: [known('Fees to withdraw', 'NGN', look?.held.get('NGN'), NOT_SYNCED), ...transit('NGN')] },
  ];
}

/** What users hold together, which is at least what is known of them. */
function usersPart(asset: Asset, row: OwedRow | undefined): NowFigure {
  const title = 'User wallets';
  const sum = row === undefined || row.minor === null ? undefined : BigInt(row.minor);
  if (row === undefined || sum === undefined)
    return { title, text: null, why: 'not read yet; run: fiatrail report owed' };
  const text = amountForPeople(amount(asset, sum));
  return { title, text: BigInt(row.unknown) > 0n ? `at least ${text}` : text, why: null };
}

function copyNeeds(
  tables: readonly { readonly gap: unknown }[],
  asOf: string | null,
  nowMs: number,
  hasCopy: boolean,
): NowNeed[] {
  const sync = 'fiatrail sync';
  if (!hasCopy) return [{ what: 'The account has not been copied to this machine', list: 'copy', todo: sync }];
  const gaps = tables.filter(({ gap }) => gap !== null).length;
  const isOld = asOf === null || nowMs - Date.parse(asOf) > DAY_MS;
  return [
    ...(isOld ? [{ what: 'The copy is more than a day old', list: 'copy', todo: sync }] : []),
    ...counted(gaps, ['list is not copied completely', 'lists are not copied completely'], {
      list: 'copy',
      todo: sync,
    }),
  ];
}

/** A clock that is off by more than this is worth a word, as commands have it. */
const CLOCK_MS = 30_000;

/** What the service said the time was, at the last sync, cannot be later than now. A sandbox’s clock is moved on purpose. */
export function clockNeeds(
  { world, profile }: Pick<Account, 'world' | 'profile'>,
  checkedAt: string | undefined,
): NowNeed[] {
  const behindMs = checkedAt === undefined ? 0 : Date.parse(checkedAt) - world.clock.now();
  if (profile.mode !== 'live' || !(behindMs > CLOCK_MS)) return [];
  const what = `The clock of this machine is at least ${clockDistance(behindMs)} behind the service’s`;
  return [{ what, list: 'copy', todo: 'fiatrail doctor' }];
}

async function journalNeeds(account: Account): Promise<NowNeed[]> {
  const unknown = (await (await existingJournal(account))?.unknownOutcomes(account.profile.name)) ?? 0;
  const what = ['operation with an unknown outcome', 'operations with an unknown outcome'] as const;
  return counted(unknown, what, {
    list: 'operations',
    filters: { look: 'you' },
    todo: 'fiatrail ops reconcile',
  });
}

async function planNeeds(plans: List): Promise<NowNeed[]> {
  const wanted = {
    'waits for you': ['plan waits for your approval', 'plans wait for your approval'],
    waiting: ['plan waits for someone else', 'plans wait for someone else'],
  } as const;
  const all: NowNeed[] = [];
  for (const [state, what] of Object.entries(wanted)) {
    const { total } = await plans.page({ text: '', state, from: 0, limit: 0 });
    all.push(...counted(total, what, { list: 'plans', filters: { state } }));
  }
  return all;
}

function eventNeeds(counts: { readonly dead: number; readonly quarantined: number } | undefined): NowNeed[] {
  const { dead = 0, quarantined = 0 } = counts ?? {};
  const state = (name: string) => ({ list: 'events', filters: { state: name } });
  return [
    ...counted(quarantined, ['event quarantined', 'events quarantined'], state('quarantined')),
    ...counted(dead, ['event given up', 'events given up'], {
      ...state('dead'),
      todo: 'fiatrail webhooks inbox redrive',
    }),
  ];
}

/** What came in and went out on each of the last days, as the reports say. */
function volumesOf(charts: Awaited<ReturnType<typeof volumesDocument>>): Now['volumes'] {
  return charts.flatMap(({ unit, lines }) =>
    lines.map(({ title, figures }) => {
      // Of a day of which nothing is known, nothing is usual.
      const known = figures.slice(0, -1).filter(({ value }) => value !== null);
      const before = known.toSorted((a, b) => Number(a.value) - Number(b.value));
      return {
        ...{ title, asset: unit, today: figures.at(-1)?.text ?? 'not known' },
        usual: before[Math.floor(before.length / 2)]?.text ?? null,
        days: figures.map(({ value }) => (value === null ? null : Number(value))),
      };
    }),
  );
}
