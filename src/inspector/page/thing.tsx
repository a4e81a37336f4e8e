import type { About } from './api.tsx';
import { Facts } from './facts.tsx';
import { textAt } from './field.ts';
import { Pay, type Payment } from './pay.tsx';
import { type Life, Picture } from './picture.tsx';
import { Postings, type PostingsShown } from './postings.tsx';
import { hrefOf } from './route.tsx';
import { Copy, CopyId, heading, Json, Linked, Prose, plain, State, span, Time, words } from './text.tsx';

interface Moment {
  readonly at: string | null;
  readonly machineAt?: string;
  readonly what: string;
  readonly source: string;
  readonly list?: string;
  readonly id?: string;
  readonly state?: string;
  readonly look?: string;
}

export interface Person {
  readonly userId: string;
  readonly who: string | null;
}

interface ThingDetail {
  readonly id: string;
  readonly kind: string;
  readonly at: string | null;
  readonly now: string | null;
  readonly endedAt?: string | null;
  readonly state: string | null;
  readonly look: string;
  readonly amount: string | null;
  readonly who: string | null;
  readonly for?: string | null;
  readonly of?: string | null;
  readonly user: Person | null;
  readonly waits: string | null;
  readonly means: string | null;
  readonly asOf?: string | null;
  readonly amounts: readonly { readonly title: string; readonly text: string | null; readonly why: string | null }[];
  readonly facts: readonly { readonly title: string; readonly field: string }[];
  readonly row: string;
  readonly timeline: readonly Moment[];
  readonly life?: Life;
  readonly paidBy?: readonly Readonly<Record<'id' | 'state' | 'at' | 'amount' | 'who', string>>[];
  readonly postings?: readonly (PostingsShown & Readonly<Record<'id' | 'event' | 'at', string>>)[];
  readonly next?: readonly string[];
  readonly pays?: Payment;
  readonly belongings?: readonly Readonly<Record<'list' | 'id' | 'at' | 'what' | 'state' | 'look', string>>[];
}

