import { INBOX_URL } from '../../src/contract/sandbox.ts';
import type { Home } from '../support/built.ts';
import { fiatrailJson, must } from '../support/in-process.ts';

export const SENDER = 'IFEOMA BOLAJI OBI';

/** What an account did that has a journal, an inbox and a local copy. */
export interface SampleAccount {
  readonly user: string;
  readonly onramp: string;
  readonly account: string;
}

/** Does some work in the embedded sandbox on two days, and copies it. `sender` is the name of whoever paid. */
export async function sampleAccount(home: Home, sender = SENDER): Promise<SampleAccount> {
  const json = async (argv: readonly string[], stdin = '') =>
    (await fiatrailJson(home, [...argv, '-q'], { stdin })) as Readonly<Record<string, string>>;
  await must(home, ['sandbox', 'seed', '--pace', 'instant', '-q']);
  await must(home, ['webhooks', 'set', INBOX_URL, '--new-secret', '--yes', '-q']);
  await must(home, ['sync', '-q']);
  const onboarded = await json(['users', 'onboard', '--bvn-stdin', '--wait'], '22345678901\n');
  const user = String(onboarded['userId']);
  const started = await json(['onramp', 'create', user, '--amount', '5000', '--yes']);
  const [onramp, account] = [String(started['requestId']), String(started['accountNumber'])];
  await json(['sandbox', 'pay', account, '--amount', '5100', '--sender', sender]);
  await json(['onramp', 'status', onramp, '--wait']);
  await json(['bank-accounts', 'add', '--bank-code', '000013', '--account-number', '0000000009', '--yes']);
  // On two days, with the fee of the onramp earned on the first.
  for (const amount of ['2000', '3000']) {
    await json(['payout', 'create', '--amount', amount, '--to', 'default', '--yes']);
    await json(['sync']);
    await json(['sandbox', 'advance', '24h']);
  }
  await json(['sync']);
  return { user, onramp, account };
}
