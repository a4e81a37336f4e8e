import { Component, type ComponentChildren, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CopyPane } from './account.tsx';
import { Busy } from './actions.tsx';
import { type About, get, post, Refused, useFeed, useRead } from './api.tsx';
import { BookPane } from './book.tsx';
import { ChartsPane } from './charts.tsx';
import { ClockPane } from './clock.tsx';
import { DETAILS } from './details.tsx';
import { FilterBar } from './filters.tsx';
import { Keys, keyOfPane, useFocus, useKeys } from './keys.tsx';
import { List } from './list.tsx';
import { LISTS } from './lists.tsx';
import { NowPane } from './now.tsx';
import { BalancesPane, FindPane } from './panes.tsx';
import { AddPoint } from './points.tsx';
import { goTo, hrefOf, type Route, useRoute } from './route.tsx';
import { Links, plain, shortId, shownZone, showTimesIn, Time } from './text.tsx';

const DOCUMENTS = {
  now: { title: 'Now', pane: NowPane },
  charts: { title: 'Charts', pane: ChartsPane },
  copy: { title: 'Local copy', pane: CopyPane },
  balances: { title: 'Balances', pane: BalancesPane },
  book: { title: 'Order book', pane: BookPane },
  clock: { title: 'Controls', pane: ClockPane },
} as const;

const isDocument = (name: string): name is keyof typeof DOCUMENTS => Object.hasOwn(DOCUMENTS, name);

const panesOf = ({ lists, documents }: About) => [
  ...(documents.includes('now') ? [{ name: 'now', title: DOCUMENTS.now.title }] : []),
  ...lists.flatMap((name) => (LISTS[name] ? [{ name, title: LISTS[name].title }] : [])),
  ...documents.flatMap((name) => (isDocument(name) && name !== 'now' ? [{ name, title: DOCUMENTS[name].title }] : [])),
];

/** Exchanges the token of the address for a session, and takes it out of the address. */
async function enter(): Promise<About> {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token !== undefined) {
    history.replaceState(null, '', '/');
    // A tab that has a session already needs no other one.
    await post('/enter', { token }).catch(() => {});
  }
  return get<About>('/api/about');
}

function App() {
  const [about, setAbout] = useState<About>();
  const [problem, setProblem] = useState<string>();
  const route = useRoute();
  const feed = useFeed(about !== undefined);
  const hasClock = about?.documents.includes('clock') ?? false;
  const { value: clock } = useRead<ClockDocument>(hasClock ? '/api/documents/clock' : undefined, feed.version);
  useEffect(() => {
    enter().then(shown, (error: Error) => setProblem(saidOf(error)));
  }, []);
  const shown = (read: About) => {
    showTimesIn(read.zone);
    setAbout(read);
  };
  const panes = about ? panesOf(about) : [];
  useEffect(() => {
    // On a narrow screen, not all of them are seen.
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [about, route.pane]);
  useKeys(panes.map(({ name }) => name));
  useFocus(route);
  useEffect(() => {
    if (!about) return;
    const title = panes.find(({ name }) => name === route.pane)?.title ?? panes[0]?.title ?? '';
    const what = route.pane === 'find' ? `Find ${route.text}` : route.id ? `${title} ${shortId(route.id)}` : title;
    document.title = plain(`${what} · ${about.title} · fiatrail`);
  }, [about, route]);
  if (!about) return <main class="alone">{problem ? <p role="alert">{problem}</p> : <p>Opening…</p>}</main>;
  const pane =
    route.pane === 'find' || panes.some(({ name }) => name === route.pane) ? route.pane : (panes[0]?.name ?? '');
  return (
    <>
      <header>
        <h1>
          fiatrail <span>{plain(about.title)}</span>
        </h1>
        <Search text={route.pane === 'find' ? route.text : ''} />
        {about.actions.includes('save') && <Save />}
        <Clock now={clock?.now} />
        <Keys />
        <span class={`live ${feed.isLive ? 'on' : ''} ${feed.isLost ? 'lost' : ''}`} role="status">
          {feed.isLost
            ? '○ Not connected; is its command still running?'
            : !feed.isLive
              ? '○ Connecting'
              : about.title.endsWith('(saved)')
                ? 'Saved'
                : '● Live'}
        </span>
      </header>
      <nav aria-label="Panes">
        {panes.map(({ name, title }, at) => (
          <a
            href={hrefOf({ pane: name })}
            aria-current={name === pane ? 'page' : undefined}
            title={`Key ${keyOfPane(at) ?? '—'}`}
          >
            {title}
          </a>
        ))}
      </nav>
      {about.saved && (
        <aside class="notice">
          A session saved at <Time at={about.saved.at} />. {plain(about.saved.notice)}
        </aside>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <main tabIndex={0}>
        <Busy.Provider value={(clock?.simulating ?? null) !== null}>
          <Fence key={pane}>
            <Pane route={{ ...route, pane }} about={about} version={feed.version} />
          </Fence>
        </Busy.Provider>
      </main>
    </>
  );
}

/** Saves the session to the file that the command was given. */
function Save() {
  const [said, setSaid] = useState('');
  const save = () =>
    post('/api/actions/save', {}).then(
      () => setSaid('Saved'),
      (error: Error) => setSaid(error.message),
    );
  return (
    <span>
      <button type="button" onClick={save}>
        Save session
      </button>{' '}
      <span role="status">{plain(said)}</span>
    </span>
  );
}

/** What cannot be shown, such as a row of a file that was put together by hand, leaves the rest of the page as it is. */
class Fence extends Component<{ readonly children: ComponentChildren }, { readonly isBroken: boolean }> {
  static override getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    return this.state.isBroken ? <p role="alert">This cannot be shown.</p> : this.props.children;
  }
}

function saidOf(error: Error): string {
  if (error instanceof Refused && error.status === 401)
    return 'This link has already been used, or its session has ended. Run the command again and open the link that it prints.';
  return error.message;
}

function Search({ text }: { readonly text: string }) {
  const submit = (event: Event) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget as HTMLFormElement).get('text');
    goTo({ pane: 'find', text: String(typed ?? '') });
    // Tab goes to what is found.
    document.querySelector('main')?.focus();
  };
  return (
    <search>
      <form onSubmit={submit}>
        <label for="search" class="unseen">
          Find
        </label>
        <input
          id="search"
          key={text}
          name="text"
          type="search"
          placeholder="Find an ID, hash, account, name or amount ( / )"
          defaultValue={text}
          autocomplete="off"
        />
      </form>
    </search>
  );
}

