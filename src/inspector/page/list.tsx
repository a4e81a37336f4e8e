import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { get, type Page, type Row } from './api.tsx';
import { plain, State, statusOf, Time } from './text.tsx';

/** A column of a list. */
export interface Column {
  readonly field: string;
  readonly title: string;
  readonly kind?: 'time' | 'state' | 'number';
  /** The field that is shown of a row without this one. */
  readonly otherwise?: string;
  /** Its share of the width. */
  readonly width: string;
}

/** Rows are asked for in pages of this many. */
const PAGE = 100;
/** Rows beyond what is seen, so that scrolling finds them there. */
const MORE = 8;

interface ListProps {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly text: string;
  readonly state: string;
  readonly selected: string;
  readonly version: string;
  onSelect(id: string): void;
}

interface Known {
  readonly total: number;
  readonly generation: number;
  readonly hasOlder: boolean;
  readonly pages: ReadonlyMap<number, readonly Row[]>;
}

const NOTHING: Known = { total: -1, generation: 0, hasOlder: false, pages: new Map() };

/** Reads the pages of a list that are seen. Positions count from the oldest row, so that new rows move none. */
function usePages({ name, text, state, version }: ListProps) {
  const [known, setKnown] = useState(NOTHING);
  const asked = useRef(new Set<number>());
  const query = new URLSearchParams({ text, state }).toString();
  const read = useCallback(
    async (pages: readonly number[]) => {
      const answers = await Promise.all(
        pages.map(async (page) => {
          const path = `/api/lists/${name}?${query}&from=${Math.max(0, page) * PAGE}&limit=${page < 0 ? 0 : PAGE}`;
          return [page, await get<Page>(path)] as const;
        }),
      );
      setKnown((before) => {
        const [, newest] = answers.at(-1) ?? [];
        if (!newest) return before;
        const isSame = newest.generation === before.generation;
        const kept = new Map(isSame ? before.pages : []);
        for (const [page, { rows }] of answers) if (page >= 0) kept.set(page, rows);
        return { total: newest.total, generation: newest.generation, hasOlder: newest.hasOlder ?? false, pages: kept };
      });
    },
    [name, query],
  );
  useEffect(() => {
    asked.current = new Set();
    setKnown(NOTHING);
  }, [read]);
  const want = useCallback(
    (from: number, to: number, isAgain: boolean) => {
      if (isAgain) asked.current = new Set();
      const pages: number[] = [];
      for (let page = Math.floor(from / PAGE); page <= Math.floor(to / PAGE); page++)
        if (!asked.current.has(page)) pages.push(page);
      for (const page of pages) asked.current.add(page);
      if (pages.length > 0)
        read(pages).catch(() => {
          for (const page of pages) asked.current.delete(page);
        });
    },
    [read],
  );
  const count = useCallback(() => read([-1]).catch(() => {}), [read]);
  useEffect(() => {
    count();
  }, [count, version]);
  return { known, want, rowAt: (at: number) => known.pages.get(Math.floor(at / PAGE))?.[at % PAGE] };
}

const isNarrow = () => matchMedia('(max-width: 640px)').matches;

