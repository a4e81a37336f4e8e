import type { Zone } from '../../../base/zone.ts';
import { type DocumentPage, documentPage, type PageValue } from '../../../present/document-page.ts';
import { amountWords, isPlainAmount, type Plain } from '../../../present/plain.ts';
import { timeText } from '../../../present/times.ts';
import type { ReceiptOutcome } from './outcome.ts';
import type { Receipt } from './receipt.ts';

const TONES: Readonly<Record<ReceiptOutcome, DocumentPage['tone']>> = {
  completed: 'good',
  open: 'open',
  unconfirmed: 'open',
  failed: 'bad',
  returned: 'bad',
};

const STATES: Readonly<Record<ReceiptOutcome, string>> = {
  completed: 'Completed',
  open: 'Not final',
  unconfirmed: 'Not confirmed',
  failed: 'Failed',
  returned: 'Came back',
};

/** `Payout receipt`, or `Payout status report`. */
const headingOf = ({ kind, document }: Pick<Receipt, 'kind' | 'document'>): string => `${upperFirst(kind)} ${document}`;

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What a value is in words. */
function wordsOf(value: Plain): string {
  if (Array.isArray(value)) return value.map(wordsOf).join(', ');
  if (isPlainAmount(value)) return amountWords(value);
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}

/** The fee in words, or why it is not known. */
const feeWords = ({ fee, feeUnknown }: Pick<Receipt, 'fee' | 'feeUnknown'>): string => feeUnknown ?? amountWords(fee);

/** Draws a receipt as a page of HTML. Times are in the zone, which the page names. */
export function receiptPage(receipt: Receipt, zone: Zone): string {
  const { outcome, meaning, amount, party, details, references, times, check, warnings, issuer, notice } = receipt;
  const at = (time: string) => timeText(time, { zone }) ?? time;
  const [sum = 'Amount not known', ...sumAlso] = (Array.isArray(amount) ? amount : [amount])
    .filter((each) => each !== null)
    .map(wordsOf);
  const heading = headingOf(receipt);
  const from = issuer.name ?? `Profile ${issuer.profile}`;
  const value = ({ title, value: each }: { readonly title: string; readonly value: Plain }): PageValue => ({
    title,
    text: wordsOf(each),
  });
  return documentPage({
    title: [heading, sum, from].join(' · '),
    heading,
    from,
    tone: TONES[outcome],
    state: STATES[outcome],
    stateText: [`${upperFirst(meaning)}.`, ...sinceWords(receipt, at)].join(' '),
    notices: [...(notice ? [notice] : []), ...warnings],
    sum,
    sumAlso,
    party: party ?? undefined,
    sections: [
      { title: 'Details', values: [{ title: 'Fee', text: feeWords(receipt) }, ...details.map(value)] },
      { title: 'Times', values: times.map((each) => ({ title: each.title, text: at(each.at), at: each.at })) },
      { title: 'References', values: references.map((each) => ({ ...value(each), isCode: true })) },
    ],
    steps: { title: 'How to check it', items: check.map((each) => `${each.says}.`) },
    footer: [
      `Issued ${at(receipt.issuedAt)} by ${from}, profile ${issuer.profile}${issuer.service ? ` at ${issuer.service}` : ''}.`,
      receipt.source === 'service'
        ? `Read from the service at ${at(receipt.asOf ?? receipt.issuedAt)}.`
        : `From the ${receipt.source} of the issuer${receipt.asOf ? ` as of ${at(receipt.asOf)}` : ''}.`,
      `Times are in ${receipt.zone}.`,
    ],
  });
}

/** Since when it is so, for people who rely on it. */
function sinceWords(receipt: Receipt, at: (time: string) => string): readonly string[] {
  const { outcome, finalSince, completedAt, issuedAt } = receipt;
  if (outcome === 'open' || outcome === 'unconfirmed') return [];
  if (outcome === 'returned')
    return [
      ...(completedAt ? [`It had completed at ${at(completedAt)}.`] : []),
      finalSince
        ? `It came back by ${at(finalSince)}.`
        : `The service does not say when it came back; it had by ${at(issuedAt)}.`,
    ];
  return [
    finalSince
      ? `It is final since ${at(finalSince)}.`
      : `The service does not say since when; it was so at ${at(issuedAt)}.`,
  ];
}
