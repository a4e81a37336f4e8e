import { DatabaseSync } from 'node:sqlite';
import { CliError } from '../../../src/base/errors.ts';
import type { Served } from './rig.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

interface Person {
  readonly userId: string;
  readonly name: string;
  readonly accountNumber: string;
  readonly address: string;
}

/** Someone who works with the account, by chance. */
interface Worker {
  readonly service: Served;
  readonly chance: () => number;
  readonly people: readonly Person[];
  /** The account's own. */
  readonly place: Place;
  later(delayMs: number, act: Act): void;
}

type Act = (worker: Worker) => Promise<unknown>;

interface Place {
  readonly smartWallet: string;
  readonly accountNumber: string;
  readonly payTo: Readonly<Record<string, string>>;
}

const between = ({ chance }: Worker, from: number, to: number) => from + Math.floor(chance() * (to - from + 1));
const pick = <T>({ chance }: Worker, all: readonly T[]): T => all[Math.floor(chance() * all.length)] as T;
const amountOf = (value: number, asset: string) => ({ value: String(value), asset });
/** With kobo, now and then. */
const naira = (worker: Worker, from: number, to: number) => {
  const whole = between(worker, from, to);
  const kobo = worker.chance() < 0.3 ? between(worker, 1, 99) : 0;
  return { value: `${whole}.${String(kobo).padStart(2, '0')}`, asset: 'NGN' };
};
/** Whole multiples of fifty are no test values. */
const tokens = (worker: Worker, from: number, to: number, asset = 'CNGN') =>
  amountOf(50 * between(worker, Math.ceil(from / 50), Math.floor(to / 50)), asset);
const outside = ({ chance }: Worker) =>
  `0x${Array.from({ length: 40 }, () => Math.floor(chance() * 16).toString(16)).join('')}`;

/** Where payouts and offramps go: to most of them nothing happens but what is meant to. */
const BANK_ACCOUNTS = [
  '2038475610',
  '2038475610',
  '2038475610',
  '0000000009',
  '0000000011',
  '0000000012',
  '0000000013',
  '0000000014',
  '0000000015',
] as const;
const BANK_CODE = '000014';

const pay = ({ service }: Worker, accountNumber: string, amount: object, senderName: string) =>
  service.control('pay', { accountNumber, amount, senderName });

const userDeposit: Act = (worker) => {
  const person = pick(worker, worker.people);
  const test = pick(worker, [undefined, undefined, undefined, undefined, '1501', '1502']);
  const amount = test === undefined ? naira(worker, 2_000, 400_000) : amountOf(Number(test), 'NGN');
  return pay(worker, person.accountNumber, amount, worker.chance() < 0.15 ? 'ZENITH STORES LTD' : person.name);
};

const onramp: Act = async (worker) => {
  const person = pick(worker, worker.people);
  const amount = worker.chance() < 0.1 ? amountOf(1801, 'NGN') : naira(worker, 2_000, 200_000);
  const swap = worker.chance() < 0.25 ? { autoSwap: true, assetSwap: pick(worker, ['USDC', 'USDT']) } : {};
  const { requestId } = await worker.service.call('transactions.onramp', { userId: person.userId, amount, ...swap });
  const row = one<{ number: string; due: bigint }>(
    worker.service,
    `SELECT number, base_kobo + platform_fee_kobo + fintech_fee_kobo AS due FROM onramp
     JOIN virtual_account ON virtual_account.onramp = onramp.id WHERE request_id = '${requestId}'`,
  );
  const way = pick(worker, ['paid', 'paid', 'paid', 'paid', 'never', 'late', 'wrong'] as const);
  if (!row || way === 'never') return;
  const kobo = row.due + (way === 'wrong' ? 5_000n : 0n);
  const due = { value: `${kobo / 100n}.${String(kobo % 100n).padStart(2, '0')}`, asset: 'NGN' };
  worker.later(way === 'late' ? 40 * MINUTE_MS : between(worker, 1, 20) * MINUTE_MS, (then) =>
    pay(then, row.number, due, person.name),
  );
};

const offramp: Act = (worker) =>
  worker.service.call('transactions.offramp', {
    userId: pick(worker, worker.people).userId,
    amount: naira(worker, 1_000, 60_000),
    accountNumber: pick(worker, BANK_ACCOUNTS),
    bankCode: BANK_CODE,
    ticker: 'CNGN',
  });

