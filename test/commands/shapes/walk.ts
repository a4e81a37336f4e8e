import { main } from '../../../src/main.ts';
import { fakeWorld } from '../../support/world.ts';

/** What a command printed under `-o json`. */
export interface Printed {
  readonly line: string;
  readonly json: unknown;
}

type Json = Record<string, unknown>;

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

/** Runs every command that prints an answer of the service, on a sandbox of its own, and returns what each printed. */
export async function walk(): Promise<readonly Printed[]> {
  const printed: Printed[] = [];
  const world = fakeWorld();
  let read = 0;
  /** Runs a command line; `{}` stands for a word with spaces. Throws unless it succeeds, or is a wait that is too short. */
  const run = async (line: string, ...values: readonly string[]): Promise<Json> => {
    let next = 0;
    const words = line.split(' ').map((word) => (word === '{}' ? (values[next++] ?? '') : word));
    const code = await main([...words, '--yes', '-q', '-o', 'json'], world);
    const text = world.stdout.text();
    if (code !== 0 && !(code === 8 && line.endsWith('--wait 1ms')))
      throw new Error(`fiatrail ${line}: exit ${code}: ${world.stderr.text()}`);
    const json = JSON.parse(text.slice(read)) as Json;
    read = text.length;
    printed.push({ line, json });
    return json;
  };
  await run('sandbox simulate --days 2 --users 5');
  await run('sandbox reset');
  await run('sandbox seed --pace instant');
  await run('webhooks set https://inbox.fiatrail.invalid/');
  const userId = await people(run);
  await webhooks(run);
  await fundings(run, userId);
  await trades(run);
  await account(run);
  return printed;
}

type Run = (line: string, ...values: readonly string[]) => Promise<Json>;

const textIn = (json: Json, name: string) => String(json[name]);
const valueIn = (json: Json, name: string) => textIn(json[name] as Json, 'value');

async function webhooks(run: Run): Promise<void> {
  await run('webhooks disable');
  await run('webhooks enable');
  await run('webhooks show');
  await run('webhooks inbox gaps');
  const { events } = await run('sandbox events list');
  const eventId = textIn((events as Json[])[0] ?? {}, 'eventId');
  await run(`sandbox events show ${eventId}`);
  await run(`sandbox events resend ${eventId}`);
}

async function people(run: Run): Promise<string> {
  const userId = textIn(await run('users onboard 22345678901 --wait'), 'userId');
  const begun = await run('users onboard 22345678902');
  await run(`users onboarding status ${textIn(begun, 'requestId')}`);
  await run(`users show ${userId}`);
  await run('users list');
  await run('users list --all --limit 2');
  await run(`users default-wallet set ${userId} --address ${WALLET} --network base --yes`);
  await run(`users default-wallet show ${userId}`);
  await run(`users default-wallet remove ${userId}`);
  await run(`users onramp-asset set ${userId} --asset CNGN`);
  await run(`users deactivate ${userId} --reason test`);
  await run(`users activate ${userId}`);
  await run(`users migrate-wallets ${userId}`);
  return userId;
}

/** An onramp that is paid for, and what can be done with the tokens. */
async function fundings(run: Run, userId: string): Promise<void> {
  const pay = async (requestId: string) => {
    const bank = await run(`onramp account ${requestId}`);
    const total = valueIn(bank, 'totalAmountWithFee');
    await run(`sandbox pay ${textIn(bank, 'accountNumber')} --amount ${total} --sender {}`, 'IFEOMA OBI');
    return textIn(await run(`onramp status ${requestId} --wait`), 'walletAddress');
  };
  const wallet = await pay(textIn(await run(`onramp create ${userId} --amount 90000`), 'requestId'));
  await pay(textIn(await run(`onramp create ${userId} --amount 9000 --auto-swap USDC`), 'requestId'));
  // Charged a gateway fee.
  await pay(textIn(await run(`onramp create ${userId} --amount 1901`), 'requestId'));
  await run(`onramp create ${userId} --amount 9000 --wait 1ms`);
  await run(`swaps create ${userId} --sell CNGN --buy USDC --amount 10000 --from ${wallet} --to ${wallet}`);
  const swap = await run(`swaps create ${userId} --sell CNGN --buy USDT --amount 10000 --from ${wallet} --wait`);
  await run(`swaps status ${textIn(swap, 'requestId')}`);
  await run(`swaps create --wallet ${wallet} --sell CNGN --buy USDC --amount 5000`);
  await run(`swaps create --wallet ${wallet} --sell CNGN --buy USDC --amount 5000 --again --wait`);
  await run('swaps list');
  await run('swaps list --all --limit 2');
  await run(`withdrawals create ${userId} --amount 200 --token CNGN --from ${wallet} --to ${OTHER}`);
  await run(`wallets list ${userId}`);
  await run(`balances user ${userId}`);
  const offramp = await run(`offramp create ${userId} --amount 2000 --bank-code 000013 --account-number 0123456789`);
  await run(`offramp create ${userId} --amount 2000 --bank-code 000013 --account-number 0123456789 --again --wait`);
  await run(`offramp status ${textIn(offramp, 'requestId')}`);
  for (const kind of ['deposits', 'payouts', 'transactions', 'withdrawals']) {
    await run(`history ${kind}`);
    await run(`history ${kind} --all --limit 1`);
  }
}

