import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChartLine } from './charts.tsx';
import { plain, span } from './text.tsx';

const HEIGHT = 190;
/** The room for the figures on the left, and the labels below. */
const [LEFT, BOTTOM, TOP, RIGHT] = [58, 22, 8, 8];
/** About how far labels are apart. */
const LABEL_EVERY = 90;

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });

/** A figure at the side of a chart. */
const tickText = (unit: string, value: number) =>
  unit === 'ms' ? span(value) || '0' : `${SHORT.format(value)}${unit === 'percent' ? ' %' : ''}`;

/** What looks round of a unit: of times, seconds, minutes and hours. */
const STEPS_OF_MS = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400].map(
  (each) => each * 1_000,
);

/** The distance of round figures of which about four fit. */
function stepOf(unit: string, range: number): number {
  const rough = range / 4;
  const ofTime = unit === 'ms' ? STEPS_OF_MS.find((each) => each >= rough) : undefined;
  if (ofTime !== undefined) return ofTime;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10);
  return unit === 'count' ? Math.max(1, Math.ceil(step)) : step;
}

/** What is drawn of a figure; null for what is none, as in a file that someone edited. */
const sizeOf = ({ value }: ChartLine['figures'][number]): number | null =>
  value === null || value === '' || !Number.isFinite(Number(value)) ? null : Number(value);

interface Scale {
  readonly ticks: readonly number[];
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
}

function scaleOf(unit: string, values: readonly number[], count: number, width: number): Scale {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const step = stepOf(unit, high - low || 1);
  const [from, to] = [Math.floor(low / step) * step, Math.max(Math.ceil(high / step) * step, step)];
  const ticks = Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step);
  const room = width - LEFT - RIGHT;
  return {
    ticks,
    x: (at) => LEFT + (count < 2 ? room / 2 : (at * room) / (count - 1)),
    y: (value) => TOP + ((to - value) * (HEIGHT - TOP - BOTTOM)) / (to - from),
  };
}

/** A line with a gap wherever nothing is known. What stands alone between gaps is a point. */
function pathOf({ figures }: ChartLine, { x, y }: Scale): string {
  let isDrawing = false;
  return figures
    .map((figure, at) => {
      const size = sizeOf(figure);
      if (size === null) {
        isDrawing = false;
        return '';
      }
      const point = `${x(at).toFixed(1)} ${y(size).toFixed(1)}`;
      const command = isDrawing ? `L${point}` : `M${point}h0`;
      isDrawing = true;
      return command;
    })
    .join('');
}

interface DrawingProps {
  readonly label: string;
  readonly unit: string;
  readonly parts: readonly string[];
  readonly lines: readonly ChartLine[];
  /** The part whose figures are shown. */
  readonly at: number;
  readonly isChosen: boolean;
  onChoose(at: number | undefined): void;
}

/** The width of an element, as it changes. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const sized = new ResizeObserver(() => setWidth(Math.max(200, current.clientWidth)));
    sized.observe(current);
    return () => sized.disconnect();
  }, []);
  return width;
}

/** Moves as a slider: the arrow keys go from part to part, and each says its figures. */
const KEYS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at) => at - 7,
  PageUp: (at) => at + 7,
  Home: () => 0,
  End: (_, last) => last,
};

/** A chart by hand: lines, gaps where nothing is known, and the part under the mouse or the keyboard. */
export function Drawing({ label, unit, parts, lines, at, isChosen, onChoose }: DrawingProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const values = lines.flatMap(({ figures }) => figures.flatMap((each) => sizeOf(each) ?? []));
  const scale = scaleOf(unit, values, parts.length, width);
  const last = parts.length - 1;
  const every = Math.max(1, Math.ceil(parts.length / Math.max(1, Math.floor((width - LEFT) / LABEL_EVERY))));
  const pointed = (event: PointerEvent) => {
    const left = event.clientX - (box.current?.getBoundingClientRect().left ?? 0);
    const part = Math.round(((left - LEFT) * last) / (width - LEFT - RIGHT));
    onChoose(Math.max(0, Math.min(last, part)));
  };
  const pressed = (event: KeyboardEvent) => {
    const to = Object.hasOwn(KEYS, event.key) ? KEYS[event.key]?.(at, last) : undefined;
    if (to === undefined) return;
    event.preventDefault();
    onChoose(Math.max(0, Math.min(last, to)));
  };
  const words = lines.map(({ title, figures }) => `${plain(title)} ${plain(figures[at]?.text ?? '')}`).join(', ');
  return (
    <div
      ref={box}
      class="drawing"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={at}
      aria-valuetext={`${plain(parts[at] ?? '')}: ${words}`}
      onPointerMove={pointed}
      onPointerLeave={() => onChoose(undefined)}
      onKeyDown={pressed}
    >
      <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
        {scale.ticks.map((tick) => (
          <>
            <path class="grid" d={`M${LEFT} ${scale.y(tick).toFixed(1)}H${width - RIGHT}`} />
            <text x={LEFT - 6} y={scale.y(tick) + 4} text-anchor="end">
              {tickText(unit, tick)}
            </text>
          </>
        ))}
        {parts.map((part, index) =>
          index % every === 0 ? (
            <text x={scale.x(index)} y={HEIGHT - 6} text-anchor={index === 0 ? 'start' : 'middle'}>
              {plain(part.length > 7 ? part.slice(5) : part)}
            </text>
          ) : null,
        )}
        {isChosen && <path class="chosen" d={`M${scale.x(at).toFixed(1)} ${TOP}V${HEIGHT - BOTTOM}`} />}
        {lines.map((line, index) => (
          <g class={`line-${index % 6}`}>
            <path d={pathOf(line, scale)} />
            {isChosen && <Mark figure={line.figures[at]} x={scale.x(at)} y={scale.y} />}
          </g>
        ))}
      </svg>
    </div>
  );
}

interface MarkProps {
  readonly figure: ChartLine['figures'][number] | undefined;
  readonly x: number;
  readonly y: (size: number) => number;
}

/** Where the chosen figure is. */
function Mark({ figure, x, y }: MarkProps) {
  const size = figure ? sizeOf(figure) : null;
  return size === null ? null : <circle cx={x} cy={y(size)} r="4" />;
}
