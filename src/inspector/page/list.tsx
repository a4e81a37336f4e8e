import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row } from '../source.ts';
import { get, useRead } from './api.tsx';
import { type Filters, givenIn } from './route.tsx';
import { type AskRows, createRows, type KnownRows } from './rows.ts';
import { Prose, plain, State, shortId, span, startOf, statusOf, Time, words } from './text.tsx';

/** A column of a list. */
export interface Column {
  readonly field: string;
  readonly title: string;
  readonly kind?: 'time' | 'state' | 'number' | 'span' | 'id';
  /** The field that is shown of a row without this one. */
  readonly otherwise?: string;
}

/** Rows beyond what is seen, so that scrolling finds them there. */
const MORE = 8;
/** Scrolling has ended once nothing has moved for this long. */
const REST_MS = 150;

interface ListProps {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly filters: Filters;
  readonly selected: string;
  readonly version: string;
  /** What is said, besides that there is nothing, where there is no row. */
  readonly empty: string;
  /** Of a row that is only passed, the address is no place to come back to. */
  onSelect(id: string, isReplacing?: boolean): void;
}

/** The filters as the server is asked for them: days begin in the zone of the page. */
const askedBy = (filters: Filters) =>
  givenIn({ ...filters, since: startOf(filters.since), until: startOf(filters.until) });

/** The rows that match what the list is reduced to. */
function useRows({ name, filters }: ListProps): KnownRows {
  const [, setDrawn] = useState({});
  const given = JSON.stringify(askedBy(filters));
  return useMemo(() => {
    const ask: AskRows = (from, limit) =>
      get(
        `/api/lists/${name}?${new URLSearchParams([...JSON.parse(given), ['from', String(from)], ['limit', String(limit)]])}`,
      );
    const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    return createRows(ask, () => setDrawn({}), { nowMs: () => performance.now(), sleep });
  }, [name, given]);
}

const rowHeightHere = () => (matchMedia('(max-width: 640px)').matches ? 52 : 34);

/** Browsers make nothing higher than 17 to 33 million pixels. In a list that would be, a pixel of its scroll bar stands for more than one. */
const MOST_HIGH = 15_000_000;

/** How many rows are placed from the same one on. */
const BASE = 1_000;

/** How many pixels of all rows a pixel of the scroll bar stands for. */
const scaleOf = (whole: number, height: number) => (whole <= MOST_HIGH ? 1 : (whole - height) / (MOST_HIGH - height));

/** Which rows of a box are seen. Its size is measured when it changes, and not for each frame of scrolling. */
function useSeen(box: { readonly current: HTMLDivElement | null }, total: number) {
  const [size, setSize] = useState({ height: 600, rowHeight: rowHeightHere() });
  const [first, setFirst] = useState(0);
  // By how much rows stand above where they would if nothing was scaled.
  const [above, setAbove] = useState(0);
  const [isScrolling, setScrolling] = useState(false);
  const scale = scaleOf(total * size.rowHeight, size.height);
  const look = useCallback(() => {
    const scrolled = box.current?.scrollTop ?? 0;
    setFirst(Math.floor((scrolled * scale) / size.rowHeight));
    setAbove(Math.round(scrolled * (scale - 1)));
  }, [size, scale]);
  const onScroll = () => {
    look();
    setScrolling(true);
  };
  useEffect(() => {
    if (!isScrolling) return undefined;
    // The event of the end comes after each frame of a script that scrolls, too.
    const timer = setTimeout(() => setScrolling(false), REST_MS);
    return () => clearTimeout(timer);
  }, [isScrolling, first]);
  useEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const sized = new ResizeObserver(() => setSize({ height: current.clientHeight, rowHeight: rowHeightHere() }));
    sized.observe(current);
    return () => sized.disconnect();
  }, []);
  useEffect(look, [look]);
  const count = Math.ceil(size.height / size.rowHeight) + 1;
  return {
    ...{ ...size, first: Math.max(0, first - MORE), count: count + 2 * MORE, isAtTop: first === 0 },
    ...{ scale, above, isScrolling, onScroll },
  };
}

