import { type About, useRead } from './api.tsx';
import { Facts } from './facts.tsx';
import { type Life, Picture } from './picture.tsx';
import { hrefOf } from './route.tsx';
import { Copy, heading, Json, Prose, plain, State, span, Time, Wide } from './text.tsx';

interface OperationDetail {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  readonly state: string;
  readonly look: string;
  readonly summary: string;
  readonly amount: string | null;
  readonly who: string;
  readonly host: string;
  readonly subject: string | null;
  readonly endpoint: string;
  readonly command: string;
  readonly verdict: string | null;
  readonly idempotencyKey: string | null;
  readonly detail: string | null;
  readonly request: string;
  readonly result: string | null;
  readonly life: Life;
  readonly changes: readonly Readonly<Record<'state' | 'at' | 'host', string> & { readonly detail: string | null }>[];
  readonly events: readonly Readonly<Record<'id' | 'at' | 'event', string>>[];
  readonly copies: { readonly fiatrail: string };
}

/** An operation of the journal. */
export function OperationDetails({ detail: of }: { readonly detail: OperationDetail }) {
  return (
    <>
      <h2>{heading(of.summary)}</h2>
      <Facts
        of={[
          ['Status', <State of={of.state} look={of.look} />],
          ['Amount', of.amount],
          ['Verdict', of.verdict],
          ['Operation', of.id],
          ['About', of.subject],
          ['Idempotency key', of.idempotencyKey],
          ['Who', `${of.who} on ${of.host}`],
          ['Command', of.command],
          ['Time', <Time at={of.at} />],
          ['Detail', of.detail],
        ]}
      />
      <h3>What happened</h3>
      <ol class="timeline">
        {of.changes.map(({ state, at, detail, host }, index) => (
          <li class="from-state">
            <Time at={at} />
            <Passed from={of.changes[index - 1]?.at} to={at} />
            <span>
              {plain(state)} {detail && <span class="note">{plain(detail)}</span>}
            </span>
            <span class="note source">{plain(host)}</span>
          </li>
        ))}
      </ol>
      <Picture life={of.life} />
      <div class="sides">
        <section>
          <h3>Request</h3>
          <Json text={of.request} label="Request" />
        </section>
        <section>
          <h3>Result</h3>
          <Json text={of.result ?? ''} label="Result" />
        </section>
      </div>
      {of.events.length > 0 && <h3>Events about it</h3>}
      <ul class="belongings">
        {of.events.map(({ id, at, event }) => (
          <li>
            <Time at={at} /> <a href={hrefOf({ pane: 'events', id })}>{plain(event ?? 'event')}</a>
          </li>
        ))}
      </ul>
      <Copy label="Copy as fiatrail" text={of.copies.fiatrail} />
    </>
  );
}

/** The time between two changes; nothing if there is none. */
function Passed({ from, to }: { readonly from: string | undefined; readonly to: string }) {
  const ms = from === undefined ? 0 : Date.parse(to) - Date.parse(from);
  return <span class="passed">{ms > 0 ? `+${span(ms)}` : ''}</span>;
}

interface PlanDetail {
  readonly id: string;
  readonly at: string;
  readonly state: string;
  readonly look: string;
  readonly summary: string;
  readonly who: string;
  readonly expires: string;
  readonly hash: string;
  readonly lines: readonly { readonly label: string; readonly value: string }[];
  readonly history: readonly {
    readonly act: string;
    readonly at: string;
    readonly by: string;
    readonly reason: string | null;
    readonly operationId: string | null;
  }[];
  readonly copies: { readonly fiatrail: string };
}

/** A plan of the journal: what its author says, and who decided about it. */
export function PlanDetails({ detail: of }: { readonly detail: PlanDetail }) {
  return (
    <>
      <h2>{heading(of.summary)}</h2>
      <Facts
        of={[
          ['Status', <State of={of.state} look={of.look} />],
          ['Plan', of.id],
          ['Author', of.who],
          ['Written', <Time at={of.at} />],
          ['Expires', <Time at={of.expires} />],
          ['Hash', of.hash],
        ]}
      />
      {of.history.length > 0 && <h3>What happened</h3>}
      <ol class="timeline">
        {of.history.map(({ act, at, by, reason, operationId }, index) => (
          <li class="from-state">
            <Time at={at} />
            <Passed from={of.history[index - 1]?.at ?? of.at} to={at} />
            <span>
              {plain(act)} by {plain(by)} {reason && <span class="note">{plain(reason)}</span>}{' '}
              {operationId && <a href={hrefOf({ pane: 'operations', id: operationId })}>{plain(operationId)}</a>}
            </span>
          </li>
        ))}
      </ol>
      {[...Map.groupBy(of.lines, ({ label }) => label)].map(([label, lines]) => (
        <section>
          <h3>{heading(label)}</h3>
          <ul class="lines">
            {lines.map(({ value }) => (
              <li>
                <Prose text={value} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      <Copy label="Copy as fiatrail" text={of.copies.fiatrail} />
    </>
  );
}

interface CopiedTable {
  readonly table: string;
  readonly rows: number;
  readonly open: number;
  readonly deleted: number;
  readonly isComplete: boolean;
  readonly newest: string | null;
  readonly syncedAt: string | null;
}

/** How much of each list was copied, and how fresh it is. */
export function CopyPane({ version }: { readonly about: About; readonly version: string }) {
  const { value, problem } = useRead<{ readonly tables: readonly CopiedTable[] }>('/api/documents/copy', version);
  if (!value) return <p class="note empty">{problem ? plain(problem) : 'Reading…'}</p>;
  if (value.tables.length === 0)
    return (
      <p class="note empty">
        This account has not been copied to this machine yet. Run <code>fiatrail sync</code>.
      </p>
    );
  return (
    <div class="cards">
      <section class="card">
        <Wide label="Copied lists">
          <table>
            <thead>
              <tr>
                {['List', 'Rows', 'Open', 'Deleted', 'Complete', 'Newest', 'Synced'].map((title) => (
                  <th scope="col" class={/Rows|Open|Deleted/.test(title) ? 'number' : ''}>
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {value.tables.map(({ table, rows, open, deleted, isComplete, newest, syncedAt }) => (
                <tr>
                  <td>
                    {rows > 0 ? <a href={hrefOf({ pane: 'copied', state: table })}>{plain(table)}</a> : plain(table)}
                  </td>
                  <td class="number">{rows.toLocaleString('en')}</td>
                  <td class="number">{open.toLocaleString('en')}</td>
                  <td class="number">{deleted.toLocaleString('en')}</td>
                  <td>
                    <State of={isComplete ? 'yes' : 'no'} look={isComplete ? 'done' : 'you'} />
                  </td>
                  <td>
                    <Time at={newest} />
                  </td>
                  <td>
                    <Time at={syncedAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Wide>
      </section>
    </div>
  );
}
