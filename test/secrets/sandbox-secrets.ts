import { DatabaseSync } from 'node:sqlite';
import { EXPIRED_KEY } from '../../src/service/values.ts';
import type { Planted } from './search.ts';

/** The secrets that a sandbox generated, read from its file. */
export function sandboxSecrets(path: string): Planted[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const column = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .flatMap((row) => Object.values(row).map(String));
  const found = [
    // A documented test value, which is part of the program, is no secret.
    ...column('SELECT key FROM api_key').filter((key) => key !== EXPIRED_KEY),
    ...column('SELECT aes_key FROM fintech'),
    ...column('SELECT embedded_api_key, platform_secret_key, bvn_digest_key FROM setting'),
  ];
  database.close();
  return found.map((text) => ({ what: 'a key of the embedded sandbox', text, kinds: ['sandbox secret'] }));
}
