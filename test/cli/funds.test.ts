import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { balanceLine } from '../../src/engine/previews/balances.ts';
import { requireCovered } from '../../src/engine/sending/change.ts';
import { main } from '../../src/main.ts';
import { amount } from '../../src/money/amount.ts';
import { json, refusal, success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, type Answer, fakeWorld } from '../support/world.ts';

const TO = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const FROM = '0x52908400098527886E0F7030069857D2E4169EE7';
const MONEY =
  /\/(withdrawasset|fintechtransfer|assetswap|autoswap|cngnofframp|initiateofframp|feewithdrawal|fx\/trade|fx\/market-order|userassetwithdrawal|swap)/i;

/** What pays, in whole tokens or Naira. */
interface Held {
  readonly balance: string | 'unreadable';
  readonly minimumKobo?: number;
  /** On the network from which nothing is paid that is paid from Base only. */
  readonly onBsc?: string;
  /** In another wallet of the same user. */
  readonly elsewhere?: string;
  /** Whether a network could not be read. */
  readonly isPartial?: boolean;
  /** The wallets of the user; null for one whose address is missing. */
  readonly wallets?: readonly (string | null)[];
  /** Whether no row is about the wallet that pays. */
  readonly isElsewhere?: boolean;
  /** Whether balances are written without a decimal point, as base units are. */
  readonly isInBase?: boolean;
}

/** Runs a command for an account with a balance; `sent` lists what was sent that is no read. */
async function run(
  argv: readonly string[],
  { balance, minimumKobo = 1_000, onBsc = '0', isPartial = false, wallets = [FROM], ...held }: Held,
  answers: readonly Answer[],
) {
  const { elsewhere, isElsewhere, isInBase } = held;
  const asked: string[] = [];
  // The service writes all decimals, without which the unit is unknown.
  const tokens = (text: string) => (isInBase ? text : Number(text).toFixed(6));
  const network: Exchange = async ({ url, method }) => {
    const path = new URL(url).pathname.replace('/v1', '');
    asked.push(`${method} ${path}`);
    if (path.startsWith('/balance')) {
      if (balance === 'unreadable') return refusal(404, '02', 'no');
      const ofOthers = isElsewhere ? [{ network: 'base', balance: tokens(balance), walletAddress: TO }] : undefined;
      const networkBalances =
        path.startsWith('/balance/user') && ofOthers
          ? ofOthers
          : ofOthers
            ? []
            : [
                { network: 'bsc', balance: tokens(onBsc), walletAddress: FROM },
                ...(elsewhere === undefined
                  ? []
                  : [{ network: 'base', balance: tokens(elsewhere), walletAddress: TO }]),
                {
                  network: 'base',
                  balance: tokens(balance),
                  walletAddress: FROM,
                  error: isPartial ? 'cannot be reached' : null,
                },
              ];
      return success({ totalBalance: tokens(String(Number(balance) + Number(onBsc))), networkBalances });
    }
    if (path === '/getuserdetails')
      return success({
        personalDetails: { firstName: 'FATIMA', lastName: 'SANI' },
        walletDetails: { evmWallet: FROM },
        virtualAccounts: [],
      });
    if (path === '/listuserwallets')
      return success({ wallets: wallets.map((walletAddress) => ({ walletAddress })), count: wallets.length });
    if (path === '/getfintechwallet')
      return success({
        fintechId: 'f-1',
        smartWallet: { address: FROM },
        externalWallets: [{ address: TO, label: 'cold vault', type: 'cold', status: 'active' }],
      });
    if (path === '/getbankscode') return success({ banks: [{ bankCode: '000013', bankName: 'GUARANTY TRUST BANK' }] });
    if (path === '/getaccumulatedfees') {
      if (balance === 'unreadable') return refusal(404, '02', 'no');
      return success({
        summary: { availableForWithdrawal: Number(balance) * 100 },
        details: { minimumWithdrawal: minimumKobo, maximumWithdrawal: 10_000_000 },
      });
    }
    return refusal(404, '02', 'the service was asked');
  };
  const isTerminal = !argv.includes('--yes') || answers.length > 0;
  const world = fakeWorld({ network, env: ACCOUNT, isTerminal, answers });
  const code = await main(argv, world);
  return { code, stderr: world.stderr.text(), asked, rows: journalRows(world.stateDir) };
}

