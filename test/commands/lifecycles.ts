import type { EVENTS } from '../../src/contract/events.ts';
import { INBOX_URL } from '../../src/contract/sandbox.ts';
import { main } from '../../src/main.ts';
import type { FakeWorld } from '../support/world.ts';
import { worldAfter } from '../support/world-after.ts';

const OUTSIDE = '0x52908400098527886e0f7030069857d2e4169ee7';
const BANK = ['--bank-code', '000013', '--account-number'] as const;
/** Payouts to this account fail; see `sandbox status --values`. */
const FAILING_ACCOUNT = '0000000009';

type Json = Readonly<Record<string, unknown>>;

interface InboxEvent {
  readonly id: number;
  readonly event: string;
  readonly eventId: string;
  readonly requestId: string;
  readonly copies: number;
}

export interface Gaps {
  readonly missing: readonly { readonly event: string; readonly kind: string; readonly id: string }[];
  readonly unlisted: readonly { readonly id: number; readonly event: string }[];
}

export interface User {
  readonly userId: string;
  readonly name: string;
  readonly accountNumber: string;
  readonly wallet: string;
}

/** The program with an embedded sandbox whose events go to the inbox. */
export class Account {
  readonly world: FakeWorld;
  private bvns = 0;
  private naira = 0;

  private constructor(world: FakeWorld) {
    this.world = world;
  }

  /** Returns what opens an account that has lived; what it lived is a copy for each. */
  static after(live: (account: Account) => Promise<void>): () => Promise<Account> {
    const open = worldAfter(async (world) => {
      const account = new Account(world);
      await account.run('sandbox', 'seed', '--rate-limits', 'off');
      await account.run('webhooks', 'set', INBOX_URL, '--yes');
      await live(account);
      return account;
    });
    return async () => {
      const { world, made } = await open();
      return Object.assign(new Account(world), { bvns: made.bvns, naira: made.naira });
    };
  }

  static readonly open = Account.after(async () => {});

  /** Runs a command line, which must succeed, and returns its JSON. */
  async run<T = Json>(...words: readonly string[]): Promise<T> {
    const { code, data, error } = await this.tried<T>(...words);
    if (code !== 0) throw new Error(`${words.join(' ')}: exit ${code} ${error}`);
    return data;
  }

  async tried<T = Json>(...words: readonly string[]) {
    const { stdout, stderr } = this.world;
    const before = [stdout.text().length, stderr.text().length] as const;
    const code = await main([...words, '-q', '-o', 'json'], this.world);
    const text = stdout.text().slice(before[0]);
    return { code, data: (text === '' ? undefined : JSON.parse(text)) as T, error: stderr.text().slice(before[1]) };
  }

  /** Ends everything that is under way. */
  async settle(): Promise<void> {
    await this.run('sandbox', 'settle');
  }

  /** Amounts that were not used yet, so that no payment counts as a repetition. */
  private more(least: number): string {
    this.naira += 1;
    return String(least + this.naira);
  }

  inbox(...filter: readonly string[]): Promise<readonly InboxEvent[]> {
    return this.run<{ events: InboxEvent[] }>('webhooks', 'inbox', 'list', '--all', ...filter).then(
      ({ events }) => events,
    );
  }

  /** Every missing event, those too that are closed by what the lists say. The exit code is 0 if all of them are. */
  async gaps(...words: readonly string[]): Promise<Gaps & { readonly code: number }> {
    const { code, data, error } = await this.tried<Gaps & { closed: Gaps['missing'] }>(
      'webhooks',
      'inbox',
      'gaps',
      '--grace',
      '1ms',
      ...words,
    );
    if (data === undefined) throw new Error(error);
    const missing = [...data.missing, ...data.closed].map(({ event, kind, id }) => ({ event, kind, id }));
    return { code, missing, unlisted: data.unlisted };
  }

  async lose(event: string): Promise<void> {
    await this.run('sandbox', 'fault', 'add', '--on', event, '--fault', 'lost-webhook');
  }