/** A list of any length: only the rows that are seen are in the page. The newest is first. */
export function List(props: ListProps) {
  const { name, columns, selected, version, empty, onSelect } = props;
  const rows = useRows(props);
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const { total, hasOlder, gap, now } = rows.about();
  const { first, count, height, rowHeight, scale, above, isAtTop, isScrolling, onScroll } = useSeen(box, total);
  const last = Math.min(total, first + count);
  const isReduced = givenIn(props.filters).length > 0;
  const before = useRef({ rows, total });
  useLayoutEffect(() => {
    const isSameList = before.current.rows === rows;
    const added = isSameList && before.current.total > 0 ? total - before.current.total : 0;
    before.current = { rows, total };
    // Whoever reads older rows goes on reading them when new ones arrive above.
    if (added > 0 && box.current && box.current.scrollTop > 0) box.current.scrollTop += (added * rowHeight) / scale;
    if (added > 0 && active > 0) setActive(active + added);
  }, [rows, total]);
  useEffect(() => {
    if (isAtTop || total < 0) rows.refresh('newest', count);
    else if (last > first) rows.refresh(total - last, last - first);
  }, [rows, version]);
  useEffect(() => {
    if (last > first) rows.see(total - last, total - 1 - first, isScrolling);
  }, [rows, first, last, total, isScrolling]);
  const idAt = (at: number) => rows.at(total - 1 - at)?.id;
  useEffect(() => {
    // What was opened by a link is where the keys go on from.
    if (selected === '' || idAt(active) === selected) return;
    for (let at = first; at < last; at++) if (idAt(at) === selected) setActive(at);
  }, [selected, rows.at(total - 1)]);
  const move = (to: number) => {
    const at = Math.max(0, Math.min(total - 1, to));
    setActive(at);
    if (selected !== '') onSelect(idAt(at) ?? selected, true);
    const { current } = box;
    if (!current) return;
    const top = current.scrollTop * scale;
    if (at * rowHeight < top) current.scrollTop = (at * rowHeight) / scale;
    else if ((at + 1) * rowHeight > top + current.clientHeight)
      current.scrollTop = ((at + 1) * rowHeight - current.clientHeight) / scale;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const to: Record<string, number> = {
      ...{ ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page },
      ...{ Home: 0, End: total - 1, j: active + 1, k: active - 1 },
    };
    if (event.key in to && !event.ctrlKey && !event.metaKey) move(to[event.key] ?? 0);
    else if (event.key === 'c' && !event.ctrlKey && !event.metaKey)
      void navigator.clipboard?.writeText(idAt(active) ?? '').catch(() => {});
    else if (event.key === 'Enter' || event.key === ' ') onSelect(idAt(active) ?? selected);
    else return;
    event.preventDefault();
  };
  const choose = (at: number) => {
    setActive(at);
    const id = idAt(at);
    if (id !== undefined) onSelect(id);
  };
  // Rows are placed from one of them on, so that only that one moves while a long list scrolls.
  const base = first - (first % BASE);
  const shown = [];
  for (let at = first; at < last; at++) {
    const position = total - 1 - at;
    const row = rows.at(position);
    shown.push(
      <ListRow
        // The elements of a row that is no longer seen become those of one that is.
        key={position % count}
        {...{ columns, row, position, at, total, rowHeight, choose, now }}
        top={(at - base) * rowHeight}
        isActive={at === active}
        isSelected={row !== undefined && row.id === selected}
      />,
    );
  }
  // Elements stay where they are while it scrolls, which spares half of the work of a frame. Screen readers want them in order afterwards.
  if (isScrolling) shown.sort((a, b) => Number(a.key) - Number(b.key));
  return (
    <div class={`list list-${name}`}>
      <div class="heads" aria-hidden="true">
        {columns.map(({ title, kind }) => (
          <span class={kind ?? ''}>{title}</span>
        ))}
      </div>
      {total === 0 && (
        <p class="note empty">
          {isReduced ? 'Nothing matches these filters.' : <Prose text={`Nothing here yet. ${empty}`} />}
        </p>
      )}
      <div
        ref={box}
        class="rows"
        role="listbox"
        tabIndex={0}
        aria-label={`${name}, newest first`}
        aria-activedescendant={total > 0 ? `row-${total - 1 - active}` : undefined}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        onPointerOver={showWhole}
      >
        <div role="presentation" style={{ height: `${Math.min(MOST_HIGH, Math.max(0, total) * rowHeight)}px` }}>
          <div role="presentation" class="placed" style={`transform:translateY(${base * rowHeight - above}px)`}>
            {shown}
          </div>
        </div>
      </div>
      <p class="count" role="status">
        {total < 0 ? 'Reading…' : `${total.toLocaleString('en')} ${total === 1 ? 'row' : 'rows'}`}
        {hasOlder && '; search also finds older ones'}
        {gap !== undefined && ` · ${plain(gap)}`}
        {isReduced && <Sums name={name} filters={props.filters} version={version} />}
      </p>
    </div>
  );
}

