import { useState } from 'preact/hooks';
import { Field } from './actions.tsx';
import { type About, useRead } from './api.tsx';
import { Drawing } from './drawing.tsx';
import { goTo, type Route } from './route.tsx';
import { plain, Wide } from './text.tsx';

export interface ChartLine {
  readonly title: string;
  /** Nothing is drawn where a figure is not known. */
  readonly figures: readonly { readonly value: string | null; readonly text: string; readonly isBound?: boolean }[];
}

interface Chart {
  readonly title: string;
  /** An asset, `count`, `percent` or `ms`. */
  readonly unit: string;
  readonly lines: readonly ChartLine[];
}

interface Charts {
  readonly period: string;
  readonly by: string;
  readonly parts: readonly string[];
  readonly charts: readonly Chart[];
}

const UNITS: Readonly<Record<string, string>> = {
  ...{ CNGN: ' in cNGN', count: '', percent: '', ms: '' },
};

const titleOf = ({ title, unit }: Chart) =>
  plain(`${title}${Object.hasOwn(UNITS, unit) ? UNITS[unit] : ` in ${unit}`}`);

interface FiguresProps {
  readonly by: string;
  readonly parts: readonly string[];
  readonly lines: readonly ChartLine[];
}

const PART_TITLES: Readonly<Record<string, string>> = { day: 'Day', week: 'Week of', month: 'Month' };

function Figures({ by, parts, lines }: FiguresProps) {
  return (
    <details>
      <summary>Figures</summary>
      <Wide label="Figures">
        <table>
          <thead>
            <tr>
              <th scope="col">{PART_TITLES[by]}</th>
              {lines.map(({ title }) => (
                <th scope="col" class="number">
                  {plain(title)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {parts.map((part, at) => (
              <tr>
                <th scope="row">{plain(part)}</th>
                {lines.map(({ figures }) => (
                  <td class="number">{plain(figures[at]?.text ?? '')}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </details>
  );
}

interface ChoiceProps {
  readonly title: string;
  readonly of: readonly string[];
  readonly chosen: string;
  onChoose(value: string): void;
}

function Choice({ title, of, chosen, onChoose }: ChoiceProps) {
  return (
    <Field title={title}>
      {(id) => (
        <select id={id} value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
          {of.map((each) => (
            <option value={each}>{plain(each)}</option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface PaneProps {
  readonly about: About;
  readonly version: string;
  readonly route: Route;
}

/** What moved over time, as the reports of a copy of the account’s lists say. */
export function ChartsPane({ about, version, route }: PaneProps) {
  const choices = about.choices['charts'];
  const asked = new URLSearchParams({ period: route.period, by: route.by });
  const { value, problem } = useRead<Charts>(`/api/documents/charts?${asked}`, version);
  if (!value) return <p class="note empty">{problem ? plain(problem) : 'Reading…'}</p>;
  const { period, by, parts, charts } = value;
  const choose = (name: 'period' | 'by') => (chosen: string) => goTo({ ...route, [name]: chosen }, true);
  return (
    <>
      {choices && charts.length > 0 && (
        <div class="filters">
          <Choice title="Period" of={choices['period'] ?? []} chosen={period} onChoose={choose('period')} />
          <Choice title="By" of={choices['by'] ?? []} chosen={by} onChoose={choose('by')} />
          <p class="note">
            Figures are as of the last sync. To read a value, hover over a chart, or focus it and press the arrow keys.
          </p>
        </div>
      )}
      {charts.length === 0 && (
        <p class="note empty">
          Nothing to draw yet. To copy the account’s lists, run <code>fiatrail sync</code>.
        </p>
      )}
      <div class="cards of-charts">
        {charts.map((chart) => (
          <ChartCard key={titleOf(chart)} {...{ chart, by, parts }} />
        ))}
      </div>
    </>
  );
}

interface CardProps {
  readonly chart: Chart;
  readonly by: string;
  readonly parts: readonly string[];
}

function ChartCard({ chart, by, parts }: CardProps) {
  const [chosen, setChosen] = useState<number>();
  const { unit, lines } = chart;
  // Until someone chooses, the newest part of which something is known.
  const known = parts.findLastIndex((_, part) => lines.some(({ figures }) => (figures[part]?.value ?? null) !== null));
  const at = Math.min(chosen ?? (known < 0 ? parts.length - 1 : known), parts.length - 1);
  return (
    <section class="card chart">
      <h2>{titleOf(chart)}</h2>
      <p class="note">{plain(parts[at] ?? '')}</p>
      <ul class="legend">
        {lines.map(({ title, figures }, index) => (
          <li class={`line-${index % 6}`}>
            <svg width="22" height="10" aria-hidden="true">
              <path d="M1 5H21" />
            </svg>{' '}
            {plain(title)} <b class="money">{plain(figures[at]?.text ?? '')}</b>
          </li>
        ))}
      </ul>
      <Drawing
        label={titleOf(chart)}
        {...{ unit, parts, lines, at }}
        isChosen={chosen !== undefined}
        onChoose={setChosen}
      />
      <Figures {...{ by, parts, lines }} />
    </section>
  );
}
