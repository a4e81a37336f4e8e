import { type Amount, DECIMALS } from '../money/amount.ts';

/**
 * The sandbox's test values. Any other 11-digit BVN verifies; any other account at a listed bank resolves. Source:
 * inferred.
 */
interface TestBvn {
  readonly bvn: string;
  readonly means: string;
  readonly outcome: 'verifies' | 'fails' | 'unavailable';
  readonly name?: PersonName;
}

export const TEST_BVNS: readonly TestBvn[] = [
  { bvn: '00000000000', means: 'fails verification', outcome: 'fails' },
  { bvn: '00000000001', means: 'the identity provider cannot be reached', outcome: 'unavailable' },
  {
    bvn: '00000000002',
    means: 'a name with an apostrophe, a hyphen and accents',
    outcome: 'verifies',
    name: { first: 'ADÉBÁYỌ̀', middle: "D'ANGELO", last: 'OKORO-BELLO' },
  },
  { bvn: '00000000003', means: 'a single name', outcome: 'verifies', name: { first: 'MUSA', middle: '', last: '' } },
  {
    bvn: '00000000004',
    means: 'a name of 90 characters',
    outcome: 'verifies',
    name: {
      first: 'OLUWATOBILOBAOLUWAFERANMIOLUWASEUN',
      middle: 'CHUKWUEMEKAIFEANYICHUKWU',
      last: 'OGUNDIMU-ADETOKUNBO-FASHOLA-OLA',
    },
  },
];

/** What happens to bank payouts to a test account; any other account is simply paid. */
export type PayoutPlan = 'fails' | 'in-steps' | 'cancelled' | 'transfer-fails' | 'reversed' | 'reviewed';

interface TestAccount {
  readonly accountNumber: string;
  readonly means: string;
  readonly resolves: boolean;
  readonly plan?: PayoutPlan;
}

export const TEST_ACCOUNTS: readonly TestAccount[] = [
  { accountNumber: '0000000000', means: 'does not resolve to a name', resolves: false },
  { accountNumber: '0000000009', means: 'resolves, and every payout to it fails', resolves: true, plan: 'fails' },
  {
    accountNumber: '0000000011',
    means: 'offramps and payouts go through every state, one minute each; fee withdrawals are processing for a minute',
    resolves: true,
    plan: 'in-steps',
  },
  {
    accountNumber: '0000000012',
    means: 'offramps and payouts are cancelled while they are pending',
    resolves: true,
    plan: 'cancelled',
  },
  {
    accountNumber: '0000000013',
    means: 'offramps fail at the bank verification, payouts while the cNGN is transferred',
    resolves: true,
    plan: 'transfer-fails',
  },
  {
    accountNumber: '0000000014',
    means: 'payouts of the account complete and are reversed an hour later',
    resolves: true,
    plan: 'reversed',
  },
  {
    accountNumber: '0000000015',
    means:
      'payouts of the account wait for a manual review: sandbox settle approves them; otherwise they fail after 3 days',
    resolves: true,
    plan: 'reviewed',
  },
];

/** Trades of exactly these amounts fail on purpose, for every fintech. */
interface TestTrade {
  readonly cngnAmount: string;
  readonly means: string;
  readonly outcome: 'signing-fails' | 'settling-fails' | 'signs-late' | 'fails-late';
}

export const TEST_TRADES: readonly TestTrade[] = [
  { cngnAmount: '1301', means: 'MPC signing fails', outcome: 'signing-fails' },
  { cngnAmount: '1302', means: 'the transaction fails while it settles', outcome: 'settling-fails' },
  { cngnAmount: '1303', means: 'MPC signing takes 6 minutes, longer than the lock', outcome: 'signs-late' },
  { cngnAmount: '1304', means: 'MPC signing fails after 6 minutes, when the lock has expired', outcome: 'fails-late' },
];

/** Returns the planned failure of a trade of this amount of cNGN, in base units. */
export function tradeOutcome(cngnBase: bigint): TestTrade['outcome'] | undefined {
  return TEST_TRADES.find(({ cngnAmount }) => BigInt(cngnAmount) * 1_000_000n === cngnBase)?.outcome;
}

/** Exact values of other requests that reach a state on purpose. */
interface TestValue {
  /** The command and its option. */
  readonly use: string;
  readonly value: string;
  readonly means: string;
}

