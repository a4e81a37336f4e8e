import { useState } from 'preact/hooks';
import { type About, post, useRead } from './api.tsx';
import { LISTS } from './lists.tsx';
import { AccountName, type AccountNamed, Sum } from './postings.tsx';
import { hrefOf } from './route.tsx';
import { plain, State, Time, Wide } from './text.tsx';

interface PaneProps {
  readonly about: About;
  readonly version: string;
}

/** What is said while a document is read, or if it cannot be. */
const waiting = (problem: string | undefined) => <p class="note">{problem ? plain(problem) : 'Reading…'}</p>;

interface Balances {
  readonly asset: string;
  readonly sum: string;
  readonly isZero: boolean;
  readonly others: string | null;
  readonly accounts: readonly (AccountNamed & { readonly balance: string })[];
}

export function BalancesPane({ version }: PaneProps) {
  const { value, problem } = useRead<readonly Balances[]>('/api/documents/balances', version);
  if (!value) return waiting(problem);
  return (
    <div class="cards">
      {value.map(({ asset, accounts, others, sum, isZero }) => (
        <section class="card">
          <h2>{plain(asset)}</h2>
          <Wide label={`Balances in ${asset}`}>
            <table>
              <thead>
                <tr>
                  <th scope="col">Account</th>
                  <th scope="col" class="number">
                    Balance
                  </th>
                </tr>
              </thead>
              <tbody>
                {accounts.map(({ balance, ...account }) => (
                  <tr>
                    <td>
                      <AccountName of={account} />
                    </td>
                    <td class="number">{plain(balance)}</td>
                  </tr>
                ))}
                {others && (
                  <tr>
                    <td>all others</td>
                    <td class="number">{others}</td>
                  </tr>
                )}
              </tbody>
            </table>
          </Wide>
          <p>
            <Sum sum={sum} isZero={isZero} />
          </p>
        </section>
      ))}
    </div>
  );
}

interface ClockDocument {
  readonly now: string;
  readonly machineTime: string;
  readonly status: {
    readonly pace: string;
    readonly rateLimits: string;
    readonly pending: number;
    readonly stuck: number;
  };
}

interface Fault {
  readonly endpoint: string;
  readonly kind: string;
  readonly name: string | null;
  readonly times: number;
}

/** Runs a change, and says how it went. */
function useAction(): readonly [said: string, run: (name: string, input: object, done: string) => void] {
  const [said, setSaid] = useState('');
  const run = (name: string, input: object, done: string) =>
    void post(`/api/actions/${name}`, input).then(
      () => setSaid(done),
      (error: Error) => setSaid(error.message),
    );
  return [said, run];
}

const UNITS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

export function ClockPane({ about, version }: PaneProps) {
  const { value, problem } = useRead<ClockDocument>('/api/documents/clock', version);
  const { value: listed } = useRead<{ readonly faults: readonly Fault[] }>('/api/documents/faults', version);
  const [said, run] = useAction();
  const canChange = about.actions.length > 0;
  if (!value) return waiting(problem);
  const { now, machineTime, status } = value;
  return (
    <div class="cards">
      <section class="card">
        <h2>Clock</h2>
        <p>
          The sandbox's time is <Time at={now} />, this machine's is <Time at={machineTime} />. Pace: {status.pace}.
          Rate limits: {status.rateLimits}. Waiting for its time: {status.pending}. Stuck: {status.stuck}.
        </p>
        {canChange && <Advance run={run} />}
      </section>
      <section class="card">
        <h2>Faults</h2>
        {listed?.faults.length === 0 && <p class="note">No fault waits to be injected.</p>}
        <ul>
          {listed?.faults.map(({ endpoint, kind, name, times }) => (
            <li>
              {plain(kind)} {name && plain(name)} on {plain(endpoint)}, {times} more {times === 1 ? 'time' : 'times'}
            </li>
          ))}
        </ul>
        {canChange && <AddFault run={run} />}
      </section>
      <p role="status">{plain(said)}</p>
    </div>
  );
}

