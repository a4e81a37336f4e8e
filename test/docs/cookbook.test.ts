import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isTime, readCrontab } from '../examples/crontab.ts';
import type { Ran, Running } from '../support/built.ts';
import { serveSandbox } from '../support/in-process.ts';
import { blocksOf, type CronHome, cronHome } from './scripts.ts';

const PAGE = 'docs/cookbook.md';
const OTHER_SCRIPTS = blocksOf('docs/scripting.md', 'sh').filter((code) => code.startsWith('#!'));
/** The scripts of both pages by name, which is in their second line. */
const SCRIPTS = new Map(
  [...blocksOf(PAGE, 'sh'), ...OTHER_SCRIPTS].map((script) => [
    /^#!\/bin\/sh\n# ([\w-]+\.sh)\b/.exec(script)?.[1] ?? script,
    script,
  ]),
);
const CRONTABS = blocksOf(PAGE, 'crontab').flatMap((text) => readCrontab(text));

/** An account on a sandbox of its own, as the profile `main` that the scripts use. */
interface Account extends CronHome {
  readonly url: string;
  readonly apiKey: string;
  /** Runs a script of the page in cron's environment. */
  script(name: string, argv?: readonly string[], stdin?: string): Promise<Ran>;
  startScript(name: string, argv?: readonly string[]): Running;
  /** Makes the next requests to an endpoint go wrong. */
  fault(on: string, kind: string): Promise<unknown>;
}

/** Opens an account of the first fintech of a new sandbox, or of another one. */
async function newAccount(fintech = 0): Promise<Account> {
  const { url, apiKey } = await serveSandbox(onTestFinished);
  const home = await cronHome();
  // The scripts must not depend on the default format of the profile.
  const profile = ['main', '--base-url', url, '--default-output', 'json'];
  const add = (key: string) => home.fiatrail(['profiles', 'add', ...profile, '--key-stdin', '-q'], key);
  await add(apiKey);
  await home.fiatrail(['profiles', 'use', 'main', '-q']);
  if (fintech > 0) {
    const { fintechs } = await home.json<{ fintechs: { sandboxKey: string }[] }>('sandbox', 'status', '--values');
    await add(fintechs[fintech]?.sandboxKey ?? '');
  }
  const file = (name: string) => {
    const path = join(home.path, name);
    writeFileSync(path, SCRIPTS.get(name) ?? 'exit 99');
    return path;
  };
  return {
    ...home,
    url,
    apiKey,
    script: (name, argv = [], stdin) => home.run('/bin/sh', [file(name), ...argv], stdin),
    startScript: (name, argv = []) => home.start('/bin/sh', [file(name), ...argv]),
    fault: (on, kind) => home.json('sandbox', 'fault', 'add', '--on', on, '--fault', kind),
  };
}

const QUIET: Ran = { stdout: '', stderr: '', code: 0 };

