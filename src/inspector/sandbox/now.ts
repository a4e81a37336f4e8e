import type { Zone } from '../../base/zone.ts';
import { type Asset, amount, amountForPeople, amountText } from '../../money/amount.ts';
import type { Service } from '../../service/service.ts';
import type { Database } from '../../sqlite/database.ts';
import { rested } from '../held.ts';
import { counted, DAYS_BEFORE, MOST_LATEST, type Now, type NowNeed, usualOf, workNeeds } from '../now.ts';
import { type List, newestOf } from '../source.ts';
import { signed } from './postings.ts';
import { ALL_WORK } from './work-row.ts';

const DAY_MS = 86_400_000;

interface NowSources {
  readonly service: Service;
  readonly work: List;
  readonly zone: Zone;
  /** The key of the account that is the sandbox's own. */
  readonly apiKey: () => string;
}

/** The sandbox's own account now, besides its clock, what falls due, its faults and its ledger. */
export function sandboxNow({ service, work, zone, apiKey }: NowSources) {
  const counts = rested(service.clock, () => workNeeds(work, 'work', service.nowMs()));
  const volumes = rested(service.clock, () =>
    service.submit('read', ({ store, nowMs }) =>
      volumesOf(store, ownIn(store, apiKey())?.id ?? 0n, startOfDay(nowMs, zone)),
    ),
  );
  return async () => {
    // What moves no money, such as a vault, is no movement.
    const { rows } = await newestOf(work, { text: '', state: '', least: '0', limit: MOST_LATEST });
    const [needed, moved] = [await counts(), await volumes()];
    return service.submit('read', ({ store, nowMs }) => {
      const owner = ownIn(store, apiKey());
      const own = owner?.id ?? 0n;
      const sums = store.all<{ asset: Asset; n: bigint }>(
        'SELECT asset, sum(balance) AS n FROM account GROUP BY asset',
      );
      const wrong = sums.filter(({ n }) => n !== 0n);
      return {
        ...{ at: new Date(nowMs).toISOString(), of: owner?.name ?? '', asOf: null, list: 'work' },
        balances: balancesOf(store, own),
        needs: [
          ...needed,
          ...needsIn(store),
          ...wrong.map(({ asset, n }) => ({
            what: `The ledger does not balance: ${signed(asset, n)} too much`,
            list: 'balances',
          })),
        ],
        volumes: moved,
        latest: rows.toReversed(),
        sandbox: {
          machineTime: new Date(service.clock.now()).toISOString(),
          isBalanced: wrong.length === 0,
          due: dueIn(store),
          faults: store.all<{ endpoint: string; kind: string; times: bigint }>(
            'SELECT endpoint, kind, times FROM fault_rule WHERE times > 0 ORDER BY id LIMIT 10',
          ),
        },
      };
    });
  };
}

/** The account that is the sandbox's own. */
export const ownIn = (store: Database, apiKey: string) =>
  store.get<{ id: bigint; name: string }>(
    'SELECT fintech.id, name FROM fintech JOIN api_key ON api_key.fintech = fintech.id WHERE key = ?',
    apiKey,
  );

const startOfDay = (timeMs: number, zone: Zone) => {
  const aheadMs = zone.offsetMs(timeMs);
  return Math.floor((timeMs + aheadMs) / DAY_MS) * DAY_MS - aheadMs;
};

function needsIn(store: Database): NowNeed[] {
  const count = (sql: string) => Number(store.get<{ n: bigint }>(sql)?.n ?? 0n);
  const givenUp = count(`SELECT count(*) AS n FROM delivery WHERE state = 'given-up'`);
  const stuck = count('SELECT count(*) AS n FROM stuck');
  return [
    ...counted(givenUp, ['event given up', 'events given up'], { list: 'events', filters: { state: 'given-up' } }),
    ...counted(stuck, ['step stuck because of a bug', 'steps stuck because of a bug'], { list: 'clock' }),
  ];
}

/** The accounts of the ledger in which money is on its way, for everyone in the sandbox. */
const TRANSIT = `code IN ('incoming', 'refunds', 'vault', 'escrow', 'swapping', 'bridging')`;

function balancesOf(store: Database, own: bigint): Now['balances'] {
  const wallets = `SELECT asset, sum(balance) AS minor FROM account JOIN wallet ON wallet.id = CAST(substr(code, 8) AS INTEGER)
    WHERE code LIKE 'wallet/%' AND wallet.fintech = ${own} AND wallet.user IS`;
  const parts = {
    'Account wallets': `${wallets} NULL AND wallet.kind <> 'vault' GROUP BY asset`,
    Vault: `${wallets} NULL AND wallet.kind = 'vault' GROUP BY asset`,
    'User wallets': `${wallets} NOT NULL GROUP BY asset`,
    'Fees to withdraw': `SELECT asset, sum(balance) AS minor FROM account WHERE code LIKE 'fees/fintech/${own}/%' GROUP BY asset`,
    'In transit, whole sandbox': `SELECT asset, sum(balance) AS minor FROM account
      WHERE ${TRANSIT} OR code LIKE 'fees/withdrawing/%' GROUP BY asset`,
  };
  const read = Object.entries(parts).flatMap(([title, sql]) =>
    store.all<{ asset: Asset; minor: bigint }>(sql).map((each) => ({ title, ...each })),
  );
  const assets = (['CNGN', 'NGN', 'USDC', 'USDT'] as const).filter((asset) =>
    read.some((each) => each.asset === asset),
  );
  return assets.map((asset) => ({
    asset,
    parts: read
      .filter((each) => each.asset === asset)
      .map(({ title, minor }) => ({ title, text: signed(asset, minor), why: null })),
  }));
}

/** What ended well on each of the last days, by the kind of work. */
function volumesOf(store: Database, own: bigint, todayMs: number): Now['volumes'] {
  const fromMs = todayMs - DAYS_BEFORE * DAY_MS;
  const rows = store.all<{ kind: string; asset: Asset; day: bigint; minor: bigint }>(
    `SELECT kind, asset, (created_at - ${fromMs}) / ${DAY_MS} AS day, sum(minor) AS minor FROM (${ALL_WORK})
     WHERE created_at >= ${fromMs} AND fintech = ${own} AND state = 'completed' AND asset IS NOT NULL GROUP BY kind, asset, day`,
  );
  return [...Map.groupBy(rows, ({ kind, asset }) => `${kind} ${asset}`).values()].map((of) => {
    const [{ kind, asset } = { kind: '', asset: 'NGN' as Asset }] = of;
    const days = Array.from(
      { length: DAYS_BEFORE + 1 },
      (_, day) => of.find((each) => Number(each.day) === day)?.minor ?? 0n,
    );
    const usual = usualOf(days.slice(0, -1));
    return {
      ...{ title: kind, asset, today: amountForPeople(amount(asset, days.at(-1) ?? 0n)) },
      usual: usual === undefined ? null : amountForPeople(amount(asset, usual)),
      days: days.map((minor) => Number(amountText(amount(asset, minor)))),
    };
  });
}

/** What falls due next. */
export const dueIn = (store: Database) =>
  store
    .all<{ due_at: bigint; machine: string; event: string }>(
      'SELECT due_at, machine, event FROM due ORDER BY due_at, id LIMIT 5',
    )
    .map(({ due_at: at, machine, event }) => ({
      at: new Date(Number(at)).toISOString(),
      what: `${machine}: ${event}`,
    }));