  async onboard(): Promise<User> {
    this.bvns += 1;
    const { userId } = await this.run('users', 'onboard', `222222222${10 + this.bvns}`, '--wait', '1m');
    const details = await this.run<{ virtualAccounts: Json[]; walletDetails: Json }>('users', 'show', String(userId));
    const { accountNumber, accountName } = details.virtualAccounts[0] ?? {};
    return {
      userId: String(userId),
      name: String(accountName),
      accountNumber: String(accountNumber),
      wallet: String(details.walletDetails['evmWallet']),
    };
  }

  /** Pays Naira into an account, and returns the id of the deposit. */
  async pay(accountNumber: string, amount: string, from: string): Promise<string> {
    const { depositId } = await this.run('sandbox', 'pay', accountNumber, '--amount', amount, '--sender', from);
    return String(depositId);
  }

  async fintechDeposit(amount = this.more(20_000)): Promise<string> {
    const { accountNumber } = await this.run('wallets', 'deposit-account');
    return this.settled(this.pay(String(accountNumber), amount, 'ANY PAYER'));
  }

  deposit({ accountNumber, name }: User, amount = this.more(50_000)): Promise<string> {
    return this.settled(this.pay(accountNumber, amount, name));
  }

  depositOfStranger({ accountNumber }: User): Promise<string> {
    return this.settled(this.pay(accountNumber, this.more(3_000), 'SOMEBODY ELSE'));
  }

  async startOnramp({ userId }: User, amount = this.more(5_000), ...options: readonly string[]) {
    const { requestId } = await this.run('onramp', 'create', userId, '--amount', amount, '--yes', ...options);
    const account = await this.run<{ accountNumber: string; totalAmountWithFee: { value: string } }>(
      'onramp',
      'account',
      String(requestId),
    );
    return { accountNumber: account.accountNumber, total: account.totalAmountWithFee.value };
  }

  /** Starts an onramp, pays it, and returns the id of the deposit. */
  async onramp(user: User, amount?: string, ...options: readonly string[]): Promise<string> {
    const { accountNumber, total } = await this.startOnramp(user, amount, ...options);
    return this.settled(this.pay(accountNumber, total, 'ANY PAYER'));
  }

  startOfframp({ userId }: User, accountNumber = '0123456789'): Promise<string> {
    return this.start('offramp', 'create', userId, '--amount', this.more(1_000), ...BANK, accountNumber);
  }

  offramp(user: User, accountNumber?: string): Promise<string> {
    return this.settled(this.startOfframp(user, accountNumber));
  }

  failingOfframp(user: User): Promise<string> {
    return this.offramp(user, FAILING_ACCOUNT);
  }

  async startPayout(accountNumber = '0123456789'): Promise<string> {
    const { accountId } = await this.run('bank-accounts', 'add', '--yes', ...BANK, accountNumber);
    return this.start('payout', 'create', '--amount', this.more(1_000), '--to', String(accountId));
  }

  payout(): Promise<string> {
    return this.settled(this.startPayout());
  }

  async failingPayout(): Promise<string> {
    await this.run('sandbox', 'fault', 'add', '--on', 'transactions.fintech-offramp', '--fault', 'payout-fails');
    return this.payout();
  }

  async transfer(amount = this.more(100)): Promise<string> {
    const { externalWallets } = await this.run<{ externalWallets: unknown[] }>('wallets', 'show');
    if (externalWallets.length === 0)
      await this.run('wallets', 'external', 'add', OUTSIDE, '--network', 'base', '--label', 'vault', '--yes');
    return this.settled(this.start('transfers', 'create', '--amount', amount, '--to', OUTSIDE, '--again'));
  }

  withdrawal({ userId, wallet }: User, amount = this.more(100), ...options: readonly string[]): Promise<string> {
    const from = ['--token', 'CNGN', '--from', wallet, '--to', OUTSIDE];
    return this.settled(
      this.start('withdrawals', 'create', userId, '--amount', amount, ...from, '--again', ...options),
    );
  }

