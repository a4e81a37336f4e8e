import { useContext, useState } from 'preact/hooks';
import { Busy, Confirmed, Field, Said, useAction } from './actions.tsx';
import type { About } from './api.tsx';
import { Facts } from './facts.tsx';
import { AccountName, type AccountNamed } from './postings.tsx';
import { goTo, hrefOf } from './route.tsx';
import { plain, State, Time, Wide } from './text.tsx';

interface PointDetail {
  readonly id: string;
  readonly at: string;
  readonly machineAt: string;
  readonly size: string;
  readonly now: string;
  readonly isLater: boolean;
  readonly users: string | null;
  readonly sets: string | null;
  readonly work: readonly Readonly<Record<'kind' | 'state' | 'look' | 'before' | 'now', string>>[];
  readonly events: readonly Readonly<Record<'event' | 'count', string>>[];
  readonly accounts: readonly (AccountNamed & { readonly change: string })[];
}

/** Names a point in time. */
export function AddPoint({ about }: { readonly about: About }) {
  const [name, setName] = useState('');
  const [said, run] = useAction();
  const isBusy = useContext(Busy);
  if (!about.actions.includes('snapshot')) return null;
  const add = (event: Event) => {
    event.preventDefault();
    run('snapshot', { name }, (answer) => `Saved as “${answer['name']}”.`);
    setName('');
  };
  return (
    <form class="filters" onSubmit={add}>
      <Field title="Name of this point in time">
        {(id) => (
          <input
            id={id}
            required
            maxLength={60}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" disabled={isBusy}>
        Save state
      </button>
      <Said text={said} />
      <p class="note">
        Points are kept until the command ends. To keep one longer, run <code>fiatrail sandbox snapshot FILE</code>.
      </p>
    </form>
  );
}

/** A point in time, and what has changed since. */
export function PointDetails({ detail: of, about }: { readonly detail: PointDetail; readonly about: About }) {
  const [said, run] = useAction();
  const { id, at, work, events, accounts } = of;
  return (
    <>
      <h2>{plain(id)}</h2>
      <Facts
        of={[
          ['Sandbox time then', <Time at={at} />],
          ['Sandbox time now', <Time at={of.now} />],
          ['Machine time', <Time at={of.machineAt} />],
          ['Size', of.size],
        ]}
      />
      {about.actions.includes('restore') && (
        <p class="act">
          <Confirmed
            label="Restore"
            warning={`This restores everything in the sandbox to “${id}”, except API keys. Whatever happened since is lost unless you save it as another point first.`}
            onConfirm={() => run('restore', { name: id }, `Restored “${id}”.`)}
          />{' '}
          <Confirmed
            label="Remove"
            warning={`This removes the point “${id}”. The sandbox itself does not change.`}
            onConfirm={() => {
              run('forget', { name: id }, 'Removed.');
              goTo({ pane: 'points' });
            }}
          />{' '}
          <Said text={said} />
        </p>
      )}
      <h3>Changes since</h3>
      {work.length === 0 && <p class="note">No work started or changed status.</p>}
      {work.length > 0 && <Work of={work} since={at} isLater={of.isLater} />}
      {!of.isLater && (
        <p class="note">
          The sandbox has been restored to an earlier point since, so its ledger and events cannot be compared.
        </p>
      )}
      <Facts
        of={[
          ['New users', of.users],
          ['New posting sets', of.sets],
        ]}
      />
      {accounts.length > 0 && <Accounts of={accounts} />}
      {events.length > 0 && <h3>New events</h3>}
      <ul class="belongings">
        {events.map(({ event, count }) => (
          <li>
            {plain(count)} × {plain(event)}
          </li>
        ))}
      </ul>
    </>
  );
}

interface WorkProps {
  readonly of: PointDetail['work'];
  readonly since: string;
  readonly isLater: boolean;
}

function Work({ of, since, isLater }: WorkProps) {
  return (
    <Wide label="Work">
      <table>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col">Status</th>
            <th scope="col" class="number">
              Then
            </th>
            <th scope="col" class="number">
              Now
            </th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ kind, state, look, before, now }) => (
            <tr>
              <td>
                {isLater ? <a href={hrefOf({ pane: 'work', state: kind, since })}>{plain(kind)}</a> : plain(kind)}
              </td>
              <td>
                <State of={state} look={look} />
              </td>
              <td class="number">{plain(before)}</td>
              <td class="number">{plain(now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

function Accounts({ of }: { readonly of: PointDetail['accounts'] }) {
  return (
    <Wide label="Accounts of the ledger">
      <table>
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col" class="number">
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ change, ...account }) => (
            <tr>
              <td>
                <AccountName of={account} />
              </td>
              <td class="number">{plain(change)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}
