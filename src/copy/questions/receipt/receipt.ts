import { metaAt } from '../../../contract/compare.ts';
import type { Account } from '../../../engine/account.ts';
import type { StatedAsset } from '../../../money/amount.ts';
import type { Known } from '../../../money/figure.ts';
import { TEST_NOTICE } from '../../../present/document-page.ts';
import { exactAmount, isPlainAmount, type Plain, type PlainAmount } from '../../../present/plain.ts';
import type { Fact, Thing } from '../../../things/thing.ts';
import type { FindMatch } from '../look.ts';
import { because, whyOfOne } from '../reasons.ts';
import { textIn } from '../typed.ts';
import { amountsAt, withConverted } from './amounts.ts';
import { maskedAccount, withoutNumbers } from './masked.ts';
import type { ReceiptOutcome, ReceiptStatus } from './outcome.ts';
import { isFresh, type Reading, type Readings, valuesIn } from './readings.ts';

/** One line of a receipt. */
interface ReceiptLine {
  readonly title: string;
  readonly value: Plain;
}

/** Something by which a receipt can be checked, and where. */
interface Reference extends ReceiptLine {
  readonly value: string;
  readonly checkedAt: 'bank' | 'network' | 'service' | 'account';
}

/** A figure that is not known, and why. */
interface UnknownFee {
  readonly value: null;
  readonly asset: StatedAsset | null;
  readonly known: Known;
}

/** Who issued it. */
interface Issuer {
  readonly name: string | null;
  readonly profile: string;
  readonly mode: Account['profile']['mode'];
  /** The address of the service; null for the embedded sandbox. */
  readonly service: string | null;
}

/** A receipt, or a report of how something stands that is not final. Times are ISO 8601 in UTC. */
export interface Receipt {
  /** What must not be missed: that nothing of a sandbox is real. */
  readonly notice: string | null;
  readonly document: 'receipt' | 'status report';
  readonly kind: string;
  readonly id: string;
  readonly outcome: ReceiptOutcome;
  readonly isFinal: boolean;
  readonly says: string;
  /** The same without how it stands. */
  readonly meaning: string;
  readonly status: string | null;
  readonly finalSince: string | null;
  readonly completedAt: string | null;
  readonly amount: Plain;
  /** `to ADA OBI`; null if no name is known. */
  readonly party: string | null;
  readonly fee: PlainAmount | UnknownFee;
  /** Why the fee is not known, in words; null if it is. */
  readonly feeUnknown: string | null;
  readonly details: readonly ReceiptLine[];
  readonly references: readonly Reference[];
  readonly times: readonly { readonly title: string; readonly at: string }[];
  readonly check: readonly { readonly at: Reference['checkedAt']; readonly says: string }[];
  readonly warnings: readonly string[];
  readonly issuer: Issuer;
  /** Where it was read: `service`, or what this machine has if the service could not be asked. */
  readonly source: 'service' | 'journal' | 'copy';
  /** When what it says was so. */
  readonly asOf: string | null;
  readonly issuedAt: string;
  /** The zone of the times that are shown to people. */
  readonly zone: string;
}

/** What a receipt is made of. */
interface Made {
  readonly match: FindMatch;
  readonly readings: Readings;
  readonly ending: ReceiptStatus;
  readonly issuer: Issuer;
  readonly issuedAt: string;
  /** When the local copy was read to its end; null if there is none. */
  readonly copiedAt: string | null;
  readonly zone: string;
}

/** What a sentence about something that proves nothing begins with. */
const WORDS: Readonly<Record<ReceiptOutcome, string>> = {
  completed: '',
  open: 'not final: ',
  unconfirmed: 'not confirmed: ',
  failed: '',
  returned: '',
};

