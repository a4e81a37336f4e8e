import type { RequestOf, ResponseOf } from '../../contract/endpoint.ts';
import { verifyWithdrawal, withdrawFees } from '../../contract/endpoints/fee-withdrawals.ts';
import type { AccountReply } from '../../engine/account.ts';
import { startedShape } from '../../engine/operations/started.ts';
import { amountLine, balanceLine, type Line, readPreviews, withdrawableFees } from '../../engine/previews.ts';
import { newTag } from '../../engine/requests.ts';
import type { Sweep } from '../../journal/intent.ts';
import { type Amount, amountForPeople } from '../../money/amount.ts';
import { toWireNumber } from '../../money/units.ts';
import type { Session } from '../../terminal/session.ts';
import type { Destination } from './destination.ts';

/** What starts a withdrawal, and what shows it. */
export const WORK = { start: withdrawFees, status: verifyWithdrawal } as const;

/** What a withdrawal says besides its amount. */
export interface WithdrawalTexts {
  readonly destination: Destination;
  /** Text for the bank statement; undefined for a tag of its own. */
  readonly narration: string | undefined;
  readonly noTag: boolean;
  readonly reference: string | undefined;
  readonly note: string | undefined;
}

/** `account 0123456789 at bank 000013` */
export const destinationText = ({ bankAccountNumber, bankCode }: Destination): string =>
  `account ${bankAccountNumber} at bank ${bankCode}`;

/** Returns the request for a withdrawal. */
export function withdrawalRequest(
  { destination, narration, reference, note }: Omit<WithdrawalTexts, 'noTag'>,
  amount: Amount,
): RequestOf<typeof withdrawFees> {
  return {
    ...destination,
    amount: toWireNumber(amount, 'kobo'),
    narration,
    metadata: reference === undefined && note === undefined ? undefined : { reference, notes: note },
  };
}

/** Returns the text for the bank statement of one withdrawal; undefined for none. */
function narrationOf(session: Session, { narration, noTag }: WithdrawalTexts): string | undefined {
  return narration ?? (noTag ? undefined : newTag(session));
}

/** Returns the request that `sendWithdrawal` would make. */
export function withdrawalToSend(session: Session, texts: WithdrawalTexts, amount: Amount) {
  return withdrawalRequest({ ...texts, narration: narrationOf(session, texts) }, amount);
}

/** What is available before and after a withdrawal, if this command has read it. */
function feesLines({ activity }: Session, taken: Amount): readonly Line[] {
  const { available, minimum } = activity.fees ?? {};
  return available ? [balanceLine(available, -taken.minor, { minimumMinor: minimum?.minor })] : [];
}

/** One of the withdrawals of a sweep. */
interface Part extends Sweep {
  /** From 1. */
  readonly number: number;
}

const partInWords = ({ number, count, total }: Part) => `, part ${number} of ${count} of ${amountForPeople(total)}`;

/** Withdraws an amount, after the user agreed to it, or before to all of which it is a part. */
export async function sendWithdrawal(
  session: Session,
  texts: WithdrawalTexts,
  amount: Amount,
  part?: Part,
): Promise<AccountReply<ResponseOf<typeof withdrawFees>>> {
  const { destination, reference, note } = texts;
  const narration = narrationOf(session, texts);
  const tag = texts.narration === undefined ? narration : undefined;
  const where = destinationText(destination);
  return session.change(
    withdrawFees,
    withdrawalRequest({ ...texts, narration }, amount),
    {
      summary: `withdraw ${amountForPeople(amount)} in fees to ${where}${part ? partInWords(part) : ''}`,
      tag,
      sweep: part && { total: part.total, count: part.count },
      lines: [
        amountLine(amount, 'kobo'),
        ['destination', `${where}, ${destination.accountName}`],
        ...(narration === undefined ? [] : [['narration', narration] as const]),
        ...(reference === undefined ? [] : [['reference', reference] as const]),
        ...(note === undefined ? [] : [['note', note] as const]),
      ],
      previews: () =>
        readPreviews(async () => {
          await withdrawableFees(session, false);
          return feesLines(session, amount);
        }),
      known: () => feesLines(session, amount),
    },
    { prints: startedShape(WORK) },
  );
}
