import { useState } from 'preact/hooks';
import { Confirmed, Field, type Run, Said, useAction } from './actions.tsx';
import { type About, useRead } from './api.tsx';
import { Facts } from './facts.tsx';
import { AddFault, type Fault, FaultList } from './faults.tsx';
import { hrefOf } from './route.tsx';
import { plain, Time } from './text.tsx';

interface ClockDocument {
  readonly now: string;
  readonly machineTime: string;
  readonly due: readonly Readonly<Record<'at' | 'what', string>>[];
  readonly simulating: { readonly done: number; readonly days: number } | null;
}

interface Status {
  readonly pace: string;
  readonly rateLimits: string;
  readonly pending: number;
  readonly stuck: number;
}

interface PaneProps {
  readonly about: About;
  readonly version: string;
}

/** The clock of the sandbox, what it waits for, its faults, and what it can be begun anew with. */
export function ClockPane({ about, version }: PaneProps) {
  const { value, problem } = useRead<ClockDocument>('/api/documents/clock', version);
  const { value: status } = useRead<Status>('/api/documents/status', version);
  const { value: listed } = useRead<{ readonly faults: readonly Fault[] }>('/api/documents/faults', version);
  const canChange = about.actions.includes('advance');
  if (!value) return <p class="note">{problem ? plain(problem) : 'Reading…'}</p>;
  const { now, machineTime, due, simulating } = value;
  return (
    <div class="cards">
      <section class="card">
        <h2>Clock</h2>
        <Facts
          of={[
            ['Sandbox time', <Time at={now} />],
            ['This machine’s time', <Time at={machineTime} />],
            ['Pace', status?.pace],
            ['Rate limits', status?.rateLimits],
            ['Waits for its time', status && String(status.pending)],
            ['Set aside by a bug', status && status.stuck > 0 ? String(status.stuck) : null],
          ]}
        />
        {canChange && <Advance hasNext={due.length > 0} />}
        <h3>Falls due next</h3>
        {due.length === 0 && <p class="note">Nothing does.</p>}
        <ul class="belongings">
          {due.map((each) => (
            <li>
              <Time at={each.at} /> {plain(each.what)}
            </li>
          ))}
        </ul>
      </section>
      <section class="card">
        <h2>Faults</h2>
        {listed && <FaultList of={listed.faults} />}
        {canChange && <AddFault />}
      </section>
      {canChange && (
        <section class="card">
          <h2>New history</h2>
          <NewHistory simulating={simulating} />
        </section>
      )}
      {canChange && (
        <section class="card">
          <h2>Points in time</h2>
          <p>
            <a href={hrefOf({ pane: 'points' })}>Save the sandbox as it is, see what changed since, go back</a>
          </p>
        </section>
      )}
    </div>
  );
}

const UNITS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

const advanced = ({ now, events }: Readonly<Record<string, unknown>>) =>
  `It is ${String(now).replace('T', ' ').slice(0, 19)} UTC in the sandbox; ${events} ${events === 1 ? 'step' : 'steps'} fell due.`;

function Advance({ hasNext }: { readonly hasNext: boolean }) {
  const [count, setCount] = useState('10');
  const [unit, setUnit] = useState<keyof typeof UNITS>('minutes');
  const [said, run] = useAction();
  const by = (durationMs: number) => run('advance', { durationMs }, advanced);
  const advance = (event: Event) => {
    event.preventDefault();
    by(Math.round(Number(count) * UNITS[unit]));
  };
  return (
    <>
      <p class="act">
        <button type="button" disabled={!hasNext} onClick={() => run('advance-next', {}, advanced)}>
          To the next event
        </button>{' '}
        <button type="button" onClick={() => by(30 * UNITS.minutes)}>
          30 minutes
        </button>{' '}
        <button type="button" onClick={() => by(UNITS.days)}>
          1 day
        </button>{' '}
        <Settle run={run} />
      </p>
      <form onSubmit={advance}>
        <Field title="Advance by">
          {(id) => (
            <input
              id={id}
              type="number"
              min="1"
              required
              value={count}
              onInput={({ currentTarget }) => setCount(currentTarget.value)}
            />
          )}
        </Field>
        <Field title="Unit">
          {(id) => (
            <select
              id={id}
              value={unit}
              onChange={({ currentTarget }) => setUnit(currentTarget.value as keyof typeof UNITS)}
            >
              {Object.keys(UNITS).map((each) => (
                <option>{each}</option>
              ))}
            </select>
          )}
        </Field>
        <button type="submit">Advance</button>
      </form>
      <p>
        <Said text={said} />
      </p>
    </>
  );
}

const Settle = ({ run }: { readonly run: Run }) => (
  <button
    type="button"
    onClick={() => run('settle', {}, 'Everything that waited for a bank, a chain or an approval is done.')}
  >
    Settle everything
  </button>
);

/** A history of so many days that replaces what is in the sandbox. */
function NewHistory({ simulating }: { readonly simulating: ClockDocument['simulating'] }) {
  const [typed, setTyped] = useState({ days: '30', users: '200', seed: '1' });
  const [said, run] = useAction();
  const field = (name: keyof typeof typed, title: string, min: number, max: number) => (
    <Field title={title}>
      {(id) => (
        <input
          id={id}
          type="number"
          {...{ min, max }}
          value={typed[name]}
          onInput={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
        />
      )}
    </Field>
  );
  const input = { days: Number(typed.days), users: Number(typed.users), seed: Number(typed.seed) };
  return (
    <>
      <p class="note">
        Days of an account’s life that end now, as fiatrail sandbox simulate has them. The same days, users and seed
        give the same history.
      </p>
      <div class="act fields">
        {field('days', 'Days', 1, 3_650)}
        {field('users', 'Users', 1, 10_000)}
        {field('seed', 'Seed', 0, 2 ** 32 - 1)}
        <Confirmed
          label="Replace by a new history"
          isDisabled={simulating !== null}
          warning={`Everything in the sandbox is replaced by ${typed.days} simulated days: users, money, events, faults and every API key but its first. Save a point in time before, to be able to go back.`}
          onConfirm={() => run('simulate', input, (answer) => `${answer['days']} days were simulated.`)}
        />
      </div>
      {simulating && (
        <p>
          <progress max={simulating.days} value={simulating.done} aria-label="Days simulated" /> {simulating.done} of{' '}
          {simulating.days} days{' '}
          <button type="button" onClick={() => run('simulate-stop', {}, 'It ends with this day.')}>
            Stop
          </button>
        </p>
      )}
      <p>
        <Said text={said} />
      </p>
    </>
  );
}
