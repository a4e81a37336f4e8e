import type { About } from './api.tsx';
import { Facts } from './facts.tsx';
import { Pay, type Payment } from './pay.tsx';
import { hrefOf } from './route.tsx';
import { CopyId, heading, plain, State, Time, Wide, words } from './text.tsx';

interface UserDetail {
  readonly id: string;
  readonly who: string;
  readonly at: string;
  readonly state: string;
  readonly look: string;
  readonly of: string;
  readonly paidIn: string | null;
  readonly paidOut: string | null;
  readonly open: string;
  readonly wallets: readonly (Readonly<Record<'address' | 'kind', string>> & {
    readonly balances: readonly Readonly<Record<'network' | 'amount', string>>[];
  })[];
  readonly accounts: readonly Readonly<Record<'accountNumber' | 'accountName' | 'kind' | 'status', string>>[];
  readonly work: readonly Readonly<Record<'id' | 'kind' | 'at' | 'state' | 'look' | 'amount', string>>[];
  readonly pays?: Payment;
  /** Where the work is listed. */
  readonly list?: string;
  /** What the wallets hold together, and when that was read. */
  readonly holds?: readonly Readonly<Record<'amount' | 'at', string>>[];
}

/** A user: wallets, accounts to pay into, and the latest work. */
export function UserDetails({ detail: of, about }: { readonly detail: UserDetail; readonly about: About }) {
  const { list = 'work', holds = [] } = of;
  return (
    <>
      <h2>{plain(of.who)}</h2>
      <p class="lead">
        <State of={of.state} look={of.look} />
      </p>
      <p class="act">
        <CopyId text={of.id} label="Copy ID" /> <code>{plain(of.id)}</code>
      </p>
      {of.work.length > 0 && (
        <p>
          <a href={hrefOf({ pane: list, user: of.id })}>All work of {plain(of.who)}</a>
        </p>
      )}
      <Facts
        of={[
          ['Account', of.of],
          ['Since', <Time at={of.at} />],
          ['Paid in', of.paidIn],
          ['Paid out', of.paidOut],
          ['Open', of.open],
        ]}
      />
      {of.pays && <Pay key={of.id} of={of.pays} about={about} />}
      <h3>Wallets</h3>
      {of.wallets.length === 0 && <p class="note">This user has no wallet.</p>}
      <ul class="belongings">
        {holds.map(({ amount, at }) => (
          <li>
            <span class="money">{plain(amount)}</span> <span class="note">in all, as of</span> <Time at={at} />
          </li>
        ))}
        {of.wallets.map(({ address, kind, balances }) => (
          <li>
            <code>{plain(address)}</code> <span class="note">{plain(kind)}</span>
            {balances.map(({ network, amount }) => (
              <div class="held">
                <span class="money">{plain(amount)}</span> on {plain(network)}
              </div>
            ))}
          </li>
        ))}
      </ul>
      <h3>Accounts to pay into</h3>
      <ul class="belongings">
        {of.accounts.map(({ accountNumber, accountName, kind, status }) => (
          <li>
            <code>{plain(accountNumber)}</code> {plain(accountName)}{' '}
            <span class="note">{[kind, status].filter(Boolean).map(words).join(', ')}</span>
          </li>
        ))}
      </ul>
      <h3>Latest work</h3>
      {of.work.length === 0 && <p class="note">No work yet.</p>}
      <Wide label="Latest work">
        <table>
          <tbody>
            {of.work.map((each) => (
              <tr>
                <td>
                  <Time at={each.at} />
                </td>
                <td>
                  <a href={hrefOf({ pane: list, id: each.id })}>{heading(words(each.kind))}</a>
                </td>
                <td class="number">{plain(each.amount ?? '')}</td>
                <td>
                  <State of={each.state} look={each.look} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </>
  );
}
