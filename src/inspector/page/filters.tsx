import { useState } from 'preact/hooks';
import type { About } from './api.tsx';
import { LISTS } from './lists.tsx';
import { type Filters, givenIn, goTo, type Route } from './route.tsx';
import { LOOK_NAMES, plain, Time, words } from './text.tsx';

interface BarProps {
  readonly route: Route;
  readonly about: About;
}

/** What a list is reduced by. All of it is in the address, so that it can be sent to someone. */
export function FilterBar({ route, about }: BarProps) {
  const { pane } = route;
  const [isAll, setAll] = useState(false);
  const [states, kinds] = [LISTS[pane]?.states ?? [], about.kinds[pane] ?? []];
  const has = (name: string) => about.filters[pane]?.includes(name) ?? false;
  const set = (name: keyof Filters) => (event: { readonly currentTarget: HTMLInputElement | HTMLSelectElement }) =>
    goTo({ ...route, [name]: event.currentTarget.value }, true);
  // A status is one of the four looks, or exact. What has kinds has no exact ones, as each kind has its own.
  const isExact = states.length > 0 && route.state !== '';
  const chosen = isExact ? `state ${route.state}` : route.look && `look ${route.look}`;
  const choose = ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }) => {
    const [name = '', value = ''] = currentTarget.value.split(/ (.*)/);
    goTo({ ...route, look: '', ...(states.length > 0 && { state: '' }), ...(name && { [name]: value }) }, true);
  };
  const figure = (name: keyof Filters, title: string) => (
    <label class="of-search rare">
      <span>{title}</span>
      <input type="search" value={route[name]} onInput={set(name)} />
    </label>
  );
  const day = (name: keyof Filters, title: string) =>
    // What a link says to the second is no day.
    route[name].includes('T') ? (
      <p class="given">
        <span>{title}</span>
        <Time at={route[name]} />
      </p>
    ) : (
      <label class="rare">
        <span>{title}</span>
        <input type="date" value={route[name]} onInput={set(name)} />
      </label>
    );
  return (
    <div class={isAll ? 'filters all' : 'filters'}>
      <label class="of-search">
        <span>Filter</span>
        <input type="search" value={route.text} onInput={set('text')} />
      </label>
      {kinds.length > 0 && (
        <label>
          <span>Kind</span>
          <select value={route.state} onChange={set('state')}>
            <option value="">all</option>
            {kinds.map((each) => (
              <option value={each}>{words(each)}</option>
            ))}
          </select>
        </label>
      )}
      {(has('look') || states.length > 0) && (
        <label>
          <span>{LISTS[pane]?.statesTitle ?? 'Status'}</span>
          <select value={chosen} onChange={choose}>
            <option value="">all</option>
            {has('look') && LOOK_NAMES.map(([look, says]) => <option value={`look ${look}`}>{says}</option>)}
            {has('look') && states.length > 0 && <hr />}
            {states.map((each) => (
              <option value={`state ${each}`}>{plain(each)}</option>
            ))}
          </select>
        </label>
      )}
      {has('time') && day('since', 'From')}
      {has('time') && day('until', 'Before')}
      {has('amount') && figure('least', 'At least')}
      {has('amount') && figure('most', 'At most')}
      {has('user') && route.user !== '' && figure('user', 'User')}
      {has('time') && (
        <button type="button" class="small more" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? 'Fewer filters' : 'More filters'}
        </button>
      )}
      {givenIn(route).length > 0 && (
        <button type="button" class="small" onClick={() => goTo({ pane, id: route.id })}>
          Clear filters
        </button>
      )}
    </div>
  );
}