const NO: Answer = { kind: 'confirm', asks: 'Continue?', says: false };
const BANK = ['--bank-code', '000013', '--account-number', '0123456789'];

const FEES = ['fees', 'withdraw', '--account-name', 'ADA', ...BANK];

const COMMANDS: readonly [words: string, argv: readonly string[], unit: string][] = [
  [
    'withdrawals',
    ['withdrawals', 'create', 'u-1', '--amount', '20', '--token', 'USDC', '--from', FROM, '--to', TO],
    'USDC',
  ],
  ['transfers', ['transfers', 'create', '--amount', '20', '--to', TO], 'cNGN'],
  ['offramp', ['offramp', 'create', 'u-1', '--amount', '20', ...BANK], 'cNGN'],
  ['payout', ['payout', 'create', '--amount', '20', '--to', '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de'], 'cNGN'],
  ['swaps', ['swaps', 'create', 'u-1', '--sell', 'CNGN', '--buy', 'USDC', '--amount', '20'], 'cNGN'],
  ['swaps of a wallet', ['swaps', 'create', '--wallet', FROM, '--sell', 'CNGN', '--amount', '20'], 'cNGN'],
];

describe('a balance that this command has read', () => {
  // Fees that cannot be read leave open what these take.
  test.each(COMMANDS.filter(([what]) => what !== 'offramp' && what !== 'payout'))(
    'stops %s before the question if it is short',
    async (_, argv, unit) => {
      const { code, stderr, rows } = await run(argv, { balance: '19.999999' }, []);
      expect({ code, rows }).toEqual({ code: 9, rows: [] });
      expect(stderr).toContain(`the balance is 19.999999 ${unit}, and this takes 20.00 ${unit}; nothing was sent`);
    },
  );

  test.each(COMMANDS)('lets %s ask if it is just enough', async (_, argv) => {
    const { code, stderr } = await run(argv, { balance: '20.000000' }, [NO]);
    expect({ code, isDeclined: stderr.includes('declined; nothing was sent') }).toEqual({ code: 9, isDeclined: true });
  });

  test.each(COMMANDS)('stops %s if its unit is not known, even if its digits are enough', async (_, argv) => {
    const { code, stderr, rows } = await run([...argv, '--yes'], { balance: '20000000', isInBase: true }, []);
    expect({ code, rows }).toEqual({ code: 5, rows: [] });
    expect(stderr).toContain('the balance is "20000000", whose unit is not known; nothing was sent');
  });

  test.each(COMMANDS)('does not stop %s if it cannot be read', async (_, argv) => {
    const { stderr } = await run(argv, { balance: 'unreadable' }, [NO]);
    expect(stderr).toContain('declined; nothing was sent');
  });
});

test('a swap is paid from the user wallet, whatever the others hold', async () => {
  const [, argv = []] = COMMANDS.find(([what]) => what === 'swaps') ?? [];
  const { code, stderr } = await run(argv, { balance: '19', elsewhere: '500' }, []);
  expect({ code, isSaid: stderr.includes('the balance is 19.00 cNGN, and this takes 20.00 cNGN') }).toEqual({
    code: 9,
    isSaid: true,
  });
});

describe('a wallet that a withdrawal is to be paid from', () => {
  const [, argv = []] = COMMANDS[0] ?? [];
  const TAKEN = 'the wallet to pay from does not belong to the user; nothing was sent';

  test.each<[string, readonly string[], Held]>([
    ['before the question', argv, { balance: '500', wallets: [TO] }],
    ['with --yes', [...argv, '--yes'], { balance: '500', wallets: [TO] }],
    ['although its balance cannot be read', [...argv, '--yes'], { balance: 'unreadable', wallets: [TO] }],
  ])('is the user’s, or the command says so %s', async (_, line, held) => {
    const { code, stderr, rows } = await run(line, held, []);
    expect({ code, rows }).toEqual({ code: 2, rows: [] });
    expect(stderr).toContain(TAKEN);
    expect(stderr).toContain(`the user’s wallets are: ${TO}`);
  });

  test.each([[[]], [[TO, null]]])('is the service’s to judge if it shows %j', async (wallets) => {
    const { code, stderr } = await run(argv, { balance: '500', wallets }, [NO]);
    expect(code).toBe(9);
    expect(stderr).toContain('declined; nothing was sent');
  });

  test.each([
    ['an EVM wallet', argv],
    ['a managed wallet', COMMANDS.find(([what]) => what === 'swaps')?.[1] ?? []],
  ])('holds nothing if no row is about it: %s', async (_, line) => {
    const { code, stderr, rows } = await run(line, { balance: '500', isElsewhere: true }, []);
    expect({ code, rows }).toEqual({ code: 9, rows: [] });
    expect(stderr).toMatch(/the balance is 0\.00 \S+, and this takes 20\.00/);
  });
});

