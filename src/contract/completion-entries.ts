import type { Endpoint } from './endpoint.ts';

/** The kinds of ids that people type on a command line. A request belongs to the command group after it. */
export const KINDS = [
  'user',
  'bank',
  'bank-account',
  'wallet',
  'order',
  'trade',
  'fee-withdrawal',
  'request onramp',
  'request offramp',
  'request payout',
  'request swaps',
  'request bridge',
] as const;

export type EntryKind = (typeof KINDS)[number];

/** An entry of the completion cache: an id, and a description that a person recognises. */
export interface CompletionEntry {
  readonly kind: EntryKind;
  readonly id: string;
  readonly about: string;
}

/** The entries that a response has for the completion cache. */
export interface CompletionEntries {
  readonly entries: readonly CompletionEntry[];
  /** The kinds that the response lists completely: others of these kinds no longer exist. */
  readonly whole: readonly EntryKind[];
}

/** Where the entries of one kind are in a response. */
interface EntrySource {
  readonly kind: EntryKind;
  /** The list with the entries. Without it, the response itself is one entry. */
  readonly in?: string;
  readonly id: string;
  /** The fields that describe it, in order. Never a secret, and of a person only the name. */
  readonly about: readonly string[];
  /** Whether the list has all entries of this kind. */
  readonly isWhole?: true;
}

const savedAccount = {
  kind: 'bank-account',
  id: 'accountId',
  about: ['accountName', 'accountNumber', 'bankName', 'label'],
} as const;

/** What is remembered of each endpoint's responses. Nothing else is. */
export const ENTRY_SOURCES: Readonly<Record<string, readonly EntrySource[]>> = {
  'users.list': [{ kind: 'user', in: 'users', id: 'userId', about: ['firstName', 'lastName'] }],
  'users.get-details': [
    { kind: 'user', id: 'userId', about: ['personalDetails.firstName', 'personalDetails.lastName'] },
  ],
  'users.onboard-status': [{ kind: 'user', id: 'userId', about: [] }],
  'banks.list-codes': [
    { kind: 'bank', in: 'banks', id: 'bankCode', about: ['bankName'], isWhole: true },
    { kind: 'bank', in: 'banks', id: 'bank_code', about: ['bank_name'], isWhole: true },
  ],
  'banks.list': [{ ...savedAccount, in: 'accounts', isWhole: true }],
  'banks.get': [{ ...savedAccount, in: 'accounts' }],
  'wallets.get-fintech': [
    { kind: 'wallet', in: 'externalWallets', id: 'address', about: ['label', 'blockchain', 'type'], isWhole: true },
  ],
  'fx.list-limit-orders': [{ kind: 'order', in: 'orders', id: 'orderId', about: ['side', 'pair', 'status'] }],
  'fx.list-trades': [{ kind: 'trade', in: 'trades', id: 'tradeId', about: ['side', 'pair', 'status'] }],
  'fx.trade-status': [{ kind: 'trade', id: 'tradeId', about: ['side', 'pair', 'status'] }],
  'fees.withdrawal-history': [
    { kind: 'fee-withdrawal', in: 'withdrawals', id: 'withdrawalId', about: ['accountName', 'status'] },
  ],
  'swaps.history': [
    { kind: 'request swaps', in: 'swaps', id: 'requestId', about: ['sellToken', 'buyToken', 'status'] },
  ],
  'swaps.status': [{ kind: 'request swaps', id: 'requestId', about: ['status'] }],
  'bridge.history': [
    { kind: 'request bridge', in: 'transactions', id: 'requestId', about: ['fromNetwork', 'toNetwork', 'status'] },
  ],
  'bridge.status': [{ kind: 'request bridge', id: 'requestId', about: ['fromNetwork', 'toNetwork', 'status'] }],
  'transactions.onramp-status': [{ kind: 'request onramp', id: 'requestId', about: ['status'] }],
  'transactions.offramp-status': [{ kind: 'request offramp', id: 'requestId', about: ['status'] }],
  'transactions.fintech-offramp-status': [{ kind: 'request payout', id: 'requestId', about: ['status'] }],
};

const LONGEST_ABOUT = 80;

/** An id that a shell and an option parser read as a plain word. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;
/** A BVN, which is never an id. */
const BVN = /^\d{11}$/;

/** Whether a text may be offered as an id. */
export const isPlainId = (text: string): boolean => ID.test(text) && !BVN.test(text);

/** Makes a description of one short line, without numbers as long as a BVN. */
export function plainAbout(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\d{11,}/g, '…')
    .trim()
    .slice(0, LONGEST_ABOUT)
    .toWellFormed();
}

/** Returns the entries that a response has for the completion cache; undefined for an endpoint that has none. */
export function completionEntriesIn(
  { id, nests }: Pick<Endpoint, 'id' | 'nests'>,
  data: unknown,
): CompletionEntries | undefined {
  const sources = Object.hasOwn(ENTRY_SOURCES, id) ? ENTRY_SOURCES[id] : undefined;
  if (!sources) return undefined;
  const answer = { ...fieldsOf(nests === undefined ? undefined : at(data, nests)), ...fieldsOf(data) };
  return {
    entries: sources.flatMap((source) => entriesAt(source, answer)),
    whole: sources.flatMap(({ kind, in: list, isWhole }) =>
      isWhole && list !== undefined && Array.isArray(at(answer, list)) ? [kind] : [],
    ),
  };
}

function entriesAt({ kind, in: list, id: name, about }: EntrySource, answer: unknown): CompletionEntry[] {
  const found = list === undefined ? [answer] : at(answer, list);
  if (!Array.isArray(found)) return [];
  return found.flatMap((each: unknown) => {
    const id = at(each, name);
    if (typeof id !== 'string' || !isPlainId(id)) return [];
    const texts = about.map((field) => at(each, field)).filter((text) => typeof text === 'string');
    return [{ kind, id, about: plainAbout(texts.join(' ')) }];
  });
}

/** Returns the field at a dotted path. */
function at(data: unknown, name: string): unknown {
  return name.split('.').reduce((value, key) => fieldsOf(value)[key], data);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** Writes a bank's name as one word that needs no quotes in a shell: `guaranty-trust-bank`. */
export function wordOfBank(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Whether a typed text begins a word of a description, such as a name or an account number. Ignores case. */
export const isNamedBy = (about: string, typed: string): boolean =>
  about
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => word.startsWith(typed.toLowerCase()));