const swap: Act = (worker) => {
  const sellToken = pick(worker, ['CNGN', 'CNGN', 'USDC', 'USDT']);
  const buyToken = sellToken === 'CNGN' ? pick(worker, ['USDC', 'USDT']) : 'CNGN';
  const amount = sellToken === 'CNGN' ? tokens(worker, 1_000, 50_000) : amountOf(between(worker, 1, 40), sellToken);
  return worker.service.call('swaps.create', {
    userId: pick(worker, worker.people).userId,
    sellToken,
    buyToken,
    amount,
  });
};

const withdrawTokens: Act = (worker) => {
  const person = pick(worker, worker.people);
  const ticker = pick(worker, ['CNGN', 'CNGN', 'USDC']);
  const amount =
    ticker === 'CNGN' && worker.chance() < 0.2
      ? amountOf(1601, 'CNGN')
      : amountOf(between(worker, 1, ticker === 'CNGN' ? 40_000 : 30), ticker);
  return worker.service.call('transactions.withdraw-asset', {
    userId: person.userId,
    internalWallet: person.address,
    destinationWallet: outside(worker),
    amount,
    ticker,
    network: pick(worker, ['base', 'base', 'bsc']),
  });
};

/** Tokens that no list shows. */
const tokensIn =
  (toAddress: (worker: Worker) => string): Act =>
  (worker) => {
    const asset = pick(worker, ['CNGN', 'USDC', 'USDT']);
    return worker.service.control('deposit', {
      address: toAddress(worker),
      asset,
      amount: asset === 'CNGN' ? tokens(worker, 1_000, 90_000) : amountOf(between(worker, 5, 300), asset),
      network: 'base',
      from: outside(worker),
    });
  };

const deposit: Act = (worker) =>
  pay(worker, worker.place.accountNumber, naira(worker, 50_000, 900_000), 'DANGOTE RETAIL LTD');

const payout: Act = (worker) => {
  const bankAccountId = worker.place.payTo[pick(worker, BANK_ACCOUNTS)];
  return worker.service.call('transactions.fintech-offramp', { amount: tokens(worker, 5_000, 400_000), bankAccountId });
};

const trade: Act = async (worker) => {
  const pair = pick(worker, ['CNGN-USDC', 'CNGN-USDT']);
  const side = pick(worker, ['buy', 'sell']);
  const fails = worker.chance() < 0.25 ? between(worker, 1301, 1304) : undefined;
  const unsigned = worker.chance() < 0.1;
  const cngnAmount = fails
    ? amountOf(fails, 'CNGN')
    : unsigned
      ? tokens(worker, 15_000_000, 15_400_000)
      : tokens(worker, 1_000, 400_000);
  const asked = { pair, side: unsigned && !fails ? 'sell' : side, cngnAmount };
  const idempotencyKey = outside(worker);
  if (worker.chance() < 0.5) return worker.service.call('fx.market-order', { ...asked, idempotencyKey });
  const { quoteId } = (await worker.service.call('fx.quote', asked)) as { quoteId: string };
  worker.later(between(worker, 0, 6) * MINUTE_MS, (then) => then.service.call('fx.trade', { quoteId, idempotencyKey }));
  return undefined;
};

const bridgeIn: Act = async (worker) => {
  const amount = worker.chance() < 0.15 ? amountOf(1701, 'CNGN') : tokens(worker, 2_000, 300_000);
  const fromNetwork = pick(worker, ['bsc', 'eth', 'pol']);
  const from = outside(worker);
  const toOutside = worker.chance() < 0.2;
  const { receivableAddress } = await worker.service.call('bridge.initiate', {
    token: 'CNGN',
    fromNetwork,
    toNetwork: 'base',
    amount,
    fromAddress: from,
    toAddress: toOutside ? outside(worker) : worker.place.smartWallet,
  });
  if (worker.chance() < 0.15) return;
  worker.later(between(worker, 2, 30) * MINUTE_MS, (then) =>
    then.service.control('deposit', {
      address: receivableAddress,
      asset: 'CNGN',
      amount,
      network: fromNetwork,
      from: then.chance() < 0.1 ? outside(then) : from,
    }),
  );
};