describe('a confirmation names', () => {
  const ofUser = COMMANDS.filter(([what]) => ['offramp', 'withdrawals', 'swaps'].includes(what));
  test.each(ofUser)('the user of %s', async (_, argv) => {
    const { stderr } = await run(argv, { balance: '20.000000' }, [NO]);
    expect(stderr).toMatch(/name +FATIMA SANI\n/);
  });

  test.each([
    ['the bank', COMMANDS.find(([what]) => what === 'offramp')?.[1] ?? [], /bank +GUARANTY TRUST BANK \(000013\)\n/],
    ['the bank of fees', [...FEES, '--amount', '10'], /bank +GUARANTY TRUST BANK \(000013\)\n/],
    ['a registered destination', COMMANDS[0]?.[1] ?? [], /wallet +cold vault, cold, active\n/],
    ['a wallet to remove', ['wallets', 'external', 'remove', TO], /wallet +cold vault, cold, active\n/],
  ] as const)('%s', async (_, argv, words) => {
    const { stderr } = await run(argv, { balance: '500' }, [NO]);
    expect(stderr).toMatch(words);
  });
});

describe('with --yes, the balance of what pays', () => {
  const READS = /^(GET|POST) \/balance\//;
  const sentOf = (asked: readonly string[]) => asked.filter((each) => MONEY.test(each) && each.startsWith('POST'));

  test.each(COMMANDS)('stops %s if it is short, after one request, and one for the fee', async (what, argv, unit) => {
    const { code, stderr, asked, rows } = await run([...argv, '--yes'], { balance: '19.99' }, []);
    const isWhoseRead = (each: string) =>
      (what === 'withdrawals' && each.includes('listuserwallets')) ||
      (what === 'payout' && each.includes('getbankaccounts'));
    const reads = asked.filter((each) => !each.includes('publickey') && !isWhoseRead(each)).length;
    expect({ code, rows, reads }).toEqual({
      code: 9,
      rows: [],
      reads: what === 'payout' ? 2 : 1,
    });
    expect(stderr).toContain(`the balance is 19.99 ${unit}, and this takes 20.00 ${unit}; nothing was sent`);
  });

  test.each(COMMANDS)('lets %s go on with enough, after one request for it', async (_, argv) => {
    const { asked } = await run([...argv, '--yes'], { balance: '20' }, []);
    expect({ sent: sentOf(asked).length, reads: asked.filter((each) => READS.test(each)).length }).toEqual({
      sent: 1,
      reads: 1,
    });
  });

  test.each(COMMANDS)('does not stop %s if it cannot be read', async (_, argv) => {
    const { asked } = await run([...argv, '--yes'], { balance: 'unreadable' }, []);
    expect(sentOf(asked)).toHaveLength(1);
  });

  test.each(COMMANDS)('does not stop %s if a network could not be read', async (_, argv) => {
    const { asked } = await run([...argv, '--yes'], { balance: '19', isPartial: true }, []);
    expect(sentOf(asked)).toHaveLength(1);
  });

  const fromBase = COMMANDS.filter(([what]) => what === 'transfers' || what.startsWith('swaps'));
  test.each(fromBase)('of %s is that on Base', async (_, argv, unit) => {
    const { code, stderr } = await run([...argv, '--yes'], { balance: '19', onBsc: '500' }, []);
    expect({ code, isSaid: stderr.includes(`the balance is 19.00 ${unit}`) }).toEqual({ code: 9, isSaid: true });
  });

  test('of a withdrawal is that of the network with the most', async () => {
    const [, argv] = COMMANDS[0] ?? ['', []];
    const { asked } = await run([...argv, '--yes'], { balance: '19', onBsc: '20' }, []);
    expect(sentOf(asked)).toHaveLength(1);
  });
});

