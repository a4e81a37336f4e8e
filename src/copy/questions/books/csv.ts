import { amountText } from '../../../money/amount.ts';
import { csvRecord } from '../../../present/csv.ts';
import type { BookWriter } from './book.ts';

/** Writes one record for each posting, with the account’s name as the copy has it. */
export const csvBookText: BookWriter = async function* ({ opening, closing, sets, days, dayOf }) {
  yield csvRecord(['day', 'at', 'account', 'amount', 'asset', 'thing', 'id', 'user', 'step', 'note', 'unknown']);
  const stated = (day: string, step: string, postings: typeof opening) =>
    postings
      .map(({ account, asset, minor }) =>
        csvRecord([day, '', account, amountText({ asset, minor }), asset, '', '', '', step, '', '']),
      )
      .join('');
  yield stated(days.first, 'opening balance', opening);
  for await (const { at, thing, id, step, userId, note, postings, unknown } of sets) {
    const of = [thing, id, userId ?? '', step, note ?? '', unknown.join(' ')];
    const none = unknown.length > 0 && postings.length === 0;
    if (none) yield csvRecord([dayOf(at), at, '', '', '', ...of]);
    yield postings
      .map(({ account, asset, minor }) =>
        csvRecord([dayOf(at), at, account, amountText({ asset, minor }), asset, ...of]),
      )
      .join('');
  }
  yield stated(days.last, 'closing balance', closing);
};