/** From the account's wallet to another network, of its own or someone else's. */
const bridgeOut: Act = async (worker) => {
  const { service, place } = worker;
  const amount = worker.chance() < 0.2 ? amountOf(1701, 'CNGN') : tokens(worker, 2_000, 100_000);
  const { receivableAddress } = await service.call('bridge.initiate', {
    token: 'CNGN',
    fromNetwork: 'base',
    toNetwork: pick(worker, ['bsc', 'pol']),
    amount,
    fromAddress: place.smartWallet,
    toAddress: worker.chance() < 0.5 ? place.smartWallet : outside(worker),
  });
  await service.call('wallets.add-external', {
    address: receivableAddress,
    blockchain: 'base',
    type: 'custodial',
    label: `bridge ${String(receivableAddress).slice(2, 8)}`,
  });
  await service.call('transactions.fintech-transfer', {
    destinationAddress: receivableAddress,
    amount,
    ticker: 'CNGN',
  });
};

const transfer: Act = (worker) => {
  const ticker = pick(worker, ['CNGN', 'CNGN', 'USDC', 'USDT']);
  const amount =
    ticker === 'CNGN' && worker.chance() < 0.2
      ? amountOf(1601, 'CNGN')
      : ticker === 'CNGN'
        ? tokens(worker, 1_000, 100_000)
        : amountOf(between(worker, 10, 900), ticker);
  const address = pick(worker, [worker.place.payTo['treasury'], worker.place.payTo['treasury'], outside(worker)]);
  return worker.service.call('transactions.fintech-transfer', { destinationAddress: address, amount, ticker });
};

const changeFees: Act = (worker) => {
  const fee = {
    percentageFee: between(worker, 1, 9) / 10,
    capFee: 10_000 * between(worker, 2, 20),
    enabled: worker.chance() < 0.9,
  };
  return worker.service.call('fees.manage', worker.chance() < 0.5 ? { onrampFee: fee } : { offrampFee: fee });
};

const withdrawFees: Act = (worker) =>
  worker.service.call('fees.withdraw', {
    bankAccountNumber: pick(worker, ['2038475610', '2038475610', '0000000009', '0000000011']),
    bankCode: BANK_CODE,
    accountName: 'ANY NAME',
    amount: amountOf(between(worker, 1_000, 9_000), 'NGN'),
    narration: 'fees',
  });

const onboard: Act = (worker) =>
  worker.service.call('users.onboard', { bvn: `22${String(between(worker, 0, 999_999_999)).padStart(9, '0')}` });

/** What happens, and how often. */
const ACTS: readonly (readonly [weight: number, name: string, act: Act])[] = [
  [12, 'user deposit', userDeposit],
  [12, 'onramp', onramp],
  [16, 'offramp', offramp],
  [5, 'swap', swap],
  [6, 'token withdrawal', withdrawTokens],
  [2, 'tokens to a user', tokensIn((worker) => pick(worker, worker.people).address)],
  [1, 'tokens to the account', tokensIn(({ place }) => place.smartWallet)],
  [7, 'deposit', deposit],
  [13, 'payout', payout],
  [9, 'trade', trade],
  [5, 'bridge in', bridgeIn],
  [3, 'bridge out', bridgeOut],
  [6, 'transfer', transfer],
  [3, 'fee change', changeFees],
  [4, 'fee withdrawal', withdrawFees],
  [1, 'onboarding', onboard],
];

const WEIGHTS = ACTS.reduce((sum, [weight]) => sum + weight, 0);

function actBy(chance: () => number): (typeof ACTS)[number] {
  let left = chance() * WEIGHTS;
  return ACTS.find(([weight]) => {
    left -= weight;
    return left < 0;
  }) as (typeof ACTS)[number];
}

function one<T>({ path }: Served, sql: string): T | undefined {
  return all<T>(path, sql)[0];
}

function all<T>(path: string, sql: string): readonly T[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all() as unknown as readonly T[];
  } finally {
    database.close();
  }
}

