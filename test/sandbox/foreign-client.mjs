// Somebody else's client, written from the public pages of the service alone: it onboards a user by BVN, has the onramp paid and
// pays the money out to a bank. Usage: node foreign-client.mjs URL KEY BVN
const [url, key, bvn] = process.argv.slice(2);

async function call(method, path, body) {
  const response = await fetch(url + path, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  const code = answer.response_code ?? answer.responseCode ?? answer.status;
  if (!response.ok || code !== '00') throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer.data;
}

/** Asks until the work has one of these states. */
async function until(states, ask) {
  for (let count = 0; count < 150; count++) {
    const data = await ask();
    if (states.includes(data.status)) return data;
    if (data.status === 'failed') throw new Error(JSON.stringify(data));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`waited in vain for ${states}`);
}

const onboarding = await call('POST', '/onboarduser', { bvn });
// An older page has other words.
const userId = onboarding.userHash ?? onboarding.userId;
const { requestId } = onboarding;
const onboarded = await until(['completed', 'verified'], () => call('POST', '/onboardstatus', { requestId }));
const user = await call('POST', '/getuserdetails', { userId });
const [permanent] = user.virtualAccounts ?? user.virtualAccountDetails;

const onramp = { requestId: (await call('POST', '/cngnonramp', { userId, amount: 5000 })).requestId };
const payable = await until(['created', 'active'], () => call('POST', '/getvirtualaccount', onramp));
const { accountNumber, totalAmountWithFee: amount } = payable.virtualAccount;
// The sandbox's own way to make somebody pay.
const payer = await fetch(new URL('/_sandbox/pay', url), {
  method: 'POST',
  headers: { 'x-api-key': key, 'content-type': 'application/json' },
  body: JSON.stringify({ accountNumber, amount, senderName: 'ANY PAYER' }),
});
if (!payer.ok) throw new Error(await payer.text());
const funded = await until(['completed'], () => call('POST', '/cngnonrampstatus', onramp));

const bank = { accountNumber: '0123456789', bankCode: '000013', ticker: 'CNGN' };
const offramp = await call('POST', '/cngnofframp', { userId, amount: 1000, ...bank });
const paid = await until(['completed'], () => call('POST', '/cngnofframpstatus', { requestId: offramp.requestId }));
const states = [onboarded, funded, paid].map(({ status }) => status);
process.stdout.write(`${JSON.stringify({ permanent: permanent.accountNumber, amount, states })}\n`);
