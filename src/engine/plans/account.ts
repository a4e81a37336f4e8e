import type { Profile } from '../../account/profile.ts';
import { CliError } from '../../base/errors.ts';
import type { AccountNames } from '../../journal/accounts.ts';
import type { Journal } from '../../journal/interface.ts';
import { shellWord } from '../../present/text.ts';
import type { Plan } from './plan.ts';

interface AccountSession {
  readonly profile: Profile;
  accountNames(): Promise<AccountNames>;
  existingJournal(): Promise<Journal | undefined>;
}

/** Throws CliError usage if a plan is for another account, or for the same one at another address. */
export async function requireAccount(session: AccountSession, { content: { account } }: Plan): Promise<void> {
  const { name, baseUrl } = session.profile;
  if (account.baseUrl === baseUrl && (await isSameAccount(session, account.keyFingerprint))) return;
  const where = account.mode === 'embedded' ? 'the embedded sandbox' : account.baseUrl;
  throw new CliError(
    'usage',
    `the plan is for another account than profile ${name} has: ${account.profile} (${account.mode}) at ${where}, key ${account.keyFingerprint}; nothing was sent`,
    { code: 'OTHER_ACCOUNT', hint: `choose a profile with that account: --profile ${shellWord(account.profile)}` },
  );
}

/** An account is its key, or a key that the journal knows to be of the same account, such as the one before a rotation. */
async function isSameAccount(session: AccountSession, keyFingerprint: string): Promise<boolean> {
  const own = await session.accountNames();
  if (own.keyFingerprint === keyFingerprint) return true;
  const journal = await session.existingJournal();
  if (!journal) return false;
  // Only the key: a profile’s name does not say whose account it is.
  const planned = await journal.accountIds({ keyFingerprint, profile: '', baseUrl: '' });
  const ours = await journal.accountIds({ ...own, profile: '', baseUrl: '' });
  return planned.some((id) => ours.includes(id));
}
