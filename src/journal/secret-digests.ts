import { NO_DIGEST } from './claims.ts';

/** The endpoints of which earlier versions recorded the digest of a secret. */
export const SECRET_ENDPOINTS: readonly string[] = ['users.onboard'];

/**
 * Removes the input digests from which the secrets of earlier versions can be computed: runs one statement, in both engines' SQL. The chain
 * covers these digests, so hashes from the first of these operations on allow guesses as well, as long as they stay. SQLite keeps removed text in its file until VACUUM.
 */
export function withoutSecretDigests<T>(run: (sql: string) => T): T {
  const ids = SECRET_ENDPOINTS.map((id) => `'${id}'`).join(', ');
  return run(
    `UPDATE operation SET input_digest = '${NO_DIGEST}' WHERE endpoint IN (${ids}) AND input_digest <> '${NO_DIGEST}'`,
  );
}

/** What an upgrade says that removed the digests of some onboardings. */
export function removedText(count: number): string {
  const whose = count === 1 ? 'the BVN of 1 onboarding' : `the BVNs of ${count} onboardings`;
  return `the journal no longer has digests from which ${whose} can be computed. Its older copies still do: delete the backups and exports that you do not need, also those that an upgrade made beside it`;
}
