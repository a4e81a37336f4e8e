import { type About, useRead } from './api.tsx';
import { LISTS } from './lists.tsx';
import { AccountName, type AccountNamed, Sum } from './postings.tsx';
import { hrefOf } from './route.tsx';
import { plain, State, Time, Wide } from './text.tsx';

interface PaneProps {
  readonly about: About;
  readonly version: string;
}

/** What is said while a document is read, or if it cannot be. */
const waiting = (problem: string | undefined) => <p class="note empty">{problem ? plain(problem) : 'Reading…'}</p>;

interface Balances {
  readonly asset: string;
  readonly sum: string;
  readonly isZero: boolean;
  readonly others: string | null;
  readonly accounts: readonly (AccountNamed & { readonly balance: string })[];
}

export function BalancesPane({ version }: PaneProps) {
  const { value, problem } = useRead<readonly Balances[]>('/api/documents/balances', version);
  if (!value) return waiting(problem);
  return (
    <div class="cards of-accounts">
      {value.map(({ asset, accounts, others, sum, isZero }) => (
        <section class="card">
          <h2>{asset === 'CNGN' ? 'cNGN' : plain(asset)}</h2>
          <Wide label={`Balances in ${asset}`}>
            <table>
              <thead>
                <tr>
                  <th scope="col">Account</th>
                  <th scope="col" class="number">
                    Balance
                  </th>
                </tr>
              </thead>
              <tbody>
                {accounts.map(({ balance, ...account }) => (
                  <tr>
                    <td>
                      <AccountName of={account} />
                    </td>
                    <td class="number">{plain(balance)}</td>
                  </tr>
                ))}
                {others && (
                  <tr>
                    <td>All others</td>
                    <td class="number">{others}</td>
                  </tr>
                )}
              </tbody>
            </table>
          </Wide>
          <p>
            <Sum sum={sum} isZero={isZero} />
          </p>
        </section>
      ))}
    </div>
  );
}

interface Found {
  readonly list: string;
  readonly id: string;
  readonly text: string;
  readonly at?: string | null;
  readonly state?: string | null;
  readonly look?: string | null;
}

const EXAMPLES = [
  'an ID, or its first or last characters',
  'a hash, an address or an account number',
  'a name',
  '₦5,000 or 5000 cngn',
  'any text in a request or an event',
];

function Examples() {
  return (
    <>
      <p>Type into the search above:</p>
      <ul>
        {EXAMPLES.map((each) => (
          <li>{each}</li>
        ))}
      </ul>
    </>
  );
}

/** What has a text, by where it is shown. It is looked for once: it is read through everything there is. */
export function FindPane({ text }: PaneProps & { readonly text: string }) {
  const { value, problem } = useRead<readonly Found[]>(
    text === '' ? undefined : `/api/find?${new URLSearchParams({ text })}`,
    '',
  );
  if (text === '')
    return (
      <section class="found">
        <Examples />
      </section>
    );
  if (!value) return waiting(problem);
  const lists = [...new Set(value.map(({ list }) => list))];
  return (
    <section class="found">
      <h2>
        {value.length === 0 ? 'No results for' : 'Results for'} “{plain(text)}”
      </h2>
      {value.length === 0 && <Examples />}
      {lists.map((name) => (
        <section>
          <h3>{LISTS[name]?.title ?? plain(name)}</h3>
          <ul class="results">
            {value
              .filter(({ list }) => list === name)
              .map(({ list, id, text: said, at, state, look }) => (
                <li>
                  <span>{at && <Time at={at} />}</span>
                  <a href={hrefOf({ pane: list, id })}>{plain(said)}</a>
                  <span>{state && <State of={state} look={look} />}</span>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </section>
  );
}
