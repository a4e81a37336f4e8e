import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { OperationDetails, PlanDetails, StoryDetails } from './account.tsx';
import { type About, post } from './api.tsx';
import { Facts } from './facts.tsx';
import { type Life, Picture } from './picture.tsx';
import { hrefOf } from './route.tsx';
import { Copy, Json, plain, State, statusOf, Time, Wide } from './text.tsx';

interface DetailProps<T> {
  readonly detail: T;
  readonly about: About;
}

interface RequestDetail {
  readonly id: string;
  readonly at: string;
  readonly ms: number;
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
  readonly effect: string;
  readonly who: string;
  readonly status: number | null;
  readonly subject: string | null;
  readonly sent: string | null;
  readonly received: string | null;
  readonly copies: { readonly fiatrail?: string; readonly curl?: string };
}

function Request({ detail }: DetailProps<RequestDetail>) {
  const { at, ms, method, path, operation, effect, who, status, subject, sent, received, copies } = detail;
  return (
    <>
      <h2>
        {plain(method)} {plain(path)}
      </h2>
      <Facts
        of={[
          ['Status', <State of={statusOf(status)} />],
          ['Operation', operation],
          ['Effect', effect],
          ['Who', who],
          ['Time', <Time at={at} />],
          ['Took', `${ms} ms`],
          ['About', subject],
        ]}
      />
      <div class="sides">
        <section>
          <h3>Request</h3>
          <Json text={sent} label="Request" />
        </section>
        <section>
          <h3>Answer</h3>
          <Json text={received} label="Answer" />
        </section>
      </div>
      {copies.fiatrail && <Copy label="Copy as fiatrail" text={copies.fiatrail} />}
      {copies.curl && <Copy label="Copy as curl" text={copies.curl} />}
      {copies.fiatrail && !copies.curl && (
        <p class="note">It may change something, so it is copied as a dry run only: curl would pass by the journal.</p>
      )}
    </>
  );
}

interface EventDetail {
  readonly id: string;
  readonly at: string;
  readonly event: string | null;
  readonly subject: string | null;
  readonly who: string | null;
  readonly state: string;
  readonly url?: string | null;
  readonly data: string | null;
  readonly problem?: string | null;
  readonly quarantined?: string | null;
  readonly forwards?: readonly {
    readonly target: string;
    readonly state: string;
    readonly attempts: number;
    readonly status: number | null;
    readonly problem: string | null;
  }[];
  readonly log?: readonly {
    readonly at: string;
    readonly ms?: number;
    readonly status: number | null;
    readonly problem: string | null;
    readonly body?: string;
    readonly answer?: string | null;
  }[];
}

function Event({ detail, about }: DetailProps<EventDetail>) {
  const { id, at, event, subject, who, state, url, data, log, forwards, problem, quarantined } = detail;
  return (
    <>
      <h2>{plain(event ?? 'An event without a name')}</h2>
      <Facts
        of={[
          ['State', <State of={state} />],
          ['About', subject],
          ['Who', who],
          ['Time', <Time at={at} />],
          ['Event', id],
          ['Target', url],
          ['Quarantined because it is', quarantined],
          ['Problem', problem],
        ]}
      />
      {about.actions.includes('resend') && <Resend eventId={id} />}
      <h3>Data</h3>
      <Json text={data} label="Data" />
      {forwards && <h3>Forwarded</h3>}
      {forwards?.length === 0 && <p class="note">It is forwarded nowhere.</p>}
      <ul class="belongings">
        {forwards?.map((each) => (
          <li>
            <State of={each.state} /> {plain(each.target)}, {each.attempts}{' '}
            {each.attempts === 1 ? 'attempt' : 'attempts'}
            {each.status !== null && `, HTTP ${each.status}`} {each.problem && plain(each.problem)}
          </li>
        ))}
      </ul>
      {log && <h3>Attempts</h3>}
      {log?.length === 0 && <p class="note">It has not been sent.</p>}
      {log?.map((attempt) => (
        <details>
          <summary>
            <Time at={attempt.at} /> <State of={statusOf(attempt.status)} />{' '}
            {attempt.ms !== undefined && `${attempt.ms} ms`} {attempt.problem && plain(attempt.problem)}
          </summary>
          {attempt.body !== undefined && <Json text={attempt.body} label="What was sent" />}
          {attempt.answer !== undefined && <Json text={attempt.answer ?? ''} label="What the receiver responded" />}
        </details>
      ))}
    </>
  );
}

