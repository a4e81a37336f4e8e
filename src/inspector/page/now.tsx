import { type About, useRead } from './api.tsx';
import { hrefOf } from './route.tsx';
import { Sign } from './sign.tsx';
import { heading, plain, State, span, Time, words } from './text.tsx';

interface Figure {
  readonly title: string;
  readonly text: string | null;
  readonly why: string | null;
}

interface Need {
  readonly what: string;
  readonly count?: number;
  readonly list?: string;
  readonly filters?: Readonly<Record<string, string>>;
  readonly todo?: string;
}

interface Volume {
  readonly title: string;
  readonly asset: string;
  readonly today: string;
  readonly usual: string | null;
  readonly days: readonly (number | null)[];
}

interface SandboxNow {
  readonly machineTime: string;
  readonly isBalanced: boolean;
  readonly due: readonly Readonly<Record<'at' | 'what', string>>[];
  readonly faults: readonly Readonly<Record<'endpoint' | 'kind' | 'times', string>>[];
}

interface NowDocument {
  readonly at: string;
  readonly of: string;
  readonly asOf: string | null;
  readonly balances: readonly { readonly asset: string; readonly parts: readonly Figure[] }[];
  readonly needs: readonly Need[];
  readonly volumes: readonly Volume[];
  readonly list: string;
  readonly latest: readonly Readonly<Record<string, string>>[];
  readonly sandbox?: SandboxNow;
}

/** The first page: what needs action, then balances and movements. */
export function NowPane({ about, version }: { readonly about: About; readonly version: string }) {
  const { value, problem } = useRead<NowDocument>('/api/documents/now', version);
  if (!value) return <p class="note empty">{problem ? plain(problem) : 'Reading…'}</p>;
  const { needs, balances, volumes, latest, list, sandbox } = value;
  const isKnown = sandbox !== undefined || balances.length > 0;
  return (
    <div class="now">
      <section class={sandbox ? 'card' : 'card wide-card'}>
        <h2>Needs action</h2>
        <Needs of={needs} />
      </section>
      {sandbox && <Sandbox of={sandbox} at={value.at} canChange={about.actions.length > 0} />}
      <Balances of={balances} title={value.of} asOf={value.asOf} />
      <section class="card wide-card">
        <h2>Today, compared with the last 14 days</h2>
        {volumes.length === 0 && <NoMovements {...{ isKnown, sandbox }} when="in the last 14 days" />}
        <Volumes of={volumes} />
      </section>
      <section class="card wide-card">
        <h2>{sandbox ? 'Latest movements' : 'Newest copied rows'}</h2>
        {latest.length === 0 && <NoMovements {...{ isKnown, sandbox }} when="yet" />}
        <Latest of={latest} list={list} />
      </section>
    </div>
  );
}

interface NoMovementsProps {
  readonly isKnown: boolean;
  readonly sandbox: SandboxNow | undefined;
  readonly when: string;
}

/** Nothing moved, or nothing is known of it; and what to do about it. */
function NoMovements({ isKnown, sandbox, when }: NoMovementsProps) {
  if (!isKnown)
    return (
      <p class="note">
        Not known yet. Run <code>fiatrail sync</code>.
      </p>
    );
  return (
    <p class="note">
      No movements {when}.{' '}
      {sandbox && (
        <>
          To simulate days of them, go to <a href={hrefOf({ pane: 'clock' })}>Controls</a>, or run{' '}
          <code>fiatrail sandbox simulate</code>.
        </>
      )}
    </p>
  );
}

const said = (what: string, count: number | undefined) => (
  <>
    {count !== undefined && <b>{count.toLocaleString('en')}</b>} {plain(what)}
  </>
);

function Needs({ of }: { readonly of: readonly Need[] }) {
  if (of.length === 0)
    return (
      <p>
        <State of="Nothing needs action" look="done" />
      </p>
    );
  return (
    <ul class="needs">
      {of.map(({ what, count, list, filters = {}, todo }) => (
        <li>
          <Sign of="you" />{' '}
          {list ? <a href={hrefOf({ pane: list, ...filters })}>{said(what, count)}</a> : said(what, count)}
          {todo && <code>{plain(todo)}</code>}
        </li>
      ))}
    </ul>
  );
}

interface BalancesProps {
  readonly of: NowDocument['balances'];
  readonly title: string;
  readonly asOf: string | null;
}