interface PaneProps {
  readonly route: Route;
  readonly about: About;
  readonly version: string;
}

function Pane({ route, about, version }: PaneProps) {
  if (route.pane === 'find') return <FindPane text={route.text} about={about} version={version} />;
  if (isDocument(route.pane)) {
    const { pane: Document } = DOCUMENTS[route.pane];
    return <Document {...{ about, version, route }} />;
  }
  return <ListPane key={route.pane} route={route} about={about} version={version} />;
}

function ListPane({ route, about, version }: PaneProps) {
  const { pane, id } = route;
  const { columns = [], empty } = LISTS[pane] ?? {};
  const todo = empty?.[about.documents.includes('clock') ? 'sandbox' : 'account'] ?? '';
  return (
    <div class={`split ${id ? 'open' : ''}`}>
      <div class="side">
        {pane === 'points' ? <AddPoint about={about} /> : <FilterBar route={route} about={about} />}
        <List
          name={pane}
          {...{ columns, filters: route, version, empty: todo }}
          selected={id}
          onSelect={(chosen, isReplacing) => goTo({ ...route, id: chosen }, isReplacing)}
        />
      </div>
      {id && (
        <Fence key={id}>
          <Detail pane={pane} id={id} about={about} version={version} onClose={() => goTo({ ...route, id: '' })} />
        </Fence>
      )}
    </div>
  );
}

interface ClockDocument {
  readonly now: string;
  readonly simulating: object | null;
}

/** The zone of all times on the page, and the sandbox's time where it has its own. */
function Clock({ now }: { readonly now: string | undefined }) {
  return (
    <span class="zone">
      {now && (
        <>
          Sandbox time <Time at={now} /> ·{' '}
        </>
      )}
      Times in {shownZone()}
    </span>
  );
}

interface DetailProps {
  readonly pane: string;
  readonly id: string;
  readonly about: About;
  readonly version: string;
  onClose(): void;
}

function Detail({ pane, id, about, version, onClose }: DetailProps) {
  // A request never changes once it was answered.
  const { value, problem } = useRead<{ readonly links?: Record<string, { list: string; id: string }> }>(
    `/api/lists/${pane}/${encodeURIComponent(id)}`,
    pane === 'requests' ? '' : version,
  );
  const Shown = DETAILS[pane];
  return (
    <article class="detail" aria-label="Details" tabIndex={-1}>
      <button type="button" class="close" onClick={onClose}>
        <span aria-hidden="true">✕</span> Close
      </button>
      {value && Shown ? (
        <Links.Provider value={value.links ?? {}}>
          <Shown detail={value as never} about={about} />
        </Links.Provider>
      ) : (
        <p class="note">{problem ? plain(problem) : 'Reading…'}</p>
      )}
    </article>
  );
}

const root = document.querySelector('#page');
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