function Resend({ eventId }: { readonly eventId: string }) {
  const [said, setSaid] = useState('');
  const resend = () =>
    post('/api/actions/resend', { eventId }).then(
      () => setSaid('It is sent again, to the webhook that is set now.'),
      (error: Error) => setSaid(error.message),
    );
  return (
    <p class="act">
      <button type="button" onClick={resend}>
        Send again
      </button>{' '}
      <span role="status">{said}</span>
    </p>
  );
}

interface SetDetail {
  readonly id: string;
  readonly at: string;
  readonly event: string;
  readonly subject: string;
  readonly postings: readonly Readonly<Record<'account' | 'asset' | 'amount' | 'after', string>>[];
  readonly sums: readonly { readonly asset: string; readonly sum: string; readonly isZero: boolean }[];
}

/** Says with a sign and a word that a sum is zero, or that it is not. */
export function Sum({ sum, isZero }: { readonly sum: string; readonly isZero: boolean }) {
  return (
    <span class={`state ${isZero ? 'good' : 'worse'}`}>
      {isZero ? `✓ ${plain(sum)}: it sums to zero` : `! ${plain(sum)}: it does not sum to zero`}
    </span>
  );
}

function PostingSet({ detail: { id, at, event, subject, postings, sums } }: DetailProps<SetDetail>) {
  return (
    <>
      <h2>{plain(event)}</h2>
      <Facts
        of={[
          ['Set', id],
          ['About', <a href={hrefOf({ pane: 'work', id: subject })}>{plain(subject)}</a>],
          ['Time', <Time at={at} />],
        ]}
      />
      <Wide label="Postings">
        <table>
          <thead>
            <tr>
              <th scope="col">Account</th>
              <th scope="col" class="number">
                Amount
              </th>
              <th scope="col" class="number">
                Balance after
              </th>
            </tr>
          </thead>
          <tbody>
            {postings.map(({ account, amount, after }) => (
              <tr>
                <td>{plain(account)}</td>
                <td class="number">{plain(amount)}</td>
                <td class="number">{plain(after)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            {sums.map(({ asset, sum, isZero }) => (
              <tr>
                <th scope="row">{plain(asset)}</th>
                <td class="number" colSpan={2}>
                  <Sum sum={sum} isZero={isZero} />
                </td>
              </tr>
            ))}
          </tfoot>
        </table>
      </Wide>
    </>
  );
}

interface WorkDetail {
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly state: string;
  readonly life?: Life;
  readonly postings?: readonly Readonly<Record<'id' | 'event' | 'at', string>>[];
  readonly requests?: readonly Readonly<Record<'id' | 'at' | 'operation', string>>[];
  readonly events?: readonly Readonly<Record<'id' | 'at' | 'event', string>>[];
}

function Work({ detail }: DetailProps<WorkDetail>) {
  const { id, kind, at, state, life, postings, requests, events } = detail;
  const belongings = [
    ...(requests ?? []).map((each) => ({ ...each, what: `request ${each.operation}`, pane: 'requests' })),
    ...(postings ?? []).map((each) => ({ ...each, what: `postings ${each.event}`, pane: 'ledger' })),
    ...(events ?? []).map((each) => ({ ...each, what: `event ${each.event}`, pane: 'events' })),
  ].toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
  return (
    <>
      <h2>{plain(`${kind} ${id}`)}</h2>
      <Facts
        of={[
          ['State', <State of={state} />],
          ['ID', id],
          ['Time', <Time at={at} />],
        ]}
      />
      {life && <Picture life={life} />}
      {life && (
        <ol class="path">
          {life.path.map((each) => (
            <li>
              {plain(each.state)} {each.at && <Time at={each.at} />}
            </li>
          ))}
        </ol>
      )}
      {belongings.length > 0 && <h3>What belongs to it</h3>}
      <ul class="belongings">
        {belongings.map(({ pane, id: each, at: time, what }) => (
          <li>
            <Time at={time} /> <a href={hrefOf({ pane, id: each })}>{plain(what)}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

export const DETAILS: Readonly<Record<string, ComponentType<DetailProps<never>>>> = {
  requests: Request as ComponentType<DetailProps<never>>,
  events: Event as ComponentType<DetailProps<never>>,
  ledger: PostingSet as ComponentType<DetailProps<never>>,
  work: Work as ComponentType<DetailProps<never>>,
  operations: OperationDetails as ComponentType<DetailProps<never>>,
  plans: PlanDetails as ComponentType<DetailProps<never>>,
  copied: StoryDetails as ComponentType<DetailProps<never>>,
};