test('the page has nothing but whole scripts, and crontab lines that run them', () => {
  expect([...SCRIPTS.keys()].toSorted()).toEqual(
    [
      'add-dashboard.sh',
      'buy-usdc.sh',
      'check-balance.sh',
      'collect.sh',
      'export-transactions.sh',
      'failed-users.sh',
      'replace-wallet.sh',
      'rotate-key.sh',
      'sweep-fees.sh',
      'trade-again.sh',
      'write-status.sh',
    ].toSorted(),
  );
  for (const script of SCRIPTS.values()) expect(script).toMatch(/^#!\/bin\/sh\n# .*\nset -eu\nPATH=.*\nexport PATH/);
  expect(CRONTABS.length).toBeGreaterThan(3);
  for (const { fields, command, stdin } of CRONTABS) {
    const [, name = ''] = /^\$HOME\/bin\/([\w-]+\.sh)$/.exec(command) ?? [];
    const isKnown = SCRIPTS.has(name) || command.startsWith('$HOME/.local/bin/fiatrail ');
    expect({ command, isTime: isTime(fields), stdin, isKnown }).toMatchObject({ isTime: true, isKnown: true });
    expect(stdin).toBeUndefined();
  }
});

describe('sweep-fees.sh', () => {
  interface Withdrawals {
    readonly withdrawals: readonly { readonly amount: { readonly value: string } }[];
  }
  /** The seeded account has earned ₦250,000, and a withdrawal is at most ₦100,000. */
  const EVERYTHING = ['100000.00', '100000.00', '50000.00'];
  const withdrawn = async (account: Account) => {
    const { withdrawals } = await account.json<Withdrawals>('fees', 'withdrawals', 'list', '--all');
    return withdrawals.map(({ amount }) => amount.value).toSorted();
  };

  test('withdraws everything once, also when it runs twice', async () => {
    const account = await newAccount();
    expect(await account.script('sweep-fees.sh')).toEqual(QUIET);
    expect(await withdrawn(account)).toEqual(EVERYTHING);
    expect(await account.script('sweep-fees.sh')).toEqual(QUIET);
    expect(await withdrawn(account)).toEqual(EVERYTHING);
  });

  test.each(['lost-request', 'lost-response'])(
    'says that an outcome is unknown after a %s, and later does the rest',
    async (kind) => {
      const account = await newAccount();
      // The key has the day in Lagos, on which all of this must happen.
      if (new Date(Date.now() + 3_600_000).getUTCHours() > 21) await account.json('sandbox', 'advance', '3h');
      await account.fault('fees withdraw', kind);
      expect(await account.script('sweep-fees.sh')).toMatchObject({
        code: 6,
        stderr: expect.stringContaining('OUTCOME_UNKNOWN'),
      });
      const next = await account.script('sweep-fees.sh');
      if (kind === 'lost-request') {
        // Nothing that came later shows that the list is up to date, so a person decides.
        expect(next.code).toBe(6);
        await account.json('sandbox', 'advance', '11m');
        expect((await account.script('sweep-fees.sh')).code).toBe(6);
        const { operations } = (await account.json('ops', 'list', '--status', 'unknown')) as {
          operations: readonly { operationId: string }[];
        };
        const id = operations[0]?.operationId ?? '';
        await account.json('ops', 'resolve', id, '--not-done', '--reason', 'the service never received it');
        expect(await account.script('sweep-fees.sh')).toEqual(QUIET);
      } else expect(next).toEqual(QUIET);
      expect(await withdrawn(account)).toEqual(EVERYTHING);
    },
  );

  test('does not fail on a day without fees', async () => {
    const account = await newAccount();
    await account.json('fees', 'withdraw', '--amount', 'all', '--to', 'default', '--once', 'before', '--yes');
    expect(await account.script('sweep-fees.sh')).toEqual(QUIET);
  });

  test('says which rule stops it', async () => {
    const account = await newAccount();
    await account.fiatrail(['profiles', 'rules', 'set', 'main', '--max-per-day', 'NGN 120000', '--yes', '-q']);
    const { code, stderr } = await account.script('sweep-fees.sh');
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('RULE_AMOUNT') });
  });
});

describe('check-balance.sh', () => {
  const VAULT = '0x52908400098527886E0F7030069857D2E4169EE7';

  test('says nothing while the balance is high enough', async () => {
    const account = await newAccount();
    expect(await account.script('check-balance.sh')).toEqual(QUIET);
  });

  test('exits with 9 and names the balance when it is too low', async () => {
    // The second fintech has 2,000,000 cNGN on one network.
    const account = await newAccount(1);
    await account.fiatrail(['wallets', 'external', 'add', VAULT, '--network', 'base', '-q', '--yes']);
    const transfer = (amount: string) =>
      account.fiatrail(['transfers', 'create', '--amount', amount, '--to', VAULT, '--once', amount, '--yes', '-q']);
    await transfer('1900000');
    expect(await account.script('check-balance.sh')).toEqual(QUIET);
    await transfer('0.5');
    const { stdout, code } = await account.script('check-balance.sh');
    expect({ stdout, code }).toEqual({ stdout: 'The account wallet has only 99999.500000 cNGN left.\n', code: 9 });
  });

  test('does not take an unknown balance for enough', async () => {
    const account = await newAccount();
    await account.fiatrail(['profiles', 'add', 'main', '--key-stdin', '-q'], 'sandbox_expired');
    const { stdout, code } = await account.script('check-balance.sh');
    expect({ stdout, code }).toEqual({ stdout: 'The balance could not be read.\n', code: 4 });
  });
});

