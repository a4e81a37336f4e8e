import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { type About, useRead } from './api.tsx';
import { plain } from './text.tsx';

interface Line {
  readonly title: string;
  /** Nothing is drawn where a figure is not known. */
  readonly figures: readonly { readonly value: string | null; readonly text: string }[];
}

interface Chart {
  readonly title: string;
  readonly asset: string;
  readonly lines: readonly Line[];
}

interface Charts {
  readonly days: readonly string[];
  readonly charts: readonly Chart[];
}

const HEIGHT = 200;

/** Lines differ in their dashes, and not only in their colours. */
const LOOKS = [
  { color: '--accent', dash: [], sign: '━━' },
  { color: '--bad', dash: [6, 4], sign: '╍╍' },
] as const;

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });

const colorOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function draw(place: HTMLElement, days: readonly string[], lines: readonly Line[]): uPlot {
  const edge = { stroke: colorOf('--edge'), width: 1 };
  const axis = { stroke: colorOf('--quiet'), grid: edge, ticks: edge, font: '12px system-ui, sans-serif' };
  const dayAt = (at: number) => days[at]?.slice(5) ?? '';
  return new uPlot(
    {
      ...{ width: place.clientWidth, height: HEIGHT, cursor: { show: false }, legend: { show: false } },
      scales: { x: { time: false } },
      axes: [
        { ...axis, incrs: [1, 2, 5, 7, 10, 15], values: (_, places) => places.map(dayAt) },
        { ...axis, size: 64, values: (_, values) => values.map((value) => SHORT.format(value)) },
      ],
      series: [
        {},
        ...lines.map((_, at) => {
          const { color, dash } = LOOKS[at % LOOKS.length] ?? LOOKS[0];
          return { stroke: colorOf(color), width: 2, dash: [...dash], points: { size: 5 } };
        }),
      ],
    },
    [
      days.map((_, at) => at),
      ...lines.map(({ figures }) => figures.map(({ value }) => (value === null ? null : Number(value)))),
    ],
    place,
  );
}

/** A drawing for whoever sees it; the same figures are in the table below. */
function Drawing({ days, lines }: { readonly days: readonly string[]; readonly lines: readonly Line[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    let drawn = draw(current, days, lines);
    const again = () => {
      drawn.destroy();
      drawn = draw(current, days, lines);
    };
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', again);
    const sized = new ResizeObserver(() => drawn.setSize({ width: current.clientWidth, height: HEIGHT }));
    sized.observe(current);
    return () => {
      dark.removeEventListener('change', again);
      sized.disconnect();
      drawn.destroy();
    };
  }, [days, lines]);
  return <div ref={place} class="drawing" aria-hidden="true" />;
}

function Figures({ days, lines }: { readonly days: readonly string[]; readonly lines: readonly Line[] }) {
  return (
    <details>
      <summary>Figures</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {lines.map(({ title }) => (
              <th scope="col" class="number">
                {plain(title)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day, at) => (
            <tr>
              <th scope="row">{plain(day)}</th>
              {lines.map(({ figures }) => (
                <td class="number">{plain(figures[at]?.text ?? '')}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** What moved by day, as a copy of the account's lists says. */
export function ChartsPane({ version }: { readonly about: About; readonly version: string }) {
  const { value, problem } = useRead<Charts>('/api/documents/charts', version);
  if (!value) return <p class="note">{problem ? plain(problem) : 'Reading…'}</p>;
  const { days, charts } = value;
  if (charts.length === 0) return <p class="note">Nothing to draw yet. Copy the account with: fiatrail sync</p>;
  return (
    <div class="cards">
      {charts.map(({ title, asset, lines }) => (
        <section key={`${title} ${asset}`} class="card">
          <h2>
            {plain(title)} in {plain(asset)}
          </h2>
          <p class="note">
            {lines.map((line, at) => (
              <span class={`look look-${at}`}>
                <span aria-hidden="true">{LOOKS[at]?.sign}</span> {plain(line.title)}
              </span>
            ))}
          </p>
          <Drawing days={days} lines={lines} />
          <Figures days={days} lines={lines} />
        </section>
      ))}
    </div>
  );
}