interface Sum {
  readonly asset: string;
  readonly amount: string;
  readonly done: string;
}

/** What the rows that fit move together. */
function Sums({ name, filters, version }: Pick<ListProps, 'name' | 'filters' | 'version'>) {
  const { value = [] } = useRead<readonly Sum[]>(`/api/sums/${name}?${new URLSearchParams(askedBy(filters))}`, version);
  return (
    <>
      {value.map(({ asset, amount, done }) => (
        <span key={asset} class="sum">
          {plain(amount)} <span class="note">in all, {done === amount ? 'all done' : `${plain(done)} done`}</span>
        </span>
      ))}
    </>
  );
}

/** A cell that is cut shows all of its text while the mouse is on it. */
function showWhole({ target }: Event) {
  if (target instanceof HTMLElement && target.classList.contains('cell'))
    target.title = target.scrollWidth > target.clientWidth ? (target.textContent ?? '') : '';
}

interface ListRowProps {
  readonly columns: readonly Column[];
  readonly row: Row | undefined;
  readonly position: number;
  readonly at: number;
  readonly total: number;
  readonly rowHeight: number;
  /** Where it stands, in pixels from where the first of them is placed. */
  readonly top: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly now: string | undefined;
  choose(at: number): void;
}

function ListRow({
  columns,
  row,
  position,
  at,
  total,
  rowHeight,
  top,
  isActive,
  isSelected,
  now,
  choose,
}: ListRowProps) {
  // Of most rows, only the place changes.
  const cells = useMemo(
    () =>
      row ? columns.map((column) => <Cell column={column} row={row} now={now} />) : <span class="waiting">…</span>,
    [columns, row, isOpen(row) ? now : ''],
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keyboard, and says which row is active
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
    <div
      id={`row-${position}`}
      role="option"
      aria-selected={isSelected}
      aria-setsize={total}
      aria-posinset={at + 1}
      class={isActive ? 'row active' : 'row'}
      style={`transform:translateY(${top}px);height:${rowHeight}px`}
      onClick={() => choose(at)}
    >
      {cells}
    </div>
  );
}

/** Whether a row goes on, so that how long it has lasted changes. */
const isOpen = (row: Row | undefined) => row !== undefined && (row['look'] === 'open' || row['look'] === 'you');

/** How long a row took, or has lasted until now. */
function lasted(row: Row, now: string | undefined): string {
  const end = row['endedAt'] ?? (isOpen(row) ? now : undefined);
  return end === null || end === undefined ? '' : span(Date.parse(String(end)) - Date.parse(String(row['at'])));
}

interface CellProps {
  readonly column: Column;
  readonly row: Row;
  readonly now: string | undefined;
}

function Cell({ column: { field, kind, otherwise = '' }, row, now }: CellProps) {
  const value = field === 'status' ? statusOf(row[field]) : (row[field] ?? row[otherwise]);
  return (
    <span class={`cell ${kind ?? ''} of-${field}${kind === 'span' && isOpen(row) ? ' goes-on' : ''}`}>
      {kind === 'time' ? (
        <Time at={value} />
      ) : kind === 'state' ? (
        <State of={value} look={row['look']} />
      ) : kind === 'span' ? (
        lasted(row, now)
      ) : value === null || value === undefined ? (
        ''
      ) : field === 'kind' ? (
        words(String(value))
      ) : kind === 'id' ? (
        shortId(plain(String(value)))
      ) : (
        plain(String(value))
      )}
    </span>
  );
}