const VALUES = {
  swapPends: {
    use: 'onramp create --auto-swap, amount in Naira',
    value: '1401',
    means: 'the auto-swap is pending for a minute before it is requested',
  },
  mintFails: {
    use: 'onramp create, amount in Naira',
    value: '1801',
    means: 'the mint fails after the payment, which is refunded',
  },
  gatewayFee: {
    use: 'onramp create, amount in Naira',
    value: '1901',
    means: 'a gateway fee of 1.5% is charged on top of the other fees',
  },
  depositPends: {
    use: 'sandbox pay to a permanent account, amount in Naira',
    value: '1501',
    means: 'the deposit is pending for a minute before the bank confirms it',
  },
  depositCancelled: {
    use: 'sandbox pay to a permanent account, amount in Naira',
    value: '1502',
    means: 'the deposit is pending for a minute, then the sender’s bank cancels it; nothing arrives',
  },
  withdrawalFails: {
    use: 'withdrawals create and transfers create, amount in tokens',
    value: '1601',
    means: 'the transfer is pending, then fails; the tokens are returned',
  },
  bridgeFails: {
    use: 'bridge create, cNGN that arrive',
    value: '1701',
    means: 'the release fails; the cNGN is returned to the sender',
  },
  unreadableAddress: {
    use: 'balances address',
    value: '0x000000000000000000000000000000000000dead',
    means: 'the balance on bsc cannot be read; that network has an error instead',
  },
  expiredKey: {
    use: 'x-api-key, for any request',
    value: 'sandbox_expired',
    means: 'an expired API key: HTTP 401, code 03',
  },
  vaultRejected: {
    use: 'fx vault register --vault-id',
    value: 'vault-rejected',
    means: 'the vault is rejected and becomes inactive',
  },
} satisfies Readonly<Record<string, TestValue>>;

type TestValueName = keyof typeof VALUES;

/** A key that every sandbox knows and none accepts. */
export const EXPIRED_KEY = VALUES.expiredKey.value;

export const TEST_VALUES: readonly TestValue[] = Object.values(VALUES);

/** Returns true if an amount of Naira or tokens, in its smallest unit, is exactly this test value. */
export function isTestAmount(name: TestValueName, { minor, asset }: Amount): boolean {
  return minor === BigInt(VALUES[name].value) * 10n ** BigInt(DECIMALS[asset]);
}

export function isTestText(name: TestValueName, text: string): boolean {
  return text === VALUES[name].value;
}

interface BvnRecord {
  readonly outcome: TestBvn['outcome'];
  readonly name: PersonName;
}

export interface PersonName {
  readonly first: string;
  readonly middle: string;
  readonly last: string;
}

export function fullName({ first, middle, last }: PersonName): string {
  return [first, middle, last].filter(Boolean).join(' ');
}

/** Names of BVN and bank account holders in the sandbox, and name matching. */

const FIRST = [
  'ADAEZE',
  'BABAJIDE',
  'CHINEDU',
  'DAMILOLA',
  'EBUKA',
  'FATIMA',
  'GBENGA',
  'HADIZA',
  'IFEOMA',
  'JIDE',
  'KELECHI',
  'LARABA',
  'MUSA',
  'NGOZI',
  'OLUMIDE',
  'PATIENCE',
  'RASHEED',
  'SADE',
  'TUNDE',
  'UCHE',
  'VICTORIA',
  'WALE',
  'YETUNDE',
  'ZAINAB',
] as const;

const MIDDLE = [
  'AMINA',
  'BOLAJI',
  'CHIAMAKA',
  'DAVID',
  'EMEKA',
  'FOLAKE',
  'GRACE',
  'HASSAN',
  'IKENNA',
  'JOY',
  'KABIRU',
  'MERCY',
] as const;

const LAST = [
  'ABUBAKAR',
  'ADEYEMI',
  'AKPAN',
  'BALOGUN',
  'BELLO',
  'CHUKWU',
  'DANJUMA',
  'EFFIONG',
  'EZE',
  'GARBA',
  'IBRAHIM',
  'IGWE',
  'LAWAL',
  'MOHAMMED',
  'NNAMDI',
  'NWOSU',
  'OBI',
  'OGUNLEYE',
  'OKAFOR',
  'OKORO',
  'OLATUNJI',
  'SANI',
  'UDO',
  'YUSUF',
] as const;

/** FNV-1a, so that a number has the same name on every machine. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}

function pick(names: readonly string[], text: string): string {
  return names[hash(text) % names.length] ?? '';
}

/** Returns the name for a number that is not a test value. */
function derivedName(number: string): PersonName {
  return {
    first: pick(FIRST, `first ${number}`),
    middle: pick(MIDDLE, `middle ${number}`),
    last: pick(LAST, `last ${number}`),
  };
}

/** Returns the identity provider's record of an 11-digit BVN. */
export function bvnRecord(bvn: string): BvnRecord {
  const known = TEST_BVNS.find((value) => value.bvn === bvn);
  return { outcome: known?.outcome ?? 'verifies', name: known?.name ?? derivedName(bvn) };
}

/** Returns the holder of a bank account; undefined if the bank does not know it. */
export function accountHolder(accountNumber: string, bankCode: string): string | undefined {
  const known = TEST_ACCOUNTS.find((value) => value.accountNumber === accountNumber);
  return known?.resolves === false ? undefined : fullName(derivedName(`${bankCode}/${accountNumber}`));
}

/** Returns the plan for bank payouts to an account. */
export function payoutPlan(accountNumber: string): PayoutPlan | undefined {
  return TEST_ACCOUNTS.find((value) => value.accountNumber === accountNumber)?.plan;
}
