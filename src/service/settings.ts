import type { Database } from '../sqlite/database.ts';
import { isPaceName, PACES, type Pace } from './pace.ts';

/** What the sandbox remembers of itself. */
export type SettingName =
  | 'clock_offset_ms'
  | 'pace'
  | 'rate_limits'
  | 'bvn_digest_key'
  | 'embedded_api_key'
  | 'first_fintech';

export function setting(store: Database, name: SettingName): string {
  const row = store.get<{ value: string }>('SELECT value FROM setting WHERE name = ?', name);
  if (!row) throw new Error(`the sandbox has no setting ${name}`);
  return row.value;
}

export function setSetting(store: Database, name: SettingName, value: string): void {
  store.run(
    'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    name,
    value,
  );
}

export function paceOf(store: Database): Pace {
  const name = setting(store, 'pace');
  return PACES[isPaceName(name) ? name : 'quick'];
}
