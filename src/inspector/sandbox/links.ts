import { MACHINES } from '../../service/machines.ts';
import type { Service } from '../../service/service.ts';
import type { Database } from '../../sqlite/database.ts';
import type { LinksTo } from '../source.ts';
import { idColumnOf } from './work-columns.ts';

type Target = LinksTo[string];

/** Machines whose table has a hash, which no index has. */
const HASHED = MACHINES.filter(({ schema, table }) =>
  new RegExp(`CREATE TABLE ${table} \\([^;]*\\btx_hash\\b`).test(schema),
);

const MOST_HASHES = 1_000;

/** Returns what finds where ids, addresses, account numbers and hashes lead. */
export function linksIn(service: Service): (texts: readonly string[]) => Promise<LinksTo> {
  const hashes = new Map<string, Target>();
  const find = (store: Database, text: string) => workWith(store, text) ?? userWith(store, text) ?? hashed(store, text);
  const hashed = (store: Database, text: string) => {
    if (!/^0x[0-9a-f]{64}$/i.test(text)) return undefined;
    const known = hashes.get(text);
    // Another state may have been restored.
    if (known && workWith(store, known.id)) return known;
    const found = workWithHash(store, text);
    if (found) hashes.set(text, found);
    for (const oldest of hashes.keys()) if (hashes.size > MOST_HASHES) hashes.delete(oldest);
    return found;
  };
  return (texts) =>
    service.submit('read', ({ store }) =>
      Object.fromEntries(
        texts.flatMap((text) => {
          const to = find(store, text);
          return to ? [[text, to]] : [];
        }),
      ),
    );
}

function workWith(store: Database, id: string): Target | undefined {
  const all = MACHINES.map((machine) => `SELECT 1 AS n FROM ${machine.table} WHERE ${idColumnOf(machine)} = ?1`);
  return store.get(`${all.join(' UNION ALL ')} LIMIT 1`, id) ? { list: 'work', id } : undefined;
}

function workWithHash(store: Database, hash: string): Target | undefined {
  const all = HASHED.map((machine) => `SELECT ${idColumnOf(machine)} AS id FROM ${machine.table} WHERE tx_hash = ?1`);
  const found = store.get<{ id: string }>(`${all.join(' UNION ALL ')} LIMIT 1`, hash);
  return found && { list: 'work', id: found.id };
}

/** The user with this id, or whose wallet or account to pay into it is. */
function userWith(store: Database, text: string): Target | undefined {
  const found = store.get<{ id: string }>(
    `SELECT user_id AS id FROM user WHERE user_id = ?1
     UNION ALL SELECT user_id FROM user JOIN wallet ON wallet.user = user.id WHERE address = ?2
     UNION ALL SELECT user_id FROM user JOIN virtual_account ON virtual_account.user = user.id WHERE number = ?1 LIMIT 1`,
    text,
    text.startsWith('0x') ? text.toLowerCase() : text,
  );
  return found && { list: 'users', id: found.id };
}