describe('rotate-key.sh', () => {
  /** A vault that keeps what `vault kv put` gives it, and fails while it has a file with failures to come. */
  const VAULT = `#!/bin/sh
[ "$*" = "kv put kv/fiatrail key=-" ] || exit 64
if [ -s "$HOME/failures" ]; then sed -i 1d "$HOME/failures"; exit 1; fi
umask 077
cat > "$HOME/vault"
`;
  const withVault = async (failures: number) => {
    const account = await newAccount();
    account.install('vault', VAULT);
    writeFileSync(join(account.path, 'failures'), 'down\n'.repeat(failures));
    return account;
  };
  const inVault = ({ path }: Account) => readFileSync(join(path, 'vault'), 'utf8');
  /** Whether a key works, in a profile of its own. */
  const works = (account: Account, key: string) => {
    const argv = ['profiles', 'add', 'probe', '--base-url', account.url, '--key-stdin', '--check', '-q'];
    return account.fiatrail(argv, key).then(
      () => true,
      () => false,
    );
  };

  test.each([0, 1])('pushes a key that works, after %d failed attempts', async (failures) => {
    const account = await withVault(failures);
    const { stdout, code } = await account.script('rotate-key.sh');
    expect({ stdout, code }).toEqual({ stdout: '', code: 0 });
    expect(inVault(account)).not.toBe(account.apiKey);
    expect(await works(account, inVault(account))).toBe(true);
    expect(await works(account, account.apiKey)).toBe(false);
    await account.fiatrail(['status', '-q']);
  });

  test('leaves a step that can be finished if the vault stays down', async () => {
    const account = await withVault(2);
    const { code, stderr } = await account.script('rotate-key.sh');
    expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining('keys rotate --resume') });
    await account.fiatrail(['status', '-q']);
    const resume = 'PATH=$HOME/.local/bin:$PATH; fiatrail keys rotate --resume --yes -q';
    expect((await account.run('/bin/sh', ['-c', resume])).code).toBe(0);
    expect(await works(account, inVault(account))).toBe(true);
  });
});

describe('export-transactions.sh', () => {
  /** A `date` for which yesterday was this day. */
  const dateAfter = (day: string) => `#!/bin/sh
case "$*" in
  "-d yesterday +%F") exec echo ${day} ;;
  "-v-1d +%F") exec echo ${day} ;;
  *) exit 64 ;;
esac
`;
  const BSD = (script: string) => script.replace('"-d yesterday +%F") exec', '"-d yesterday +%F") exit 1; exec');
  const lagosDay = (time: string) => new Date(Date.parse(time) + 3_600_000).toISOString().slice(0, 10);

  test.each([
    ['GNU', (script: string) => script],
    ['BSD', BSD],
  ])('writes the rows of one day in Lagos, with %s date', async (_name, ofSystem) => {
    const account = await newAccount();
    const { accounts } = await account.json<{ accounts: { accountId: string }[] }>('bank-accounts', 'list');
    const to = ['--amount', '1500', '--to', accounts[0]?.accountId ?? ''];
    const payout = (once: string) => account.json('payout', 'create', ...to, '--once', once, '--yes');
    await payout('one');
    await payout('two');
    await account.json('sandbox', 'advance', '24h');
    await payout('tomorrow');
    const { payouts } = await account.json<{ payouts: { id: string; createdAt: string }[] }>('payout', 'list');
    const days = payouts.map(({ id, createdAt }) => ({ id, day: lagosDay(createdAt) })).toReversed();
    const day = days[0]?.day ?? '';
    account.install('date', ofSystem(dateAfter(day)));
    expect(await account.script('export-transactions.sh')).toEqual(QUIET);
    const file = join(account.path, 'reports', `transactions-${day}.csv`);
    const written = readFileSync(file, 'utf8');
    const [header, ...rows] = written.trimEnd().split('\n');
    expect(header).toMatch(/^id,type,/);
    const ofDay = days.filter((each) => each.day === day).map(({ id }) => id);
    expect(rows.map((row) => row.split(',')[0]).toSorted()).toEqual(ofDay.toSorted());
    expect(days.length).toBeGreaterThan(ofDay.length);
    expect(await account.script('export-transactions.sh')).toEqual(QUIET);
    expect(readFileSync(file, 'utf8')).toBe(written);
  });
});

describe('replace-wallet.sh', () => {
  const [OLD, NEW] = ['0x52908400098527886E0F7030069857D2E4169EE7', '0x8617E340B3D01FA5F11F306F4090FD50E238070D'];
  interface Wallets {
    readonly externalWallets: readonly { address: string; blockchain: string; type: string }[];
  }
  const wallets = async (account: Account) =>
    (await account.json<Wallets>('wallets', 'show')).externalWallets.map(({ address, blockchain, type }) => [
      address,
      blockchain,
      type,
    ]);
  const add = (account: Account, address: string) =>
    account.fiatrail([
      'wallets',
      'external',
      'add',
      address,
      '--network',
      'bsc',
      '--wallet-type',
      'cold',
      '-q',
      '--yes',
    ]);
  const DONE = [[NEW.toLowerCase(), 'bsc', 'cold']];

  test('registers the new wallet like the old one, removes the old one, and can run again', async () => {
    const account = await newAccount();
    await add(account, OLD);
    expect(await account.script('replace-wallet.sh', [OLD, NEW])).toEqual(QUIET);
    expect(await wallets(account)).toEqual(DONE);
    expect(await account.script('replace-wallet.sh', [OLD, NEW])).toEqual(QUIET);
    expect(await wallets(account)).toEqual(DONE);
  });

  test('finishes what was interrupted', async () => {
    const account = await newAccount();
    await add(account, OLD);
    await add(account, NEW);
    expect(await account.script('replace-wallet.sh', [OLD, NEW])).toEqual(QUIET);
    expect(await wallets(account)).toEqual(DONE);
  });

  test('keeps the old wallet if the new one is rejected', async () => {
    const account = await newAccount();
    await add(account, OLD);
    expect((await account.script('replace-wallet.sh', [OLD, '0x12'])).code).toBeGreaterThan(0);
    expect(await wallets(account)).toEqual([[OLD.toLowerCase(), 'bsc', 'cold']]);
  });

  test('changes nothing if the old one is not registered', async () => {
    const account = await newAccount();
    expect((await account.script('replace-wallet.sh', [OLD, NEW])).code).toBe(2);
    expect(await wallets(account)).toEqual([]);
  });
});

