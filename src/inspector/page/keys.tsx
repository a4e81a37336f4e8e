import { useEffect, useRef } from 'preact/hooks';
import { goTo, routeOf } from './route.tsx';

const KEYS = [
  [['1', '…', '9'], 'go to a pane'],
  [['/'], 'go to the search'],
  [['↑', '↓', 'j', 'k'], 'go to another row; if its details are open, they change with it'],
  [['Page Up', 'Page Down', 'Home', 'End'], 'move further in a list'],
  [['Enter'], 'open a row'],
  [['Escape'], 'close what is open, or leave a field'],
  [['c'], 'copy the ID of the active row'],
  [['?'], 'list these keys'],
] as const;

const DIALOG = 'keys';

const dialog = () => document.querySelector<HTMLDialogElement>(`#${DIALOG}`);

/** The keys of the page. What had the focus has it again afterwards. */
export function Keys() {
  return (
    <>
      <button type="button" class="small" onClick={() => dialog()?.showModal()}>
        <kbd>?</kbd> Keys
      </button>
      <dialog id={DIALOG} aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <dl>
          {KEYS.map(([keys, does]) => (
            <div>
              <dt>
                {keys.map((key) => (
                  <kbd>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}

/** The list of a pane has the focus once it is there; a pane without one has none. */
function focusList(name: string, framesLeft = 60): void {
  const list = document.querySelector<HTMLElement>(`.list-${name} .rows`);
  if (list) list.focus();
  else if (framesLeft > 0) requestAnimationFrame(() => focusList(name, framesLeft - 1));
}

const isTypedInto = (target: EventTarget | null) =>
  target instanceof Element && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);

function leave(target: EventTarget | null): void {
  const route = routeOf(location.hash);
  if (isTypedInto(target)) (target as HTMLElement).blur();
  else if (route.id) {
    goTo({ ...route, id: '' });
    document.querySelector<HTMLElement>('.rows')?.focus();
  }
}

/** What a key does wherever the focus is; false for a key that does nothing there. */
function pressed(key: string, panes: readonly string[]): boolean {
  const name = panes[Number(key) - 1];
  if (name !== undefined) {
    goTo({ pane: name });
    focusList(name);
  } else if (key === '/') document.querySelector<HTMLElement>('#search')?.focus();
  else if (key === '?') dialog()?.showModal();
  else if (key === 'j' || key === 'k') {
    // From the details, too: the list may be beside them, or behind them.
    const list = document.querySelector('.rows');
    if (!list || list === document.activeElement) return false;
    list.dispatchEvent(new KeyboardEvent('keydown', { key }));
  } else return false;
  return true;
}

/** 1 to 9 go to a pane, / to the search, ? lists the keys, Escape closes what is open. An open dialog has all keys. */
export function useKeys(panes: readonly string[]) {
  const names = useRef(panes);
  names.current = panes;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (document.querySelector('dialog[open]')) return;
      if (event.key === 'Escape') leave(event.target);
      if (isTypedInto(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (pressed(event.key, names.current)) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
