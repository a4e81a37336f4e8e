import { type About, useRead } from './api.tsx';
import { Facts } from './facts.tsx';
import { type Life, Picture } from './picture.tsx';
import { hrefOf } from './route.tsx';
import { Copy, Json, Linked, plain, State, Time, Wide } from './text.tsx';

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
      <h2>{plain(of.summary)}</h2>
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
      <Picture life={of.life} />
      <ol class="path">
        {of.changes.map(({ state, at, detail, host }) => (
          <li>
            {plain(state)} <Time at={at} /> on {plain(host)} {detail && <span class="note">{plain(detail)}</span>}
          </li>
        ))}
      </ol>
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
      <h2>{plain(of.summary)}</h2>
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
      <ol class="path">
        {of.history.map(({ act, at, by, reason, operationId }) => (
          <li>
            {plain(act)} by {plain(by)} <Time at={at} /> {reason && <span class="note">{plain(reason)}</span>}
            {operationId && <a href={hrefOf({ pane: 'operations', id: operationId })}>{plain(operationId)}</a>}
          </li>
        ))}
      </ol>
      <Facts
        of={[...Map.groupBy(of.lines, ({ label }) => label)].map(
          ([label, lines]) =>
            [
              label,
              lines.map(({ value }) => (
                <div>
                  <Linked text={value} />
                </div>
              )),
            ] as const,
        )}
      />
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
  if (!value) return <p class="note">{problem ? plain(problem) : 'Reading…'}</p>;
  if (value.tables.length === 0)
    return <p class="note">This account has not been copied to this machine yet. Run: fiatrail sync</p>;
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
                  <td class="number">{rows}</td>
                  <td class="number">{open}</td>
                  <td class="number">{deleted}</td>
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