/** A list of any length: only the rows that are seen are in the page. The newest is first. */
export function List(props: ListProps) {
  const { name, columns, selected, version, onSelect } = props;
  const { known, want, rowAt } = usePages(props);
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 600, rowHeight: isNarrow() ? 52 : 34 });
  const [active, setActive] = useState(0);
  const { total } = known;
  const { rowHeight } = seen;
  const first = Math.max(0, Math.floor(seen.top / rowHeight) - MORE);
  const last = Math.min(total, Math.ceil((seen.top + seen.height) / rowHeight) + MORE);
  const measure = useCallback(() => {
    const { scrollTop: top = 0, clientHeight: height = 600 } = box.current ?? {};
    setSeen({ top, height, rowHeight: isNarrow() ? 52 : 34 });
  }, []);
  useEffect(() => {
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, [measure]);
  const before = useRef(total);
  useLayoutEffect(() => {
    const added = before.current > 0 ? total - before.current : 0;
    before.current = total;
    // Whoever reads older rows goes on reading them when new ones arrive above.
    if (added > 0 && box.current && box.current.scrollTop > 0) box.current.scrollTop += added * rowHeight;
    if (added > 0 && active > 0) setActive(active + added);
  }, [total]);
  const lastVersion = useRef(version);
  useEffect(() => {
    const isAgain = lastVersion.current !== version || known.generation > 0;
    lastVersion.current = version;
    if (total > 0 && last > first) want(total - last, total - 1 - first, isAgain);
  }, [first, last, total, version, want]);
  const move = (to: number) => {
    const at = Math.max(0, Math.min(total - 1, to));
    setActive(at);
    const { current } = box;
    if (!current) return;
    if (at * rowHeight < current.scrollTop) current.scrollTop = at * rowHeight;
    else if ((at + 1) * rowHeight > current.scrollTop + current.clientHeight)
      current.scrollTop = (at + 1) * rowHeight - current.clientHeight;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(seen.height / rowHeight) - 1);
    const to: Record<string, number> = {
      ...{ ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page },
      ...{ Home: 0, End: total - 1, j: active + 1, k: active - 1 },
    };
    if (event.key in to && !event.ctrlKey && !event.metaKey) move(to[event.key] ?? 0);
    else if (event.key === 'Enter' || event.key === ' ') onSelect(rowAt(total - 1 - active)?.id ?? selected);
    else return;
    event.preventDefault();
  };
  const rows = [];
  for (let at = first; at < last; at++) {
    const row = rowAt(total - 1 - at);
    rows.push(
      // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keyboard, and says which row is active
      // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
      <div
        key={total - 1 - at}
        id={`row-${total - 1 - at}`}
        role="option"
        aria-selected={row !== undefined && row.id === selected}
        aria-setsize={total}
        aria-posinset={at + 1}
        class={`row ${at === active ? 'active' : ''}`}
        style={{ transform: `translateY(${at * rowHeight}px)`, height: `${rowHeight}px` }}
        onClick={() => {
          setActive(at);
          if (row) onSelect(row.id);
        }}
      >
        {row ? columns.map((column) => <Cell column={column} row={row} />) : <span class="waiting">…</span>}
      </div>,
    );
  }
  return (
    <div class={`list list-${name}`}>
      <div class="heads" aria-hidden="true">
        {columns.map(({ title, kind }) => (
          <span class={kind ?? ''}>{title}</span>
        ))}
      </div>
      <div
        ref={box}
        class="rows"
        role="listbox"
        tabIndex={0}
        aria-label={`${name}, newest first`}
        aria-activedescendant={total > 0 ? `row-${total - 1 - active}` : undefined}
        onScroll={measure}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" style={{ height: `${Math.max(0, total) * rowHeight}px` }}>
          {rows}
        </div>
      </div>
      <p class="count" role="status">
        {total < 0
          ? 'Reading…'
          : total === 0
            ? 'Nothing here yet.'
            : `${total.toLocaleString('en')} ${total === 1 ? 'row' : 'rows'}`}
        {known.hasOlder && ', and older ones, which the search finds'}
      </p>
    </div>
  );
}

function Cell({ column: { field, kind, otherwise = '' }, row }: { readonly column: Column; readonly row: Row }) {
  const value = field === 'status' ? statusOf(row[field]) : (row[field] ?? row[otherwise]);
  const text = value === null || value === undefined ? '' : plain(String(value));
  return (
    <span class={`cell ${kind ?? ''} of-${field}`} title={kind ? undefined : text}>
      {kind === 'time' ? <Time at={value} /> : kind === 'state' ? <State of={value} /> : text}
    </span>
  );
}
