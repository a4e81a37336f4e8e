import { createContext } from 'preact';
import { useContext, useId, useRef, useState } from 'preact/hooks';
import { post } from './api.tsx';
import { Prose, plain } from './text.tsx';

/** Whether a history is being simulated: nothing else changes the sandbox meanwhile. */
export const Busy = createContext(false);

/** Runs a change, and says how it went. */
export type Run = (
  name: string,
  input: object,
  done: string | ((answer: Readonly<Record<string, unknown>>) => string),
) => void;

export function useAction(): readonly [said: string, run: Run] {
  const [said, setSaid] = useState('');
  const run: Run = (name, input, done) => {
    setSaid('…');
    post(`/api/actions/${name}`, input).then(
      (answer) => setSaid(typeof done === 'string' ? done : done(answer as Readonly<Record<string, unknown>>)),
      (error: Error) => setSaid(error.message),
    );
  };
  return [said, run];
}

/** What a change said, for everyone. */
export const Said = ({ text }: { readonly text: string }) => (
  <span role="status" class="said">
    <Prose text={text} />
  </span>
);

interface FieldProps {
  readonly title: string;
  /** The input, which has this id. */
  readonly children: (id: string) => preact.ComponentChildren;
}

/** An input with its name above it. */
export function Field({ title, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{title}</label>
      {children(id)}
    </div>
  );
}

interface ConfirmedProps {
  readonly label: string;
  /** What is lost. */
  readonly warning: string;
  onConfirm(): void;
}

/** A button for what replaces data: it asks first, and what is asked says what is lost. */
export function Confirmed({ label, warning, onConfirm }: ConfirmedProps) {
  const isBusy = useContext(Busy);
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  const confirm = () => {
    close();
    onConfirm();
  };
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => dialog.current?.showModal()}>
        {label}…
      </button>
      <dialog ref={dialog} aria-label={label} onKeyDown={(event) => event.stopPropagation()}>
        <p>{plain(warning)}</p>
        <p class="act">
          <button type="button" onClick={close}>
            Cancel
          </button>{' '}
          <button type="button" class="danger" onClick={confirm}>
            {label}
          </button>
        </p>
      </dialog>
    </>
  );
}
