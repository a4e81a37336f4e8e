import type { LocalCopy } from '../../copy/database.ts';
import { type RowRecord, recordNames, rowReader } from '../../copy/forms.ts';
import { lastCheckAt } from '../../copy/questions/report/checks.ts';
import { stored } from '../../copy/schema.ts';
import { TABLES } from '../../copy/tables.ts';
import { LISTS } from '../../things/index.ts';
import { comparison, isOfWork, isWorkKind, type ListedWork } from '../../webhooks/gaps.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { GRACE_MS, textsIn, workOf } from '../../webhooks/listed.ts';

/** What is older was looked at when it was new. */
const PERIOD_MS = 7 * 86_400_000;

/**
 * Counts the events that are missing of work of the last days, as `webhooks inbox gaps` does, but by the lists as the last sync copied
 * them. Of an inbox without an event, nothing is missing: no one listens.
 */
export async function missingEvents(copy: LocalCopy, inbox: Inbox | undefined): Promise<number> {
  const extent = await inbox?.extent();
  const asOf = await copy.read(lastCheckAt);
  if (!inbox || !extent || asOf === undefined) return 0;
  const prunedMs = (await inbox.prunedMs()) ?? Number.NEGATIVE_INFINITY;
  const sinceMs = Math.max(Date.parse(asOf) - PERIOD_MS, extent.earliestMs, prunedMs + 1);
  const works = await worksSince(copy, new Date(sinceMs).toISOString());
  const settledMs = Date.parse(asOf) - GRACE_MS;
  const compared = comparison(works, { sinceMs, untilMs: Number.POSITIVE_INFINITY, settledMs });
  for await (const { id, event, text } of inbox.happenedFrom(sinceMs, Number.POSITIVE_INFINITY))
    compared.see({ id: Number(id), event, isExpected: false, texts: textsIn(JSON.parse(text)) });
  let missing = 0;
  for (const { work, events, isClosed } of compared.end().missing)
    if (!isClosed && !(await inbox.acceptedGap(work.kind, work.ids[0] ?? '', events.join(' or ')))) missing += 1;
  return missing;
}

const worksSince = (copy: LocalCopy, since: string): Promise<ListedWork[]> =>
  copy.read(async (queries) => {
    const works: ListedWork[] = [];
    for (const table of TABLES.filter(({ name }) => isOfWork(name))) {
      const rowOf = rowReader(table);
      const list = LISTS.find(({ name }) => name === table.name);
      const sql = `SELECT ${recordNames(table).join(', ')} FROM ${stored(table)} WHERE created_at >= ? AND deleted_at IS NULL`;
      for (const record of await queries.all<RowRecord>(sql, since)) {
        const row = rowOf(record);
        if (list && row !== undefined) works.push(workOf(list, row));
      }
    }
    return works.filter(({ kind }) => isWorkKind(kind));
  });