/** Makes a receipt of what is known of a thing. Its facts are those of the record of the thing, in their order. */
export function receiptOf({ match, readings, ending, issuer, issuedAt, copiedAt, zone }: Made): Receipt {
  const { kind, id } = match;
  const all = readings.all;
  const source = all.some(isFresh) ? 'service' : all.some((each) => each.source === 'copy') ? 'copy' : 'journal';
  const references = referencesOf(kind, id, all);
  const isFinal = ending.outcome === 'completed';
  const sum = plainAmounts(sumOf(kind, all));
  return {
    notice: issuer.mode === 'live' ? null : TEST_NOTICE,
    document: isFinal ? 'receipt' : 'status report',
    kind: kind.name,
    id,
    ...ending,
    says: WORDS[ending.outcome] + ending.says,
    meaning: ending.says,
    isFinal,
    amount: sum,
    party: partyOf(kind, all),
    ...feeOf(kind, all),
    details: detailsOf(kind, all, ending.status, sum),
    references,
    times: timesIn(kind, all),
    check: checksOf(kind, references, issuer, ending.outcome),
    warnings: warningsOf(readings, source, copiedAt),
    issuer,
    source,
    asOf: source === 'service' ? issuedAt : source === 'copy' ? copiedAt : (match.operations[0]?.updatedAt ?? null),
    issuedAt,
    zone,
  };
}

/** What it moved, and what that became. */
function sumOf(kind: Thing, all: readonly Reading[]): readonly Plain[] {
  const amounts = amountsAt(all, kind.amount);
  const isConverted = kind.facts.some(
    (fact) => fact.isConverted && fact.fields.some((each) => kind.amount.includes(each)),
  );
  return isConverted ? withConverted(amounts) : amounts;
}

/** The person or the company that it went to or came from. */
function partyOf(kind: Thing, all: readonly Reading[]): string | null {
  const fact = kind.facts.find(({ isName, fields }) => isName && fields.some((each) => kind.who.includes(each)));
  const found = fact && factIn(fact, all);
  if (typeof found?.value !== 'string') return null;
  return `${kind.way === 'from' ? 'from' : 'to'} ${withoutNumbers(found.value)}`;
}

/** One amount alone, and several as a list; null if there is none. */
const plainAmounts = (amounts: readonly Plain[]): Plain => (amounts.length > 1 ? amounts : (amounts[0] ?? null));

/** What it cost, as the service states it; not known if it does not, or states several. */
function feeOf(kind: Thing, all: readonly Reading[]): Pick<Receipt, 'fee' | 'feeUnknown'> {
  const fields = kind.facts.flatMap((fact) => (fact.isFee ? fact.fields : []));
  const stated = amountsAt(all, fields);
  const [only] = stated;
  if (stated.length === 1 && isPlainAmount(only) && exactAmount(only)) return { fee: only, feeUnknown: null };
  const sum = exactAmount(amountsAt(all, kind.amount)[0]);
  const why = because(stated.length > 1 ? 'FEE_CONTRADICTED' : 'FEE_NOT_STATED');
  return {
    fee: { value: null, asset: sum?.asset ?? null, known: { ...why, is: 'no' } },
    feeUnknown: `not known: ${whyOfOne(why)}`,
  };
}

/** The first reading that has a fact, and what the contract says of the field. */
function factIn({ fields }: Fact, all: readonly Reading[]) {
  for (const reading of all)
    for (const { field, value } of valuesIn(reading, fields)) {
      const meta = reading.schema && metaAt(reading.schema, field);
      if (typeof value === 'boolean') return { value, meta };
      const text = textIn(reading.row, [field]);
      if (text !== undefined) return { value: text, meta };
    }
  return undefined;
}

const isReference = (personal: string | undefined) => personal === 'hash' || personal === 'reference';