describe('fees withdraw', () => {
  test('stops before the question if less is available', async () => {
    const { code, stderr, rows } = await run([...FEES, '--amount', '500'], { balance: '499.99' }, []);
    expect({ code, rows }).toEqual({ code: 9, rows: [] });
    expect(stderr).toContain('the balance is ₦499.99, and this takes ₦500.00; nothing was sent');
  });

  test('stops before the question below the minimum, with both figures', async () => {
    const { code, stderr } = await run([...FEES, '--amount', '9.99'], { balance: '500' }, []);
    expect(code).toBe(9);
    expect(stderr).toContain('₦9.99 is below the minimum of ₦10.00; the balance is ₦500.00; nothing was sent');
  });

  test('asks for the minimum', async () => {
    const { stderr } = await run([...FEES, '--amount', '10'], { balance: '500' }, [NO]);
    expect(stderr).toContain('declined; nothing was sent');
  });

  test('stops with --yes too if its own prompt has read the fees', async () => {
    const amount: Answer = { kind: 'text', asks: 'Amount in Naira', says: '500' };
    const { code, stderr, asked } = await run([...FEES, '--yes'], { balance: '499' }, [amount]);
    expect({ code, sent: asked.filter((each) => MONEY.test(each)) }).toEqual({ code: 9, sent: [] });
    expect(stderr).toContain('the balance is ₦499.00, and this takes ₦500.00; nothing was sent');
  });

  test.each([
    ['a short balance', '500', '₦499.00, and this takes ₦500.00'],
    ['an amount below the minimum', '9', '₦9.00 is below the minimum of ₦10.00; the balance is ₦499.00'],
  ])('reads the fees once with --yes, and stops for %s', async (_, amount, text) => {
    const { code, stderr, asked } = await run([...FEES, '--amount', amount, '--yes'], { balance: '499' }, []);
    expect({ code, asked: asked.filter((each) => each.includes('fee')) }).toEqual({
      code: 9,
      asked: ['GET /getaccumulatedfees'],
    });
    expect(stderr).toContain(text);
  });

  test('lets the service decide with --yes if the fees cannot be read', async () => {
    const { asked } = await run([...FEES, '--amount', '500', '--yes'], { balance: 'unreadable' }, []);
    expect(asked).toContain('POST /feewithdrawal');
  });
});

describe('a response that cannot be decrypted', () => {
  const sealed = json(200, JSON.stringify({ payload: 'ab'.repeat(80) }));

  test.each([
    ['with a question', [], true],
    ['with --yes', ['--yes'], false],
  ])('to a read before a payment stops the payment, %s', async (_, more, isTerminal) => {
    const asked: string[] = [];
    const network: Exchange = async ({ url }) => {
      asked.push(new URL(url).pathname);
      return sealed;
    };
    const world = fakeWorld({ network, env: ACCOUNT, isTerminal });
    const code = await main(['transfers', 'create', '--amount', '20', '--to', TO, ...more, '-o', 'json'], world);
    expect({ code, sent: asked.filter((path) => MONEY.test(path)), rows: journalRows(world.stateDir) }).toEqual({
      code: 2,
      sent: [],
      rows: [],
    });
    const { error } = JSON.parse(world.stderr.text().trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'RESPONSE_NOT_DECRYPTED', retryable: false });
    expect(error.message).toMatch(/^the service’s response is encrypted, and this profile has no private key; nothing/);
  });
});

test('an estimate stops a change only if it is short by more than a price moves', () => {
  const sale = (heldMinor: bigint) => [balanceLine(amount('USDC', heldMinor), -100_000_000n, { isEstimate: true })];
  expect(() => requireCovered(sale(90_000_000n))).not.toThrow();
  expect(() => requireCovered(sale(89_999_999n))).toThrow('this takes about 100.00 USDC; nothing was sent');
});

test.each([
  ['NGN', 'choose a smaller amount; max withdraws what is available'],
  ['CNGN', 'add to the balance, or choose a smaller amount'],
] as const)('a balance in %s that is too low has a remedy that can work', (asset, hint) => {
  const short = () => requireCovered([balanceLine(amount(asset, 1n), -2n)]);
  expect(short).toThrow(expect.objectContaining({ code: 'BALANCE_TOO_LOW', hint }));
});