type Run = ReturnType<typeof useAction>[1];

function Advance({ run }: { readonly run: Run }) {
  const [count, setCount] = useState('10');
  const [unit, setUnit] = useState<keyof typeof UNITS>('minutes');
  const advance = (event: Event) => {
    event.preventDefault();
    run(
      'advance',
      { durationMs: Math.round(Number(count) * UNITS[unit]) },
      `The clock was advanced by ${count} ${unit}.`,
    );
  };
  return (
    <form onSubmit={advance}>
      <label>
        Advance by{' '}
        <input type="number" min="1" value={count} onInput={({ currentTarget }) => setCount(currentTarget.value)} />
      </label>
      <label>
        <span class="unseen">Unit</span>
        <select value={unit} onChange={({ currentTarget }) => setUnit(currentTarget.value as keyof typeof UNITS)}>
          {Object.keys(UNITS).map((each) => (
            <option>{each}</option>
          ))}
        </select>
      </label>
      <button type="submit">Advance</button>
      <button type="button" onClick={() => run('settle', {}, 'Everything that waits for somebody was approved.')}>
        Settle
      </button>
    </form>
  );
}

function AddFault({ run }: { readonly run: Run }) {
  const [fault, setFault] = useState({ endpoint: '', kind: 'slow', times: '1' });
  const set = (name: keyof typeof fault) => (event: { readonly currentTarget: HTMLInputElement }) =>
    setFault({ ...fault, [name]: event.currentTarget.value });
  const add = (event: Event) => {
    event.preventDefault();
    run('fault-add', { ...fault, times: Number(fault.times) }, 'The fault was added.');
  };
  return (
    <form onSubmit={add}>
      <label>
        Kind <input required value={fault.kind} onInput={set('kind')} placeholder="slow" />
      </label>
      <label>
        Operation <input required value={fault.endpoint} onInput={set('endpoint')} placeholder="transactions.onramp" />
      </label>
      <label>
        Times <input type="number" min="1" value={fault.times} onInput={set('times')} />
      </label>
      <button type="submit">Add</button>
      <button type="button" onClick={() => run('fault-clear', {}, 'All faults were cleared.')}>
        Clear all
      </button>
    </form>
  );
}

interface Found {
  readonly list: string;
  readonly id: string;
  readonly text: string;
  readonly at?: string | null;
  readonly state?: string | null;
  readonly look?: string | null;
}

const EXAMPLES = [
  'an id, or its first or last letters',
  'a hash, an address or an account number',
  'a name',
  '₦5,000 or 5000 cngn',
  'any text of a request or an event',
];

function Examples() {
  return (
    <>
      <p>Type into the search above:</p>
      <ul>
        {EXAMPLES.map((each) => (
          <li>{each}</li>
        ))}
      </ul>
    </>
  );
}

/** What has a text, by where it is shown. It is looked for once: it is read through everything there is. */
export function FindPane({ text }: PaneProps & { readonly text: string }) {
  const { value, problem } = useRead<readonly Found[]>(
    text === '' ? undefined : `/api/find?${new URLSearchParams({ text })}`,
    '',
  );
  if (text === '')
    return (
      <section class="found">
        <Examples />
      </section>
    );
  if (!value) return waiting(problem);
  const lists = [...new Set(value.map(({ list }) => list))];
  return (
    <section class="found">
      <h2>
        {value.length === 0 ? 'Nothing has' : 'What has'} “{plain(text)}”
      </h2>
      {value.length === 0 && <Examples />}
      {lists.map((name) => (
        <section>
          <h3>{LISTS[name]?.title ?? plain(name)}</h3>
          <ul>
            {value
              .filter(({ list }) => list === name)
              .map(({ list, id, text: said, at, state, look }) => (
                <li>
                  {at && <Time at={at} />} <a href={hrefOf({ pane: list, id })}>{plain(said)}</a>{' '}
                  {state && <State of={state} look={look} />}
                </li>
              ))}
          </ul>
        </section>
      ))}
    </section>
  );
}
