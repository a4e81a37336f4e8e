import { Sign } from './sign.tsx';
import { plain, Wide } from './text.tsx';

/** An account of the ledger, in words. */
export interface AccountNamed {
  readonly account: string;
  readonly who: string | null;
  readonly is: string;
}

export interface PostingsShown {
  readonly postings: readonly (AccountNamed & Readonly<Record<'asset' | 'amount' | 'after', string>>)[];
  readonly sums: readonly { readonly asset: string; readonly sum: string; readonly isZero: boolean }[];
}

/** Says with a sign and a word that a sum is zero, or that it is not. */
export function Sum({ sum, isZero }: { readonly sum: string; readonly isZero: boolean }) {
  return (
    <span class={`state ${isZero ? 'done' : 'you'}`}>
      <Sign of={isZero ? 'done' : 'you'} /> {isZero ? `Sums to ${plain(sum)}` : `Sums to ${plain(sum)}, not to zero`}
    </span>
  );
}

/** Whose an account is, and its code where the mouse is on it. */
export function AccountName({ of: { account, who, is } }: { readonly of: AccountNamed }) {
  return (
    <span class="account" title={plain(account)}>
      {who && <b>{plain(who)}</b>} {plain(is)}
    </span>
  );
}

/** What a set posts, with the balance that each account had then. */
export function Postings({ of, postings, sums }: PostingsShown & { readonly of: string }) {
  return (
    <Wide label={`Postings of set ${of}`}>
      <table class="postings">
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col" class="number">
              Amount
            </th>
            <th scope="col" class="number">
              Balance after
            </th>
          </tr>
        </thead>
        <tbody>
          {postings.map(({ amount, after, ...account }) => (
            <tr>
              <td>
                <AccountName of={account} />
              </td>
              <td class="number">{plain(amount)}</td>
              <td class="number">{plain(after)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {sums.map(({ asset, sum, isZero }) => (
            <tr>
              <th scope="row">{plain(asset)}</th>
              <td class="number" colSpan={2}>
                <Sum sum={sum} isZero={isZero} />
              </td>
            </tr>
          ))}
        </tfoot>
      </table>
    </Wide>
  );
}
