import { useContext, useState } from 'preact/hooks';
import { Busy, Field, Said, useAction } from './actions.tsx';
import type { About } from './api.tsx';

/** A payment that can be made with a control of the sandbox. */
export interface Payment {
  readonly action: string;
  readonly isExact: boolean;
  readonly input: Readonly<Record<string, string>>;
}

const TITLES: Readonly<Record<string, string>> = {
  ...{ accountNumber: 'Into account', amount: 'Amount', senderName: 'Sender’s name at the bank' },
  ...{ address: 'To address', asset: 'Token', network: 'Network', from: 'From address' },
};

const outcomeOf = ({ outcome, reason }: Readonly<Record<string, unknown>>) =>
  typeof reason === 'string' ? `${outcome}: ${reason.replaceAll('_', ' ')}` : String(outcome);

/** Pays what something waits for. What must be so is filled in, and can be changed to see what happens then. */
export function Pay({ of: { action, isExact, input }, about }: { readonly of: Payment; readonly about: About }) {
  const [typed, setTyped] = useState(input);
  const [said, run] = useAction();
  const isBusy = useContext(Busy);
  if (!about.actions.includes(action)) return null;
  const pay = (event: Event) => {
    event.preventDefault();
    run(action, typed, outcomeOf);
  };
  return (
    <section class="control">
      <h3>{action === 'pay' ? 'Pay' : 'Send the tokens'}</h3>
      <form onSubmit={pay}>
        {Object.keys(input).map((name) => (
          <Field title={TITLES[name] ?? name}>
            {(id) => (
              <input
                id={id}
                required
                class={name === 'amount' ? 'number' : ''}
                value={typed[name]}
                onInput={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
              />
            )}
          </Field>
        ))}
        <button type="submit" disabled={isBusy}>
          {action === 'pay' ? 'Pay' : 'Send'}
        </button>
      </form>
      <p class="note">
        {isExact ? 'Only this exact amount is accepted; any other is sent back. ' : ''}
        <Said text={said} />
      </p>
    </section>
  );
}