describe('collect.sh', () => {
  /** Starts the script for a new user, and waits until it has printed which account to pay. */
  async function started() {
    const account = await newAccount();
    await account.fiatrail(['users', 'onboard', '--bvn-stdin', '--wait', '-q'], '22345678901');
    const { users } = await account.json<{ users: { userId: string; firstName: string }[] }>('users', 'list');
    const argv = [users[0]?.userId ?? '', '5000', '118'];
    const running = account.startScript('collect.sh', argv);
    return { account, running, argv, number: accountNumber(await running.firstLine()) };
  }
  const accountNumber = (stdout: string) => /^Account number +(\d{10})$/m.exec(stdout)?.[1];

  test('prints what to pay, waits until it is paid, and opens one account for an order', async () => {
    const { account, running, argv, number = '' } = await started();
    const again = account.startScript('collect.sh', argv);
    expect(accountNumber(await again.firstLine())).toBe(number);
    await account.fiatrail(['sandbox', 'pay', number, '--amount', '5100', '--sender', 'IFEOMA BOLAJI OBI', '-q']);
    for (const { end } of [running, again]) {
      const { stdout, code } = await end;
      expect({ code, number: accountNumber(stdout), stdout }).toEqual({
        code: 0,
        number,
        stdout: expect.stringMatching(/₦5,100\.00\n.*\ncompleted\n$/s),
      });
    }
    const { operations } = await account.json<{ operations: { endpoint: string }[] }>('ops', 'list', '--all');
    expect(operations.filter(({ endpoint }) => endpoint.includes('onramp')).length).toBe(1);
  });

  test('exits with 3 if nobody pays in time', async () => {
    const { account, running } = await started();
    await account.json('sandbox', 'advance', '31m');
    const { stdout, code } = await running.end;
    expect({ stdout, code }).toEqual({ stdout: expect.stringMatching(/\nfailed\n$/), code: 3 });
  });
});

describe('trade-again.sh', () => {
  const trade = (account: Account) => account.script('trade-again.sh', ['5000', '1500']);
  const refuse = (account: Account, on: string, name: string, times = 1) =>
    account.json('sandbox', 'fault', 'add', '--on', on, '--fault', 'reject', '--name', name, '--times', `${times}`);

  test('gets a new quote when the one it had is too old', async () => {
    const account = await newAccount();
    await refuse(account, 'fx.trade', 'INVALID_QUOTE', 2);
    expect(await trade(account)).toMatchObject({ stdout: '"completed"\n', code: 0 });
    const { trades } = await account.json<{ trades: unknown[] }>('fx', 'trades', 'list');
    expect(trades).toHaveLength(1);
  });

  test('gives up after three quotes', async () => {
    const account = await newAccount();
    await refuse(account, 'fx.trade', 'INVALID_QUOTE', 3);
    const { stderr, code } = await trade(account);
    expect(code).toBe(3);
    expect(stderr).toContain('"name":"INVALID_QUOTE"');
    const { trades } = await account.json<{ trades: unknown[] }>('fx', 'trades', 'list');
    expect(trades).toEqual([]);
    expect(await trade(account)).toMatchObject({ stdout: '"completed"\n', code: 0 });
  });

  test.each([
    ['fx.trade', 'INSUFFICIENT_BALANCE', 'Does the wallet hold 5000 cNGN?\n'],
    ['fx.quote', 'NO_LIQUIDITY', 'No one sells that much now.\n'],
  ])('says what a person can do when %s rejects with %s', async (on, name, stdout) => {
    const account = await newAccount();
    await refuse(account, on, name, 3);
    const ran = await trade(account);
    expect(ran).toMatchObject({ stdout, code: 3 });
    expect(ran.stderr).toContain(`"${name}"`);
  });

  test('stops at an answer that does not prove that nothing was done, and shows what it may mean', async () => {
    const account = await newAccount();
    await refuse(account, 'fx.trade', 'SELF_TRADE');
    const { stdout, stderr, code } = await trade(account);
    expect({ stdout, code }).toEqual({ stdout: '', code: 6 });
    expect(stderr).toContain('SELF_TRADE');
  });
});

