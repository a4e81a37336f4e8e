import { useContext, useState } from 'preact/hooks';
import { Busy, Field, Said, useAction } from './actions.tsx';
import { useRead } from './api.tsx';
import { plain } from './text.tsx';

export interface Fault {
  readonly endpoint: string;
  readonly kind: string;
  readonly name: string | null;
  readonly times: number;
}

interface Target {
  readonly id: string;
  readonly what: string;
  readonly names?: readonly string[];
}

interface Choices {
  readonly kinds: readonly Readonly<Record<'kind' | 'does' | 'on', string>>[];
  readonly targets: Readonly<Record<string, readonly Target[]>>;
}

export function FaultList({ of }: { readonly of: readonly Fault[] }) {
  if (of.length === 0) return <p class="note">No faults are set.</p>;
  return (
    <ul class="belongings">
      {of.map(({ endpoint, kind, name, times }) => (
        <li>
          {plain(kind)} {name && plain(name)} on {plain(endpoint)}, {times} more {times === 1 ? 'time' : 'times'}
        </li>
      ))}
    </ul>
  );
}

const NOTHING = { kind: '', endpoint: '', name: '', times: '1' };

/** Adds a fault: what it does is beside it, and it is chosen from what the sandbox has. */
export function AddFault() {
  const isBusy = useContext(Busy);
  const { value, problem } = useRead<Choices>('/api/documents/fault-choices', '');
  const [typed, setTyped] = useState(NOTHING);
  const [said, run] = useAction();
  if (!value) return <p class="note empty">{problem ? plain(problem) : 'Reading…'}</p>;
  const kind = value.kinds.find((each) => each.kind === typed.kind) ?? value.kinds[0];
  const targets = value.targets[kind?.on ?? ''] ?? [];
  const target = targets.find(({ id }) => id === typed.endpoint) ?? targets[0];
  const names = kind?.kind === 'reject' ? (target?.names ?? []) : [];
  const name = names.includes(typed.name) ? typed.name : (names[0] ?? '');
  const set =
    (field: keyof typeof typed) => (event: { readonly currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      setTyped({ ...typed, [field]: event.currentTarget.value });
  const add = (event: Event) => {
    event.preventDefault();
    const input = { endpoint: target?.id, kind: kind?.kind, name, times: Number(typed.times) };
    run('fault-add', input, `Added: ${kind?.kind} on ${target?.id}.`);
  };
  return (
    <form onSubmit={add}>
      <Field title="Fault">
        {(id) => (
          <select id={id} value={kind?.kind} onChange={set('kind')}>
            {value.kinds.map((each) => (
              <option value={each.kind}>{each.kind}</option>
            ))}
          </select>
        )}
      </Field>
      <Field title="On">
        {(id) => (
          <select id={id} value={target?.id} onChange={set('endpoint')}>
            {targets.map(({ id, what }) => (
              <option value={id}>
                {id}: {what}
              </option>
            ))}
          </select>
        )}
      </Field>
      {names.length > 0 && (
        <Field title="Rejection">
          {(id) => (
            <select id={id} value={name} onChange={set('name')}>
              {names.map((each) => (
                <option value={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field title="Times">
        {(id) => (
          <input id={id} type="number" min="1" max="1000000" required value={typed.times} onInput={set('times')} />
        )}
      </Field>
      <p class="note does">{kind?.does}</p>
      <button type="submit" disabled={isBusy}>
        Add
      </button>
      <button type="button" disabled={isBusy} onClick={() => run('fault-clear', {}, 'Cleared all faults.')}>
        Clear all
      </button>
      <Said text={said} />
    </form>
  );
}
