import type { TestSandbox } from '../../support/sandbox.ts';

/** What another sandbox may have of its own: keys, settings, and counters of requests. */
const OWN = ['setting', 'api_key', 'rate_window'];

/** Every row of every table, as text; the ids and secrets of the accounts themselves by their place. */
export function dumpOf({ service: { store } }: Pick<TestSandbox, 'service'>): string {
  const tables = store
    .all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .map(({ name }) => name)
    .filter((name) => !OWN.includes(name));
  const text = tables
    .flatMap((table) =>
      store
        .all(`SELECT * FROM ${table}`)
        .map(
          (row) =>
            `${table} ${JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value))}`,
        ),
    )
    .join('\n');
  const secrets = store
    .all<{ fintech_id: string; aes_key: string }>('SELECT fintech_id, aes_key FROM fintech ORDER BY id')
    .flatMap(({ fintech_id, aes_key }) => [fintech_id, aes_key]);
  const digests = store
    .all<{ bvn_digest: string }>('SELECT bvn_digest FROM onboarding ORDER BY id')
    .map(({ bvn_digest }) => bvn_digest);
  const own = [...secrets, ...digests.filter((digest) => !digest.startsWith('failed/'))];
  return own.reduce((all, secret, place) => all.replaceAll(secret, `#${place}`), text);
}
