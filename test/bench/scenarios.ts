/** Sends a request, and returns the data of its response. */
export type Send = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Data>;
type Data = Readonly<Record<string, unknown>>;

/** What an account does, a request after the other. `user` is verified; `number` differs from run to run. */
type Scenario = (send: Send, user: string, number: number) => Promise<unknown>;

const FIRST_BVN = 30_000_000_000;
/** Filled by three orders of the benchmark's book. */
const WISH = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '120000' };

/** With the pace `instant`, the last request of each ends the work of those before it. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'an onboarding': async (send, _user, number) => {
    const { requestId } = await send('POST', '/v1/onboarduser', { bvn: String(FIRST_BVN + number) });
    await send('POST', '/v1/onboardstatus', { requestId });
  },
  'an onramp to its mint': async (send, userId) => {
    const { requestId } = await send('POST', '/v1/cngnonramp', { userId, amount: 5000 });
    const { virtualAccount } = await send('POST', '/v1/getvirtualaccount', { requestId });
    const { accountNumber, totalAmountWithFee: amount } = virtualAccount as Data;
    await send('POST', '/_sandbox/pay', { accountNumber, amount, senderName: 'ADA OBI' });
    await send('POST', '/v1/cngnonrampstatus', { requestId });
  },
  'a trade': async (send) => {
    const { trade } = await send('POST', '/v1/fx/market-order', WISH);
    await send('GET', `/v1/fx/trades/${String((trade as Data)['tradeId'])}`);
  },
};

/** Returns a user of the account. */
export async function userOf(send: Send): Promise<string> {
  const { users } = (await send('POST', '/v1/listfintechusers', { limit: 1 })) as { users: { userId: string }[] };
  return users[0]?.userId ?? '';
}