/** A thing of the business: what it moves, for whom, what it waits for, and what happened to it. */
export function ThingDetails({ detail: of, about }: { readonly detail: ThingDetail; readonly about: About }) {
  const {
    id,
    kind,
    amount,
    who,
    user,
    amounts,
    facts,
    row,
    paidBy = [],
    postings = [],
    next = [],
    belongings = [],
  } = of;
  const name = user?.who ?? who;
  return (
    <>
      <h2>
        {heading(words(kind))} {amount && <span class="money">{plain(amount)}</span>}
        {name && <span class="note"> · {plain(name)}</span>}
      </h2>
      <p class="lead">
        <State of={of.state} look={of.look} />
      </p>
      {of.look !== 'done' && (of.means ?? of.waits) && (
        <p>
          This {words(kind)} <Prose text={of.means ?? of.waits ?? ''} />
        </p>
      )}
      <p class="act">
        <CopyId text={id} label="Copy ID" /> <code>{plain(id)}</code>
      </p>
      <Amounts of={amounts} />
      {of.pays && <Pay key={id} of={of.pays} about={about} />}
      <h3>What happened</h3>
      <Timeline of={of} />
      {paidBy.length > 0 && (
        <>
          <h3>Paid by</h3>
          <ul class="belongings">
            {paidBy.map((each) => (
              <li>
                <Time at={each.at} /> <a href={hrefOf({ pane: 'work', id: each.id })}>{plain(each.amount)}</a> from{' '}
                {plain(each.who)} <span class="note">{plain(each.state)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>People and accounts</h3>
      <Facts
        of={[
          ['User', user && <UserLink of={user} about={about} />],
          ['Account', of.of],
          ['To or from', isSaidBy(of.for, facts, row) ? null : of.for],
          ...facts.map(({ title, field }) => [title, factOf(title, textAt(row, field), about)] as const),
          ['As of', of.asOf && <Time at={of.asOf} />],
        ]}
      />
      {postings.length > 0 && <h3>Postings</h3>}
      {postings.map((set) => (
        <section>
          <p class="note">
            <Time at={set.at} />{' '}
            {about.lists.includes('ledger') ? (
              <a href={hrefOf({ pane: 'ledger', id: set.id })}>{plain(set.event)}</a>
            ) : (
              plain(set.event)
            )}
          </p>
          <Postings of={set.id} postings={set.postings} sums={set.sums} />
        </section>
      ))}
      {belongings.length > 0 && <h3>Requests and events</h3>}
      <ul class="belongings">
        {belongings.map((each) => (
          <li>
            <Time at={each.at} /> <a href={hrefOf({ pane: each.list, id: each.id })}>{plain(each.what)}</a>{' '}
            <State of={each.state} look={each.look} />
          </li>
        ))}
      </ul>
      {of.life && (
        <details>
          <summary>All states</summary>
          <Picture life={of.life} />
        </details>
      )}
      <details>
        <summary>Row from the service</summary>
        <Json text={row} label="Row from the service" />
      </details>
      {next.map((each) => (
        <Copy label="Copy as fiatrail" text={each} />
      ))}
    </>
  );
}

/** Whether the facts have each part of a summary of them, such as `base · 0x01a2…`. */
const isSaidBy = (summary: string | null | undefined, facts: ThingDetail['facts'], row: string): boolean => {
  const known = new Set(facts.map(({ field }) => textAt(row, field)));
  return (summary ?? '').split(/ · | → |^into /).every((part) => part === '' || known.has(part));
};

/** A fact in words; a pair leads to its order book. */
function factOf(title: string, text: string | null | undefined, about: About) {
  if (title !== 'Pair' || !text || !about.documents.includes('book')) return text;
  return <a href={hrefOf({ pane: 'book', id: text })}>{plain(text)}</a>;
}

/** A user, with a link to what is known of him or her. */
function UserLink({ of: { userId, who }, about }: { readonly of: Person; readonly about: About }) {
  const pane = ['users', 'copied'].find((list) => about.lists.includes(list));
  const name = plain(who ?? userId);
  return (
    <>
      {pane ? <a href={hrefOf({ pane, id: userId })}>{name}</a> : name}
      {about.filters['work'] && (
        <>
          {' '}
          · <a href={hrefOf({ pane: 'work', user: userId })}>all work</a>
        </>
      )}
    </>
  );
}

function Amounts({ of }: { readonly of: ThingDetail['amounts'] }) {
  if (of.length === 0) return null;
  return (
    <dl class="figures">
      {of.map(({ title, text, why }) => (
        <div>
          <dt>{plain(title)}</dt>
          <dd>{text === null ? <span class="note">not known: {plain(why ?? '')}</span> : plain(text)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What happened, one below the other, with the time that passed between. */
function Timeline({ of: { timeline, look, waits, now } }: { readonly of: ThingDetail }) {
  const last = timeline.findLast(({ at }) => at !== null)?.at;
  return (
    <ol class="timeline">
      {timeline.map((each, at) => {
        const before = timeline[at - 1]?.at;
        const passed = each.at && before ? Date.parse(each.at) - Date.parse(before) : 0;
        return (
          <li class={`from-${each.source}`}>
            <Time at={each.at} />
            <span class="passed">{passed > 0 ? `+${span(passed)}` : ''}</span>
            <span>
              {each.list && each.id ? (
                <a href={hrefOf({ pane: each.list, id: each.id })}>{plain(each.what)}</a>
              ) : (
                <Linked text={each.what} />
              )}{' '}
              {each.state && each.state !== 'not sent' && <State of={each.state} look={each.look} />}
              {each.machineAt && each.machineAt !== each.at && (
                <span class="note">
                  {' '}
                  (machine time <Time at={each.machineAt} />)
                </span>
              )}
            </span>
            <span class="note source">{each.source === 'state' ? '' : plain(each.source)}</span>
          </li>
        );
      })}
      {(look === 'open' || look === 'you') && (
        <li class="from-now">
          <Time at={now} />
          <span class="passed">{last && now ? `+${span(Date.parse(now) - Date.parse(last))}` : ''}</span>
          <span>{plain(waits ?? 'in progress')}</span>
        </li>
      )}
    </ol>
  );
}
