import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
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
}

/** Runs a command for an account with a balance; `sent` lists what was sent that is no read. */
async function run(argv: readonly string[], { balance, minimumKobo = 1_000 }: Held, answers: readonly Answer[]) {
  const asked: string[] = [];
  const network: Exchange = async ({ url, method }) => {
    const path = new URL(url).pathname.replace('/v1', '');
    asked.push(`${method} ${path}`);
    if (path.startsWith('/balance')) {
      if (balance === 'unreadable') return refusal(404, '02', 'no');
      const networkBalances = [
        { network: 'bsc', balance: '0', walletAddress: FROM },
        { network: 'base', balance, walletAddress: FROM },
      ];
      return success({ totalBalance: balance, networkBalances });
    }
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

const COMMANDS: readonly [words: string, argv: readonly string[], unit: string][] = [
  [
    'withdrawals',
    ['withdrawals', 'start', 'u-1', '--amount', '20', '--token', 'USDC', '--from', FROM, '--to', TO],
    'USDC',
  ],
  ['transfers', ['transfers', 'start', '--amount', '20', '--to', TO], 'cNGN'],
  ['offramp', ['offramp', 'start', 'u-1', '--amount', '20', ...BANK], 'cNGN'],
  ['swaps', ['swaps', 'start', 'u-1', '--sell', 'CNGN', '--buy', 'USDC', '--amount', '20'], 'cNGN'],
  ['swaps of a wallet', ['swaps', 'wallets', 'start', '--wallet', FROM, '--sell', 'CNGN', '--amount', '20'], 'cNGN'],
];

describe('a balance that this command has read', () => {
  // Fees that cannot be read leave open what an offramp takes.
  test.each(COMMANDS.filter(([what]) => what !== 'offramp'))(
    'stops %s before the question if it is short',
    async (_, argv, unit) => {
      const { code, stderr, rows } = await run(argv, { balance: '19.999999' }, []);
      expect({ code, rows }).toEqual({ code: 9, rows: [] });
      expect(stderr).toContain(`the balance is 19.999999 ${unit}, and this takes 20.00 ${unit}; nothing was sent`);
    },
  );

  test.each(COMMANDS)('lets %s ask if it is just enough', async (_, argv) => {
    const { code, stderr } = await run(argv, { balance: '20' }, [NO]);
    expect({ code, isDeclined: stderr.includes('declined; nothing was sent') }).toEqual({ code: 9, isDeclined: true });
  });

  test.each(COMMANDS)('does not stop %s if it cannot be read', async (_, argv) => {
    const { stderr } = await run(argv, { balance: 'unreadable' }, [NO]);
    expect(stderr).toContain('declined; nothing was sent');
  });
});

const FEES = ['fees', 'withdrawals', 'start', '--account-name', 'ADA', ...BANK];

describe('fees withdrawals start', () => {
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

  test('reads nothing more with --yes, so the service decides', async () => {
    const { asked } = await run([...FEES, '--amount', '500', '--yes'], { balance: '499' }, []);
    expect(asked).toContain('POST /feewithdrawal');
    expect(asked).not.toContain('GET /getaccumulatedfees');
  });
});

describe('a response that cannot be opened', () => {
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
    const code = await main(['transfers', 'start', '--amount', '20', '--to', TO, ...more, '-o', 'json'], world);
    expect({ code, sent: asked.filter((path) => MONEY.test(path)), rows: journalRows(world.stateDir) }).toEqual({
      code: 2,
      sent: [],
      rows: [],
    });
    const { error } = JSON.parse(world.stderr.text().trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'ANSWER_NOT_OPENED', retryable: false });
    expect(error.message).toMatch(/^the service’s response is encrypted, and this profile has no private key; nothing/);
  });
});
