import { useContext, useState } from 'preact/hooks';
import { Busy, Confirmed, Field, type Run, Said, useAction } from './actions.tsx';
import { type About, useRead } from './api.tsx';
import { Facts } from './facts.tsx';
import { AddFault, type Fault, FaultList } from './faults.tsx';
import { AddPoint } from './points.tsx';
import { hrefOf } from './route.tsx';
import { plain, Time, words } from './text.tsx';

interface ClockDocument {
  readonly now: string;
  readonly machineTime: string;
  readonly pace: string;
  readonly rateLimits: string;
  readonly scheduled: number;
  readonly stuck: number;
  readonly due: readonly Readonly<Record<'at' | 'what', string>>[];
  readonly simulating: { readonly done: number; readonly days: number } | null;
}

interface PaneProps {
  readonly about: About;
  readonly version: string;
}

/** The clock of the sandbox, what is due, its faults, and how to replace its history. */
export function ClockPane({ about, version }: PaneProps) {
  const { value, problem } = useRead<ClockDocument>('/api/documents/clock', version);
  const { value: listed } = useRead<{ readonly faults: readonly Fault[] }>('/api/documents/faults', version);
  const canChange = about.actions.includes('advance');
  if (!value) return <p class="note empty">{problem ? plain(problem) : 'Reading…'}</p>;
  const { now, machineTime, pace, rateLimits, scheduled, stuck, due, simulating } = value;
  return (
    <div class="cards of-controls">
      <section class="card">
        <h2>Clock</h2>
        <Facts
          of={[
            ['Sandbox time', <Time at={now} />],
            ['Machine time', <Time at={machineTime} />],
            ['Pace', pace],
            ['Rate limits', rateLimits],
            ['Scheduled', String(scheduled)],
            ['Stuck because of a bug', stuck > 0 ? String(stuck) : null],
          ]}
        />
        {canChange && <Advance hasNext={due.length > 0} />}
        <h3>Due next</h3>
        {due.length === 0 && <p class="note">Nothing is due.</p>}
        <ul class="belongings">
          {due.map((each) => (
            <li>
              <Time at={each.at} /> {words(each.what)}
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
          <AddPoint about={about} />
          <p>
            <a href={hrefOf({ pane: 'points' })}>See what has changed since a point, or restore it</a>
          </p>
        </section>
      )}
    </div>
  );
}

const UNITS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

const advanced = ({ now, events }: Readonly<Record<string, unknown>>) =>
  `Sandbox time is now ${now}. ${events} scheduled ${events === 1 ? 'step' : 'steps'} ran.`;

function Advance({ hasNext }: { readonly hasNext: boolean }) {
  const isBusy = useContext(Busy);
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
        <button type="button" disabled={isBusy || !hasNext} onClick={() => run('advance-next', {}, advanced)}>
          To the next event
        </button>{' '}
        <button type="button" disabled={isBusy} onClick={() => by(30 * UNITS.minutes)}>
          30 minutes
        </button>{' '}
        <button type="button" disabled={isBusy} onClick={() => by(UNITS.days)}>
          1 day
        </button>{' '}
        <Settle {...{ run, isBusy }} />
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
        <button type="submit" disabled={isBusy}>
          Advance
        </button>
      </form>
      <p>
        <Said text={said} />
      </p>
    </>
  );
}

const Settle = ({ run, isBusy }: { readonly run: Run; readonly isBusy: boolean }) => (
  <button
    type="button"
    disabled={isBusy}
    onClick={() => run('settle', {}, 'Completed everything that was waiting for a bank, a blockchain or an approval.')}
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
        Simulates the days of an account up to now, as <code>fiatrail sandbox simulate</code> does. The same days, users
        and seed always give the same history.
      </p>
      <div class="act fields">
        {field('days', 'Days', 1, 3_650)}
        {field('users', 'Users', 1, 10_000)}
        {field('seed', 'Seed', 0, 2 ** 32 - 1)}
        <Confirmed
          label="Replace with a new history"
          warning={`This replaces everything in the sandbox with ${typed.days} simulated days: users, money, events, faults and all API keys but the first. To be able to undo it, save a point in time first.`}
          onConfirm={() =>
            run('simulate', input, (answer) => `Simulated ${answer['days']} ${answer['days'] === 1 ? 'day' : 'days'}.`)
          }
        />
      </div>
      {simulating && (
        <p>
          <progress max={simulating.days} value={simulating.done} aria-label="Days simulated" /> {simulating.done} of{' '}
          {simulating.days} days{' '}
          <button type="button" onClick={() => run('simulate-stop', {}, 'Stopping after this day.')}>
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
