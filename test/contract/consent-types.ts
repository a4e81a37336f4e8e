import type { Endpoint, RequestOf, RequestWithoutConsent } from '../../src/contract/endpoint.ts';
import { ipAllowlist } from '../../src/contract/endpoints/allowlist.ts';
import { addBankAccount, listBankAccounts, updateBankAccount } from '../../src/contract/endpoints/banks.ts';
import { manageFees } from '../../src/contract/endpoints/fees.ts';
import { enableAutoSigning } from '../../src/contract/endpoints/fx-auto-signing.ts';
import type { Account } from '../../src/engine/account.ts';
import { callCommand } from '../../src/terminal/command.ts';

declare const fee: NonNullable<RequestOf<typeof manageFees>['onrampFee']>;

const command = { words: ['x'], summary: '', examples: [], parameters: {} };

/** What a command cannot do without consent. Nothing runs this: `npm run types` fails once a line below an expected error compiles. */
export const calls = async ({ call }: Pick<Account, 'call'>, any: Endpoint, input: RequestWithoutConsent<Endpoint>) => {
  await call(listBankAccounts, {});
  await call(updateBankAccount, { accountId: 'a', label: 'fees' });
  await call(ipAllowlist, { action: 'list' });
  // @ts-expect-error: the default account needs consent
  await call(updateBankAccount, { accountId: 'a', isDefault: true });
  // @ts-expect-error: so does a new one
  await call(addBankAccount, { accountNumber: '0123456789', bankCode: '000013' });
  // @ts-expect-error: a price needs consent
  await call(manageFees, { onrampFee: fee });
  // @ts-expect-error: every request needs consent
  await call(enableAutoSigning, {});
  // @ts-expect-error: whoever is let in needs consent
  await call(ipAllowlist, { action: 'add', ipAddress: '0.0.0.0/0' });
  // @ts-expect-error: an endpoint that is known only when the command runs may need consent
  await call(any, {});
  await call(any, input);
};

/** Never run either. */
export const commands = () => [
  callCommand(listBankAccounts, { ...command, request: () => ({}) }),
  callCommand(manageFees, { ...command, request: () => ({}), confirms: () => ({ summary: '', lines: [] }) }),
  // @ts-expect-error: it does not say what is asked
  callCommand(manageFees, { ...command, request: () => ({}) }),
];