  swap({ userId }: User, amount = this.more(2_000)): Promise<string> {
    return this.settled(this.start('swaps', 'create', userId, '--sell', 'CNGN', '--buy', 'USDC', '--amount', amount));
  }

  /** No order takes so little. */
  failingSwap(user: User): Promise<string> {
    return this.swap(user, this.more(1));
  }

  /** A bridge that reports to the inbox. */
  async bridge(amount = this.more(500)): Promise<string> {
    const networks = ['--from-network', 'base', '--to-network', 'bsc', '--from', OUTSIDE, '--to', OUTSIDE];
    const started = await this.run(
      'bridge',
      'create',
      '--amount',
      amount,
      ...networks,
      '--callback-url',
      INBOX_URL,
      '--yes',
    );
    const to = String(started['receivableAddress']);
    await this.run('sandbox', 'pay', to, '--chain', '--amount', amount, '--sender', OUTSIDE);
    await this.settle();
    return String(started['requestId']);
  }

  /** Starts work that moves money, and returns its request id. */
  private async start(...words: readonly string[]): Promise<string> {
    const { requestId } = await this.run(...words, '--yes');
    return String(requestId);
  }

  private async settled<T>(work: Promise<T>): Promise<T> {
    const done = await work;
    await this.settle();
    return done;
  }
}

/** A lifecycle that writes an event. It returns the id of the work. */
interface Cause {
  /** The kind of the work in the lists; undefined if none shows it. */
  readonly kind?: string;
  readonly run: (account: Account, user: User) => Promise<string>;
}

const onboarding: Cause = { kind: 'user', run: async (account) => (await account.onboard()).userId };
const deposit: Cause = { kind: 'user_onramp', run: (account, user) => account.deposit(user) };
const refund: Cause = { kind: 'user_onramp', run: (account, user) => account.depositOfStranger(user) };
const onramp: Cause = { kind: 'user_onramp', run: (account, user) => account.onramp(user) };
const offramp: Cause = { kind: 'user_offramp', run: (account, user) => account.offramp(user) };
const payout: Cause = { kind: 'fintech_offramp', run: (account) => account.payout() };
const withdrawal = (amount?: string): Cause => ({
  kind: 'fintech_user_withdrawal',
  run: (account, user) => account.withdrawal(user, amount),
});
const transfer = (amount?: string): Cause => ({
  kind: 'fintech_self_transfer',
  run: (account) => account.transfer(amount),
});

/** A transfer of this amount fails; see `sandbox status --values`. */
const FAILING_TRANSFER = '1601';

/** What causes each event. */
export const CAUSES: Readonly<Record<(typeof EVENTS)[number]['name'], Cause>> = {
  'user.onboarded': onboarding,
  'virtual.account.created': onramp,
  'payments.confirmed': onramp,
  'fintech.virtual_account.deposit.received': {
    kind: 'fintech_deposit',
    run: (account) => account.fintechDeposit(),
  },
  'fintech.user.deposit.received': deposit,
  'fintech.user.deposit.funding.completed': deposit,
  'fintech.user.deposit.funding.refunded': refund,
  'wallet.funding.completed': onramp,
  'swap.completed': { kind: 'swap', run: (account, user) => account.swap(user) },
  'swap.failed': { kind: 'swap', run: (account, user) => account.failingSwap(user) },
  'fintech.asset.transfer.completed': transfer(),
  'fintech.asset.transfer.failed': transfer(FAILING_TRANSFER),
  'fintech.user.asset.transfer.completed': withdrawal(),
  'fintech.user.asset.transfer.failed': withdrawal(FAILING_TRANSFER),
  'vault.return.transfer.confirmed': offramp,
  'vault.return.payout.completed': offramp,
  'vault.return.payout.failed': {
    kind: 'user_offramp',
    run: (account, user) => account.failingOfframp(user),
  },
  'fintech.offramp.initiated': payout,
  'fintech.offramp.transfer.completed': payout,
  'fintech.offramp.payout.initiated': payout,
  'fintech.offramp.completed': payout,
  'fintech.offramp.failed': { kind: 'fintech_offramp', run: (account) => account.failingPayout() },
};