function Balances({ of, title, asOf }: BalancesProps) {
  const unknown = of.flatMap(({ parts }) => parts.flatMap(({ title: part, why }) => (why ? [`${part}: ${why}`] : [])));
  return (
    <section class="card wide-card">
      <h2>
        Balances of {plain(title)}{' '}
        {asOf && (
          <span class="note">
            as of <Time at={asOf} />
          </span>
        )}
      </h2>
      {of.length === 0 && (
        <p class="note">
          Not known yet. Run <code>fiatrail sync</code>.
        </p>
      )}
      <div class="balances">
        {of.map(({ asset, parts }) => (
          <div class="balance">
            <h3>{plain(asset === 'CNGN' ? 'cNGN' : asset)}</h3>
            <dl>
              {parts.map(({ title: part, text }) => (
                <div>
                  <dt>{plain(part)}</dt>
                  <dd>{text === null ? <span class="note">not known</span> : plain(text)}</dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
      {[...new Set(unknown)].map((each) => (
        <p class="note">{plain(each)}</p>
      ))}
    </section>
  );
}

const BAR = { width: 8, gap: 2, height: 28 };

/** Bars for whoever sees them; what they say in figures stands beside them. */
function Bars({ days }: { readonly days: readonly (number | null)[] }) {
  const most = Math.max(1, ...days.map((each) => each ?? 0));
  const width = days.length * (BAR.width + BAR.gap);
  return (
    <svg class="bars" width={width} height={BAR.height} viewBox={`0 0 ${width} ${BAR.height}`} aria-hidden="true">
      {days.map((each, at) => {
        const height = each === null ? 0 : Math.max(1, (each / most) * BAR.height);
        return (
          <rect
            class={at === days.length - 1 ? 'today' : ''}
            x={at * (BAR.width + BAR.gap)}
            y={BAR.height - height}
            width={BAR.width}
            height={height}
            rx="1"
          />
        );
      })}
    </svg>
  );
}

function Volumes({ of }: { readonly of: readonly Volume[] }) {
  return (
    <ul class="volumes">
      {of.map(({ title, asset, today, usual, days }) => (
        <li key={`${title} ${asset}`}>
          <span>{heading(words(title))}</span>
          <b class="money">{plain(today)}</b>
          <span class="note">{usual === null ? '' : `usually ${plain(usual)}`}</span>
          <Bars days={days} />
        </li>
      ))}
    </ul>
  );
}

interface SandboxProps {
  readonly of: SandboxNow;
  readonly at: string;
  readonly canChange: boolean;
}

function Sandbox({ of: { machineTime, isBalanced, due, faults }, at, canChange }: SandboxProps) {
  const aheadMs = Date.parse(at) - Date.parse(machineTime);
  return (
    <section class="card">
      <h2>Sandbox</h2>
      <dl>
        <div>
          <dt>Sandbox time</dt>
          <dd>
            <Time at={at} />
          </dd>
        </div>
        <div>
          <dt>Machine time</dt>
          <dd>
            <Time at={machineTime} />{' '}
            {Math.abs(aheadMs) >= 1_000 && (
              <span class="note">
                (the sandbox is {span(Math.abs(aheadMs))} {aheadMs > 0 ? 'ahead' : 'behind'})
              </span>
            )}
          </dd>
        </div>
        <div>
          <dt>Ledger</dt>
          <dd>
            <State of={isBalanced ? 'balances' : 'does not balance'} look={isBalanced ? 'done' : 'you'} />
          </dd>
        </div>
        <div>
          <dt>Faults</dt>
          <dd>
            {faults.length === 0
              ? 'none'
              : faults.map(({ endpoint, kind, times }) => (
                  <div>
                    {plain(kind)} on {plain(endpoint)}, {plain(String(times))} more{' '}
                    {Number(times) === 1 ? 'time' : 'times'}
                  </div>
                ))}
          </dd>
        </div>
      </dl>
      <h3>Due next</h3>
      {due.length === 0 && <p class="note">Nothing is due.</p>}
      <ul class="belongings">
        {due.map((each) => (
          <li>
            <Time at={each.at} /> {words(each.what)}
          </li>
        ))}
      </ul>
      {canChange && (
        <p>
          <a href={hrefOf({ pane: 'clock' })}>Advance the clock, add faults, start over</a>
        </p>
      )}
    </section>
  );
}

function Latest({ of, list }: { readonly of: NowDocument['latest']; readonly list: string }) {
  return (
    <ul class="latest">
      {of.map((row) => (
        <li key={row['id']}>
          <Time at={row['at']} />
          <a href={hrefOf({ pane: list, id: row['id'] ?? '' })}>{heading(words(row['kind'] ?? ''))}</a>
          <b class="money">{plain(row['amount'] ?? '')}</b>
          <span class="whom">{plain(row['who'] ?? row['for'] ?? '')}</span>
          <State of={row['state']} look={row['look']} />
        </li>
      ))}
    </ul>
  );
}
