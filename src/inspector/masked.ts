import type { Mask } from '../contract/mask/index.ts';
import type { InspectorSource, List, Page, RowQuery } from './source.ts';

/**
 * Returns what the page shows of a source: with a mask, every value is masked before anything is made of it. What is asked for by its
 * handle is found.
 */
export function shownSource(source: InspectorSource, mask: Mask | undefined): InspectorSource {
  if (!mask) return source;
  const { lists, documents, actions } = source;
  const of = <V, W>(record: Readonly<Record<string, V>>, change: (value: V) => W) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
  return {
    ...source,
    lists: of(lists, (list) => maskedList(list, mask)),
    documents: of(documents, (read) => async (asked) => mask.value(await read(asked))),
    actions: of(actions, (act) => async (input) => mask.value(await act(meantIn(mask, input)))),
    find: async (text) =>
      mask.value(await source.find(mask.meant(text))) as Awaited<ReturnType<InspectorSource['find']>>,
    linksOf: async (texts) => {
      const meant = new Map(texts.map((text) => [mask.meant(text), text]));
      const links = await source.linksOf([...meant.keys()]);
      return Object.fromEntries(
        Object.entries(links).map(([text, to]) => [meant.get(text) ?? text, mask.value(to) as typeof to]),
      );
    },
  };
}

/** What is sent of what the page shows has the values that its handles stand for. */
const meantIn = (mask: Mask, input: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, typeof value === 'string' ? mask.meant(value) : value]),
  );

function maskedList(list: List, mask: Mask): List {
  const { page, detail } = list;
  return {
    ...list,
    page: async (query: RowQuery) => {
      const { rows, ...about } = await page({ ...query, text: mask.meant(query.text) });
      // A summary may have a name that only the request has in a field of its own.
      for (const row of rows) if ('summary' in row) mask.learn(await detail(row.id));
      return { ...about, rows: mask.value(rows) as Page['rows'] };
    },
    detail: async (id, isBrief) => mask.value(await detail(mask.meant(id), isBrief)),
  };
}