async function trades(run: Run): Promise<void> {
  const quoteId = textIn(await run('fx quote --pair CNGN-USDC --side buy --amount 5000'), 'quoteId');
  await run(`fx trade --quote ${quoteId}`);
  const trade = await run('fx trade --pair CNGN-USDC --side buy --amount 5000 --wait');
  await run('fx trade --market --pair CNGN-USDT --side sell --amount 5000');
  await run('fx trade --market --pair CNGN-USDT --side sell --amount 5000 --wait');
  await run(`fx trades status ${textIn(trade, 'tradeId')}`);
  await run('fx trades list');
  await run('fx trades list --all --limit 1');
  await run('fx book CNGN-USDC');
  await run('fx stats CNGN-USDC');
  const order = await run('fx orders create --pair CNGN-USDC --side buy --price 1300 --min 1000 --max 5000');
  await run(`fx orders update ${textIn(order, 'orderId')} --price 1310`);
  await run(`fx orders pause ${textIn(order, 'orderId')}`);
  await run(`fx orders resume ${textIn(order, 'orderId')}`);
  await run('fx orders list');
  await run('fx orders list --all --limit 1');
  await run(`fx orders cancel ${textIn(order, 'orderId')}`);
  for (const line of ['vault show', 'auto-signing show', 'auto-signing stats', 'auto-signing disable', 'book-token'])
    await run(`fx ${line}`);
  await run('fx auto-signing enable');
  await run('fx auto-signing set 500');
}

async function account(run: Run): Promise<void> {
  for (const line of ['show', 'earned', 'preview --amount 5000 --transaction-type onramp', 'set --onramp-percent 0.5%'])
    await run(`fees ${line}`);
  const to = '--bank-code 000013 --account-number 0123456789 --account-name ADA';
  const taken = await run(`fees withdraw --amount 2000 ${to}`);
  await run(`fees withdraw --amount 2000 ${to} --again --wait 1ms`);
  await run(`fees withdrawals status ${textIn(taken, 'withdrawalId')}`);
  await run('fees withdrawals list');
  await run('fees withdrawals list --all');
  await run('banks');
  const added = await run('bank-accounts add --account-number 0123456789 --bank-code 000013 --yes');
  const accountId = textIn(added, 'accountId');
  await run('bank-accounts list');
  await run(`bank-accounts show ${accountId}`);
  await run(`bank-accounts update ${accountId} --label other`);
  const payout = await run(`payout create --amount 500 --to ${accountId}`);
  await run(`payout create --amount 500 --to ${accountId} --again --wait`);
  await run(`payout status ${textIn(payout, 'requestId')}`);
  await run('sandbox settle');
  await run(`bank-accounts remove ${accountId}`);
  await run(`wallets external add ${WALLET} --network base`);
  await run(`wallets external disable ${WALLET}`);
  await run(`wallets external enable ${WALLET}`);
  await run(`transfers create --amount 10 --to ${WALLET}`);
  await run(`wallets external remove ${WALLET}`);
  await run('wallets external list');
  await run('wallets show');
  await run('wallets deposit-account');
  await run('balances account');
  await run(`balances address ${WALLET} --token USDC`);
  await bridges(run);
  for (const group of ['onramp', 'offramp', 'payout', 'withdrawals', 'transfers']) await run(`${group} list`);
  const sent = (await run('history withdrawals --limit 1'))['withdrawals'] as Json[];
  await run(`withdrawals status ${textIn(sent[0] ?? {}, 'requestId')}`);
  await run(`transfers status ${textIn(sent[0] ?? {}, 'requestId')}`);
  for (const line of ['wallets auto-signing show', 'ip list', 'ip check', 'status', 'ops list', 'sandbox status'])
    await run(line);
  const [operation] = ((await run('ops list --limit 1'))['operations'] ?? []) as Json[];
  await run(`ops show ${textIn(operation ?? {}, 'operationId')}`);
}

async function bridges(run: Run): Promise<void> {
  await run('bridge networks');
  await run('bridge quote --from-network base --to-network bsc --amount 500');
  const route = `--from-network base --to-network bsc --amount 500 --from ${WALLET} --to ${OTHER}`;
  await run(`bridge create ${route} --wait 1ms`);
  const bridge = await run(`bridge create ${route} --again`);
  const address = textIn(bridge, 'receivableAddress');
  await run(`sandbox pay ${address} --chain --network base --amount 500 --sender ${WALLET}`);
  await run(`bridge status ${textIn(bridge, 'requestId')} --wait`);
  await run('bridge list');
  await run('bridge list --all --limit 1');
}
