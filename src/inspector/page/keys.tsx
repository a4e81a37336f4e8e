import { useEffect, useRef } from 'preact/hooks';
import { goTo, type Route, routeOf } from './route.tsx';

const KEYS = [
  [['1', '…', '9', '0'], 'go to a pane; 0 is the tenth'],
  [['/'], 'go to the search'],
  [['f'], 'go to the filters of a list'],
  [['↑', '↓', 'j', 'k'], 'go to the next or previous row; open details follow'],
  [['Page Up', 'Page Down', 'Home', 'End'], 'move further in a list'],
  [['Enter'], 'open a row'],
  [['Escape'], 'close what is open, or leave a field'],
  [['c'], 'copy the ID of the active row'],
  [['?'], 'list these keys'],
] as const;

/** The key of a pane, which only the first ten have. */
export const keyOfPane = (at: number): string | undefined => '1234567890'[at];

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

/** The list of a pane has the focus once it is there; until then, and in a pane without one, Tab goes to the first link of the page. */
function focusPane(name: string): void {
  document.querySelector('main')?.focus();
  focusOnce('.rows', (list) => list.closest('.list')?.classList.contains(`list-${name}`) === true);
}

/** Gives something the focus once it is there. An address may name anything, so that no part of it is a selector. */
function focusOnce(selector: string, isIt: (found: Element) => boolean = () => true, framesLeft = 60): void {
  const found = document.querySelector<HTMLElement>(selector);
  if (found && isIt(found)) found.focus();
  else if (framesLeft > 0) requestAnimationFrame(() => focusOnce(selector, isIt, framesLeft - 1));
}

/** Whoever follows a link goes on by the keyboard from where it leads: its link is no longer on the page. */
export function useFocus({ pane, id }: Pick<Route, 'pane' | 'id'>): void {
  const isFirst = useRef(true);
  useEffect(() => {
    const wasFirst = isFirst.current;
    isFirst.current = false;
    if (wasFirst || document.activeElement !== document.body) return;
    if (id === '') focusPane(pane);
    else focusOnce('.detail');
  }, [pane, id]);
}

const isTypedInto = (target: EventTarget | null) =>
  target instanceof Element && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);

function leave(target: EventTarget | null): void {
  const route = routeOf(location.hash);
  if (isTypedInto(target)) {
    (target as HTMLElement).blur();
    // The keys of a list work at once after its filters.
    document.querySelector<HTMLElement>('.rows')?.focus();
  } else if (route.id) {
    goTo({ ...route, id: '' });
    document.querySelector<HTMLElement>('.rows')?.focus();
  }
}

/** What a key does wherever the focus is; false for a key that does nothing there. */
function pressed(key: string, panes: readonly string[]): boolean {
  const name = panes.find((_, at) => keyOfPane(at) === key);
  if (name !== undefined) {
    goTo({ pane: name });
    focusPane(name);
  } else if (key === '/') document.querySelector<HTMLElement>('#search')?.focus();
  else if (key === 'f') document.querySelector<HTMLElement>('.filters input')?.focus();
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