describe('buy-usdc.sh', () => {
  interface Trades {
    readonly trades: readonly { status: string }[];
  }
  const trades = async (account: Account) =>
    (await account.json<Trades>('fx', 'trades', 'list')).trades.map((t) => t.status);
  /** The price at which the seeded order book sells. */
  const PRICE = '1407';

  const buy = (account: Account, limit: string) => account.script('buy-usdc.sh', ['5000', limit, 'monday']);

  test('trades at the limit, once', async () => {
    const account = await newAccount();
    expect(await buy(account, PRICE)).toMatchObject({ stdout: 'completed\n', code: 0 });
    expect(await trades(account)).toEqual(['completed']);
    const again = await buy(account, PRICE);
    expect(again).toMatchObject({ stdout: 'completed\n', code: 0 });
    expect(await trades(account)).toEqual(['completed']);
  });

  test('does not trade above the limit', async () => {
    const account = await newAccount();
    const { stdout, stderr, code } = await buy(account, `${Number(PRICE) - 1}.999999`);
    expect({ stdout, code }).toEqual({ stdout: '', code: 9 });
    expect(stderr).toContain('the price is 1,407.00 cNGN, above --max-price 1,406.999999 cNGN; nothing was sent');
    expect(await trades(account)).toEqual([]);
  });

  test('does not trade if the limit is not a price', async () => {
    const account = await newAccount();
    for (const limit of ['', '0', '1407.0000001', '1e9', '-1', '1407.', '.5', '1.4.07', '99999999999999999999'])
      expect({ limit, ...(await buy(account, limit)) }).toEqual({
        limit,
        stdout: '',
        stderr: expect.not.stringContaining('the price is'),
        code: expect.toSatisfy((code) => code !== 0),
      });
    expect(await trades(account)).toEqual([]);
  });
});

describe('failed-users.sh', () => {
  test('lists the onboardings that failed, also those that nobody waited for', async () => {
    const account = await newAccount();
    const onboard = (bvn: string) => account.json<{ requestId: string }>('users', 'onboard', bvn);
    const failed = [await onboard('00000000000')];
    await onboard('22345678901');
    const list = async () => {
      const { stdout, stderr, code } = await account.script('failed-users.sh');
      const [header, ...rows] = stdout.trimEnd().split('\n');
      const requests = rows.map((row) => row.split(',').slice(1));
      return { header, requests, stderr, code };
    };
    /** On a busy machine, an onboarding may still be in progress after the second that the script waits; its next run lists it. */
    const listAll = async () => {
      for (;;) {
        const listed = await list();
        if (listed.requests.length >= failed.length || listed.code !== 0 || listed.stderr !== '') return listed;
      }
    };
    const expected = () => ({
      header: 'createdAt,requestId,result.message',
      requests: failed.map(({ requestId }) => [requestId, 'the BVN could not be verified']).reverse(),
      stderr: '',
      code: 0,
    });
    expect(await listAll()).toEqual(expected());
    failed.push(await onboard('00000000000'));
    expect(await listAll()).toEqual(expected());
  });
});

test('add-dashboard.sh and write-status.sh show an account that they cannot change', async () => {
  const account = await newAccount();
  const added = await account.script('add-dashboard.sh', [], account.apiKey);
  expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/read-only +on/) });
  expect(await account.script('write-status.sh')).toEqual(QUIET);
  const file = join(account.path, 'dashboard', 'status.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ profile: 'dashboard', reachable: true });
  const pay = ['fees', 'withdraw', '--amount', '100', '--to', 'default', '--yes', '--profile', 'dashboard'];
  await expect(account.fiatrail(pay)).rejects.toThrow('rule read-only of profile dashboard');

  const before = statSync(file).mtimeMs;
  await account.fiatrail(['profiles', 'add', 'dashboard', '--key-stdin', '-q'], 'sandbox_expired');
  expect((await account.script('write-status.sh')).code).toBe(4);
  expect({ exists: existsSync(file), mtime: statSync(file).mtimeMs }).toEqual({ exists: true, mtime: before });
});