/** Who, what and where: every fact that has no place of its own. */
function detailsOf(kind: Thing, all: readonly Reading[], status: string | null, sum: Plain): ReceiptLine[] {
  return kind.facts.flatMap((fact): ReceiptLine[] => {
    const { title, isFee, kind: form, isConverted } = fact;
    if (form === 'time' || isFee) return [];
    if (form === 'amount') {
      const amounts = amountsAt(all, fact.fields);
      const value = plainAmounts(isConverted ? withConverted(amounts) : amounts);
      // The sum stands above.
      return value === null || JSON.stringify(value) === JSON.stringify(sum) ? [] : [{ title, value }];
    }
    const found = factIn(fact, all);
    // Its kind is in the title, and its stage in its status.
    const isShown = found && (kind.types?.includes(String(found.value)) || found.value === status);
    if (!found || isShown || isReference(found.meta?.personal)) return [];
    const { value, meta } = found;
    return [{ title, value: typeof value === 'boolean' ? value : shownText(value, fact, meta?.isAccountNumber) }];
  });
}

/** A text as a receipt shows it: an account number without most of its digits, wherever it stands. */
function shownText(text: string, { isKey, isPersonal }: Fact, isAccountNumber = false): string {
  return isAccountNumber || (isKey && isPersonal) ? maskedAccount(text) : withoutNumbers(text);
}

function referencesOf(kind: Thing, id: string, all: readonly Reading[]): Reference[] {
  const isAtBank = kind.facts.some(({ isConverted }) => isConverted);
  const found = kind.facts.flatMap((fact): Reference[] => {
    const { value, meta } = factIn(fact, all) ?? {};
    if (typeof value !== 'string' || !isReference(meta?.personal)) return [];
    const checkedAt = meta?.personal === 'hash' ? 'network' : isAtBank ? 'bank' : 'service';
    return [{ title: fact.title, value, checkedAt }];
  });
  return [{ title: 'ID', value: id, checkedAt: 'account' }, ...found.filter(({ value }) => value !== id)];
}

function timesIn(kind: Thing, all: readonly Reading[]): { title: string; at: string }[] {
  return kind.facts.flatMap((fact) => {
    const found = fact.kind === 'time' ? factIn(fact, all) : undefined;
    return found && typeof found.value === 'string' ? [{ title: fact.title, at: found.value }] : [];
  });
}

const CHECKS: Readonly<Record<Reference['checkedAt'], (title: string, issuer: string) => string>> = {
  bank: (title) => `Ask the bank for the transfer with the ${title}`,
  network: (title) => `Look up the ${title} in any block explorer of its network`,
  service: (title, issuer) => `Give ${issuer} the ${title}`,
  account: (title, issuer) => `Ask ${issuer} about the ${title}`,
};

/** A title in the middle of a sentence. */
const lowerFirst = (title: string): string =>
  /^\p{Lu}{2}/u.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);

/** How someone can check it without believing the page. */
function checksOf(kind: Thing, references: readonly Reference[], { name }: Issuer, outcome: ReceiptOutcome) {
  const issuer = name ?? 'the sender of this';
  const mayReturn = outcome === 'completed' && Object.values(kind.states ?? {}).some((each) => 'isUndone' in each);
  const [own, ...others] = references;
  const steps = [...others, ...(own ? [own] : [])].map((each) => ({
    at: each.checkedAt,
    says: CHECKS[each.checkedAt](lowerFirst(each.title), issuer),
  }));
  const returned = `A bank can send back a ${kind.name} that has completed: ask again if the money is not there`;
  return mayReturn ? [...steps, { at: 'account' as const, says: returned }] : steps;
}

function warningsOf({ problem, listProblem }: Readings, source: Receipt['source'], copiedAt: string | null): string[] {
  const old =
    source === 'service' ? [] : [`This was not read from the service now, but from the ${source} of this machine`];
  return [
    ...(problem ? [`The service could not be asked: ${problem.message}`] : []),
    ...old,
    ...(listProblem
      ? [
          `Some details are ${copiedAt === null ? 'missing' : `from a copy of ${copiedAt}`}, because a list of the service could not be read`,
        ]
      : []),
  ];
}
