import type { ComponentType } from 'preact';
import { useContext } from 'preact/hooks';
import { OperationDetails, PlanDetails } from './account.tsx';
import { Busy, Said, useAction } from './actions.tsx';
import type { About } from './api.tsx';
import { Facts } from './facts.tsx';
import { PointDetails } from './points.tsx';
import { Postings, type PostingsShown } from './postings.tsx';
import { Copy, Json, plain, State, statusOf, Time } from './text.tsx';
import { ThingDetails } from './thing.tsx';
import { UserDetails } from './user.tsx';

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
  readonly look: string;
  readonly sandboxAt: string | null;
  readonly copies: { readonly fiatrail?: string; readonly curl?: string };
}

function Request({ detail }: DetailProps<RequestDetail>) {
  const { at, ms, method, path, operation, effect, who, status, subject, sent, received, copies, look, sandboxAt } =
    detail;
  return (
    <>
      <h2>
        {plain(method)} {plain(path)}
      </h2>
      <Facts
        of={[
          ['Status', <State of={statusOf(status)} look={look} />],
          ['Operation', operation],
          ['Effect', effect],
          ['Who', who],
          ['Machine time', <Time at={at} />],
          ['Sandbox time', sandboxAt && <Time at={sandboxAt} />],
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
          <h3>Response</h3>
          <Json text={received} label="Response" />
        </section>
      </div>
      {copies.fiatrail && <Copy label="Copy as fiatrail" text={copies.fiatrail} />}
      {copies.curl && <Copy label="Copy as curl" text={copies.curl} />}
      {copies.fiatrail && !copies.curl && (
        <p class="note">
          This request may change something, so only a dry run can be copied: curl would bypass the journal.
        </p>
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
  readonly look: string;
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
  const { id, at, event, subject, who, state, look, url, data, log, forwards, problem, quarantined } = detail;
  return (
    <>
      <h2>{plain(event ?? 'An event without a name')}</h2>
      <Facts
        of={[
          ['Status', <State of={state} look={look} />],
          ['About', subject],
          ['Who', who],
          ['Time', <Time at={at} />],
          ['Event', id],
          ['Target', url],
          ['Quarantined because', quarantined],
          ['Problem', problem],
        ]}
      />
      {about.actions.includes('resend') && <Resend eventId={id} />}
      <h3>Data</h3>
      {data === null ? (
        <p class="note">
          The body could not be read. To see it as it arrived: <code>fiatrail webhooks inbox show {id} -o raw</code>
        </p>
      ) : (
        <Json text={data} label="Data" />
      )}
      {forwards && <h3>Forwarded</h3>}
      {forwards?.length === 0 && <p class="note">Not forwarded anywhere.</p>}
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
      {log?.length === 0 && <p class="note">Not sent yet.</p>}
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
  const [said, run] = useAction();
  const isBusy = useContext(Busy);
  const resend = () => run('resend', { eventId }, 'Sent again, to the current webhook.');
  return (
    <p class="act">
      <button type="button" disabled={isBusy} onClick={resend}>
        Send again
      </button>{' '}
      <Said text={said} />
    </p>
  );
}

interface SetDetail extends PostingsShown {
  readonly id: string;
  readonly at: string;
  readonly event: string;
  readonly subject: string;
}

function PostingSet({ detail: { id, at, event, subject, postings, sums } }: DetailProps<SetDetail>) {
  return (
    <>
      <h2>{plain(event)}</h2>
      <Facts
        of={[
          ['Set', id],
          ['About', subject],
          ['Time', <Time at={at} />],
        ]}
      />
      <Postings of={id} postings={postings} sums={sums} />
    </>
  );
}

export const DETAILS: Readonly<Record<string, ComponentType<DetailProps<never>>>> = {
  requests: Request as ComponentType<DetailProps<never>>,
  events: Event as ComponentType<DetailProps<never>>,
  ledger: PostingSet as ComponentType<DetailProps<never>>,
  work: ThingDetails as ComponentType<DetailProps<never>>,
  operations: OperationDetails as ComponentType<DetailProps<never>>,
  users: UserDetails as ComponentType<DetailProps<never>>,
  copied: ThingDetails as ComponentType<DetailProps<never>>,
  points: PointDetails as ComponentType<DetailProps<never>>,
  plans: PlanDetails as ComponentType<DetailProps<never>>,
};
