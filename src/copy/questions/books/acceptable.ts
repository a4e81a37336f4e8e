/**
 * Every code for what is not known and no sync can find out, with why it cannot. A person may close a month with it, by its name and with a
 * reason; what a later sync, a decision about an operation or a balance can find out is not here and keeps the month open. Accepting it changes no
 * figure: it stays not known, and the close and later reports say who accepted how much of it.
 */
export const ACCEPTABLE = {
  END_BETWEEN: 'the service does not say when it was, and no sync was in between',
  OPEN_OVERDUE: 'the service has not ended it; its amounts stay in transit',
  AMOUNT_NOT_STATED: 'the service does not state the amount',
  FEE_NOT_STATED: 'the service does not state the fee',
  FEE_OTHER_ASSET: 'the service states what was left in another asset',
  FEE_PARTS: 'the service states parts that disagree with their sum',
  FEE_SCHEDULE_NOT_SEEN: 'no sync read the fees that applied then',
} as const satisfies Readonly<Record<string, string>>;

/** Whether a person may accept a code. */
export const isAcceptable = (code: string): code is keyof typeof ACCEPTABLE => Object.hasOwn(ACCEPTABLE, code);
