import { plain } from './text.tsx';

/** The states of a thing, how one leads to another, and the path that it took. */
export interface Life {
  readonly states: readonly string[];
  readonly steps: readonly { readonly from: string; readonly to: string; readonly on: string }[];
  readonly state: string;
  readonly path: readonly { readonly state: string; readonly at: string | null }[];
  readonly isObserved: boolean;
}

const BOX = { width: 148, height: 34 };
const GAP = { x: 46, y: 26 };

/** The number of steps from the start to each state: its column. */
function columnsOf({ states, steps, path }: Life): Map<string, number> {
  const start = path[0]?.state ?? states[0] ?? '';
  const columns = new Map([[start, 0]]);
  const queue = [start];
  for (const each of queue)
    for (const { from, to } of steps)
      if (from === each && !columns.has(to)) {
        columns.set(to, (columns.get(from) ?? 0) + 1);
        queue.push(to);
      }
  for (const each of states) if (!columns.has(each)) columns.set(each, 0);
  return columns;
}

/** A picture of the states. What was taken is drawn thick and numbered; the same is said in words below. */
export function Picture({ life }: { readonly life: Life }) {
  const { states, steps, path, state } = life;
  const columns = columnsOf(life);
  const taken = new Map(path.map((each, at) => [each.state, at]));
  const rows = new Map<number, number>();
  const places = new Map<string, { x: number; y: number }>();
  // What was taken comes first, so that it is one straight line.
  for (const each of states.toSorted((a, b) => Number(taken.has(b)) - Number(taken.has(a)))) {
    const column = columns.get(each) ?? 0;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    places.set(each, { x: 8 + column * (BOX.width + GAP.x), y: 8 + row * (BOX.height + GAP.y) });
  }
  const width = 16 + Math.max(...columns.values()) * (BOX.width + GAP.x) + BOX.width;
  const height = 16 + Math.max(...rows.values()) * (BOX.height + GAP.y);
  const isTaken = (from: string, to: string) =>
    path.some((each, at) => each.state === from && path[at + 1]?.state === to);
  const lines = [...new Map(steps.map((step) => [`${step.from} ${step.to}`, step])).values()].toSorted(
    (a, b) => Number(isTaken(a.from, a.to)) - Number(isTaken(b.from, b.to)),
  );
  return (
    <figure>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section class="picture" tabIndex={0} aria-label="Picture of the states">
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={inWords(life)}>
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerUnits="userSpaceOnUse"
              markerWidth="9"
              markerHeight="9"
              orient="auto-start-reverse"
            >
              <path d="M0 0 8 4 0 8z" class="arrow" />
            </marker>
          </defs>
          {lines.map(({ from, to, on }) => (
            <path
              class={isTaken(from, to) ? 'line taken' : 'line'}
              d={lineOf(places.get(from), places.get(to))}
              marker-end="url(#arrow)"
            >
              <title>{plain(on)}</title>
            </path>
          ))}
          {states.map((each) => {
            const { x, y } = places.get(each) ?? { x: 0, y: 0 };
            const at = taken.get(each);
            return (
              <g
                class={`box ${at === undefined ? '' : 'taken'} ${each === state ? 'now' : ''}`}
                transform={`translate(${x} ${y})`}
              >
                <rect width={BOX.width} height={BOX.height} rx="6" />
                <text x={BOX.width / 2} y="22" text-anchor="middle">
                  {at === undefined ? plain(each) : `${at + 1}. ${plain(each)}`}
                </text>
              </g>
            );
          })}
        </svg>
      </section>
      <figcaption>{inWords(life)}</figcaption>
    </figure>
  );
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function lineOf(from: Place = { x: 0, y: 0 }, to: Place = { x: 0, y: 0 }): string {
  const middle = BOX.height / 2;
  if (from.x === to.x) {
    const [start, end] = from.y < to.y ? [from.y + BOX.height, to.y] : [from.y, to.y + BOX.height];
    return `M${from.x + BOX.width / 2} ${start} L${to.x + BOX.width / 2} ${end}`;
  }
  const isBack = to.x < from.x;
  const [x1, x2] = isBack ? [from.x, to.x + BOX.width] : [from.x + BOX.width, to.x];
  const bend = isBack ? -GAP.x / 2 : GAP.x / 2;
  return `M${x1} ${from.y + middle} C${x1 + bend} ${from.y + middle} ${x2 - bend} ${to.y + middle} ${x2} ${to.y + middle}`;
}

function inWords({ path, isObserved }: Life): string {
  const way = path.map(({ state }) => plain(state)).join(' → ');
  return isObserved || path.length < 2 ? `Path: ${way}` : `Probable path, because it began before this session: ${way}`;
}
