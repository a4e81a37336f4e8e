import { type About, useRead } from './api.tsx';
import { hrefOf, type Route } from './route.tsx';
import { plain, State, shortId, Time, Wide } from './text.tsx';

interface Level {
  readonly price: string;
  readonly withSpread: string | null;
  readonly amount: string;
  readonly depth: string;
  readonly share: number;
  readonly isOwn: boolean;
}

interface Side {
  readonly title: string;
  readonly orders: number;
  readonly best: string | null;
  readonly total: string;
  readonly levels: readonly Level[];
  readonly more: number;
}

interface OwnOrder {
  readonly id: string;
  readonly side: string;
  readonly price: string;
  readonly min: string | null;
  readonly max: string | null;
  readonly status: string;
  readonly look: string;
  readonly at: string | null;
  readonly list?: string;
}

interface Pair {
  readonly pair: string;
  readonly unit: string;
  readonly spread: string;
  readonly buying: Side;
  readonly selling: Side;
  readonly own: readonly OwnOrder[];
}

interface Book {
  readonly isWhole: boolean;
  readonly asOf: string | null;
  readonly pairs: readonly Pair[];
}

interface PaneProps {
  readonly about: About;
  readonly version: string;
  readonly route: Route;
}

/** The order books: of the pair that the address names, or of all. */
export function BookPane({ version, route: { id } }: PaneProps) {
  const { value, problem } = useRead<Book>('/api/documents/book', version);
  if (!value) return <p class="note empty">{problem ? plain(problem) : 'Reading…'}</p>;
  const { isWhole, asOf, pairs } = value;
  if (!isWhole && asOf === null)
    return (
      <p class="note empty">
        The account’s own orders have not been copied yet. Run <code>fiatrail sync</code>. To see what others offer, run{' '}
        <code>fiatrail fx book {plain(pairs[0]?.pair ?? '')}</code>.
      </p>
    );
  const shown = pairs.filter(({ pair }) => pair === id);
  return (
    <div class="books">
      {!isWhole && (
        <p class="note">
          The account’s own orders, as of <Time at={asOf} />. To see what others offer, run{' '}
          <code>fiatrail fx book {plain(pairs[0]?.pair ?? '')}</code>.
        </p>
      )}
      {(shown.length > 0 ? shown : pairs).map((each) => (
        <PairBook key={each.pair} of={each} isWhole={isWhole} />
      ))}
    </div>
  );
}

function PairBook({ of, isWhole }: { readonly of: Pair; readonly isWhole: boolean }) {
  const { pair, unit, spread, buying, selling, own } = of;
  return (
    <section class="card">
      <h2>
        <a href={hrefOf({ pane: 'book', id: pair })}>{plain(pair)}</a> <span class="note">{plain(unit)}</span>
      </h2>
      {/* What others offer is not known from the account’s own orders. */}
      {isWhole && (
        <dl class="figures">
          <div>
            <dt>Best offer of cNGN</dt>
            <dd>{buying.best === null ? <span class="note">none</span> : plain(buying.best)}</dd>
          </div>
          <div>
            <dt>Spread</dt>
            <dd>{plain(spread)}</dd>
          </div>
          <div>
            <dt>Best offer of the stablecoin</dt>
            <dd>{selling.best === null ? <span class="note">none</span> : plain(selling.best)}</dd>
          </div>
        </dl>
      )}
      <div class="facing">
        <SideTable of={buying} pair={pair} side="buy" />
        <SideTable of={selling} pair={pair} side="sell" />
      </div>
      <OwnOrders of={own} pair={pair} isWhole={isWhole} />
    </section>
  );
}

interface SideProps {
  readonly of: Side;
  readonly pair: string;
  /** The side of an order that adds to it. */
  readonly side: 'buy' | 'sell';
}

/** One side; the best price is in the middle of the page, next to that of the other side. */
function SideTable({ of: { title, orders, total, levels, more }, pair, side }: SideProps) {
  return (
    <section class={`book-side of-${side}`}>
      <h3>{plain(title)}</h3>
      {levels.length === 0 ? (
        <p class="note">
          No orders. To add one, run{' '}
          <code>
            fiatrail fx orders create --pair {plain(pair)} --side {side} --price PRICE --min AMOUNT --max AMOUNT
          </code>
          .
        </p>
      ) : (
        <Wide label={`${pair}: ${title}`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Price</th>
                <th scope="col">With spread</th>
                <th scope="col">Amount (cNGN)</th>
                <th scope="col">Depth (cNGN)</th>
              </tr>
            </thead>
            <tbody>
              {levels.map(({ price, withSpread, amount, depth, share, isOwn }) => (
                <tr>
                  <th scope="row">
                    {plain(price)} {isOwn && <span class="tag">yours</span>}
                  </th>
                  <td>{withSpread === null ? <span class="note">not known</span> : plain(withSpread)}</td>
                  <td>{plain(amount)}</td>
                  <td class="depth">
                    <svg class="bar" viewBox="0 0 1000 1" preserveAspectRatio="none" aria-hidden="true">
                      <rect x={side === 'buy' ? 1_000 - share : 0} width={share} height="1" />
                    </svg>
                    <span>{plain(depth)}</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Wide>
      )}
      {orders > 0 && (
        <p class="note">
          {orders.toLocaleString('en')} {orders === 1 ? 'order' : 'orders'}, up to {plain(total)} in all
          {more > 0 && `; ${more.toLocaleString('en')} worse prices are not shown`}
        </p>
      )}
    </section>
  );
}

interface OwnProps {
  readonly of: readonly OwnOrder[];
  readonly pair: string;
  readonly isWhole: boolean;
}

function OwnOrders({ of, pair, isWhole }: OwnProps) {
  if (of.length === 0) return isWhole ? <p class="note">The account has no orders here.</p> : null;
  return (
    <>
      <h3>The account’s own orders</h3>
      <Wide label={`${pair}: the account’s own orders`}>
        <table>
          <thead>
            <tr>
              {['Order', 'Status', 'Side', 'Price', 'Min', 'Max', 'Changed'].map((title) => (
                <th scope="col" class={/Price|Min|Max/.test(title) ? 'number' : ''}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {of.map(({ id, list, status, look, side, price, min, max, at }) => (
              <tr>
                <td title={plain(id)}>
                  {list ? <a href={hrefOf({ pane: list, id })}>{shortId(plain(id))}</a> : shortId(plain(id))}
                </td>
                <td>
                  <State of={status} look={look} />
                </td>
                <td>{plain(side)}</td>
                <td class="number">{plain(price)}</td>
                <td class="number">{min === null ? '—' : plain(min)}</td>
                <td class="number">{max === null ? '—' : plain(max)}</td>
                <td>
                  <Time at={at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </>
  );
}
