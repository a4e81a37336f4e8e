import { balanceUser } from '../../../contract/endpoints/balances.ts';
import type { Account } from '../../../engine/account.ts';
import { pacer } from '../../../engine/lists/pages.ts';
import { isUncertain } from '../../../engine/plans/line.ts';
import { balanceIn } from '../../../engine/previews/balances.ts';
import { type Asset, amount, TOKENS } from '../../../money/amount.ts';
import { atLeast, type Figure } from '../../../money/figure.ts';
import { insertion, replacing } from '../../../store/table.ts';
import type { LocalCopy } from '../../database.ts';
import { OWED } from '../../schema.ts';
import { because } from '../reasons.ts';

/** A balance that was read so recently counts as it is. */
const FRESH_MS = 86_400_000;

/** What the users' wallets hold together. */
interface Owed {
  readonly users: number;
  /** How many of them the service did not say a balance of. */
  readonly unknown: number;
  /** When the oldest of the balances was read. */
  readonly oldest: string | null;
  /** Of users whose balances are known, it is at least the sum of theirs. */
  readonly owed: readonly { readonly asset: Asset; readonly amount: Figure; readonly users: number }[];
}

/** Reads what each user holds, unless it was read in the last day, and adds it up. Rejects with CliError; what was read is saved. */
export async function owedTo(account: Account, copy: LocalCopy): Promise<Owed> {
  const { clock } = account.world;
  const freshAt = new Date(clock.now() - FRESH_MS).toISOString();
  const users = await copy.read((queries) =>
    queries.all<{ id: string }>(
      `SELECT id FROM stored_users WHERE deleted_at IS NULL AND digest IS NOT NULL
         AND (SELECT count(*) FROM stored_owed o WHERE o.user_id = stored_users.id AND o.at > ?) < ? ORDER BY id`,
      freshAt,
      TOKENS.length,
    ),
  );
  const wait = pacer(account, balanceUser);
  for (const [index, { id }] of users.entries()) {
    for (const token of TOKENS) {
      await wait();
      const { data } = await account.call(balanceUser, { userId: id, token });
      const found = balanceIn(data.totalBalance, token, [data]);
      const held = isUncertain(found) ? undefined : found;
      const at = new Date(clock.now()).toISOString();
      const row = { user_id: id, asset: token, minor: held?.minor, at };
      await copy.write((queries) => queries.run(...insertion(OWED, [row], replacing(OWED, ['minor', 'at']))));
    }
    await account.notices.progress.rows(index + 1, users.length, 'users');
  }
  await account.notices.progress.end();
  return copy.read(async (queries) => {
    const rows = await queries.all<{ asset: Asset; minor: bigint | null; unknown: bigint; n: bigint; oldest: string }>(
      `SELECT asset, sum(minor) AS minor, count(*) - count(minor) AS unknown, sum(CASE WHEN minor > 0 THEN 1 ELSE 0 END) AS n, min(o.at) AS oldest
       FROM stored_owed o JOIN stored_users u ON u.id = o.user_id AND u.deleted_at IS NULL GROUP BY asset ORDER BY asset`,
    );
    const all = await queries.get<{ n: bigint; unknown: bigint }>(
      `SELECT count(DISTINCT user_id) AS n, count(DISTINCT CASE WHEN minor IS NULL THEN user_id END) AS unknown
       FROM stored_owed o JOIN stored_users u ON u.id = o.user_id AND u.deleted_at IS NULL`,
    );
    const times = rows.map(({ oldest }) => oldest).sort();
    return {
      users: Number(all?.n ?? 0n),
      unknown: Number(all?.unknown ?? 0n),
      oldest: times[0] ?? null,
      owed: rows.map(({ asset, minor, unknown, n }) => ({
        asset,
        amount:
          unknown > 0n
            ? atLeast(asset, minor ?? 0n, because('NOT_STATED', null, Number(unknown)))
            : amount(asset, minor ?? 0n),
        users: Number(n),
      })),
    };
  });
}