const peopleOf = ({ path }: Served): readonly Person[] =>
  all<Person>(
    path,
    `SELECT user_id AS userId, first_name || ' ' || last_name AS name, a.number AS accountNumber, wallet.address FROM user
     JOIN virtual_account AS a ON a.user = user.id AND a.kind = 'user_permanent'
     JOIN wallet ON wallet.user = user.id AND wallet.kind = 'managed' WHERE user.fintech = 1 ORDER BY user.id`,
  );

/** Sells the stablecoins that the vault begins with, of which nothing says what they cost, but for less than any sale. */
async function sellAll(service: Served, asset: string): Promise<void> {
  const isRejected = (error: unknown) => {
    if (error instanceof CliError && error.category === 'rejected') return true;
    throw error;
  };
  let count = 0;
  for (const value of ['5000000', '1000000', '200000', '40000', '8000', '1000'])
    for (let isOver = false; !isOver; count += 1) {
      const order = { pair: `CNGN-${asset}`, side: 'sell', cngnAmount: { value, asset: 'CNGN' } };
      isOver = await service
        .call('fx.market-order', { ...order, idempotencyKey: `first-${count}` })
        .then(() => false, isRejected);
    }
}

/** Registers what the account pays to. */
async function furnish(service: Served): Promise<Place> {
  await service.control('seed', { users: 6 });
  const payTo: Record<string, string> = {};
  for (const accountNumber of new Set(BANK_ACCOUNTS)) {
    const added = await service.call('banks.add', { accountNumber, bankCode: BANK_CODE, label: accountNumber });
    payTo[accountNumber] = String(added['accountId']);
  }
  payTo['treasury'] = '0x52908400098527886E0F7030069857D2E4169EE7';
  await service.call('wallets.add-external', {
    address: payTo['treasury'],
    blockchain: 'base',
    type: 'custodial',
    label: 'treasury',
  });
  await sellAll(service, 'USDT');
  const [wallet, account] = [
    one<{ address: string }>(service, `SELECT address FROM wallet WHERE fintech = 1 AND kind = 'fintech'`),
    one<{ number: string }>(
      service,
      `SELECT number FROM virtual_account WHERE fintech = 1 AND kind = 'fintech_permanent'`,
    ),
  ];
  return { smartWallet: wallet?.address ?? '', accountNumber: account?.number ?? '', payTo };
}

/** What was done: how often each, and how often the service rejected it. */
export type Done = Map<string, { done: number; rejected: number }>;

/** A working account. */
export interface Working {
  readonly done: Done;
  /** Works from now until a time, with so many operations. `at` is called when some time is passed. */
  work(untilMs: number, count: number, at?: ReadonlyMap<number, () => Promise<void>>): Promise<void>;
}

export async function working(service: Served, chance: () => number): Promise<Working> {
  const place = await furnish(service);
  const done: Done = new Map();
  return {
    done,
    work: async (untilMs, count, at = new Map()) => {
      const startMs = service.now();
      const agenda: { atMs: number; name: string; act: Act }[] = [];
      const add = (atMs: number, name: string, act: Act) => {
        agenda.push({ atMs, name, act });
        agenda.sort((a, b) => a.atMs - b.atMs);
      };
      for (let each = 0; each < count; each++) {
        const [, name, act] = actBy(chance);
        add(startMs + Math.floor(chance() * (untilMs - startMs)), name, act);
      }
      for (const [atMs, look] of at) add(atMs, '', look);
      for (let next = agenda.shift(); next; next = agenda.shift()) {
        const { atMs, name, act } = next;
        await service.moveTo(atMs);
        const worker: Worker = {
          service,
          chance,
          place,
          people: peopleOf(service),
          later: (delayMs, then) => add(Math.min(atMs + delayMs, untilMs - 1), `${name}, then`, then),
        };
        if (name === '') await act(worker);
        else await perform(worker, name, act, done);
      }
      await service.moveTo(untilMs);
    },
  };
}

async function perform(worker: Worker, name: string, act: Act, done: Done): Promise<void> {
  const count = done.get(name) ?? { done: 0, rejected: 0 };
  done.set(name, count);
  try {
    await act(worker);
    count.done += 1;
  } catch (error) {
    // The sandbox says no with an HTTP status, and then nothing has moved.
    if (!(error instanceof CliError) || !['rejected', 'unknown'].includes(error.category)) throw error;
    count.rejected += 1;
  }
}
