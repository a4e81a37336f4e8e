import { type AnswerFormName, answerFormsOf } from '../../src/contract/answer-forms.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { listDeposits, listPayouts, listTransactions } from '../../src/contract/endpoints/history.ts';
import { onrampStatus } from '../../src/contract/endpoints/onramp.ts';
import type { Ask } from '../service/operations/rows/group.ts';
import { groups } from '../service/operations/rows/index.ts';
import { rows as controls, receiver } from '../service/operations/rows/sandbox.ts';
import { onboardUser, startRamp } from '../service/steps.ts';
import { dataOf, openSandbox, type TestSandbox } from '../support/sandbox.ts';

/** What the sandbox answered to a request. */
export interface Recorded {
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Calls every endpoint in every state that the conformance test knows, and returns the answers in the order of the calls. */
export async function recordAnswers(name: AnswerFormName, serviceName?: string): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  const recorder =
    (box: TestSandbox): Ask =>
    async (endpoint, input, apiKey) => {
      const response = await box.send(endpoint, input, apiKey);
      recorded.push({ endpoint, input: { ...(input as object) }, body: response.body });
      // As a client reads it, whatever its form: the next step needs the ids.
      return dataOf(endpoint, response);
    };
  // The answers of the controls have one form.
  for (const { walk } of [...groups.filter((each) => each !== controls), { walk: filtered }]) {
    await using box = await openSandbox({
      answers: { forms: answerFormsOf(name), serviceName },
      delivery: { exchange: receiver },
    });
    await walk(box, recorder(box));
  }
  return recorded;
}

/** Requests that the documented answers were given to and the other walks do not send. */
async function filtered(box: TestSandbox, ask: Ask): Promise<void> {
  const { userId } = await onboardUser(box);
  const { walletAddress } = await startRamp(box, userId, 5_000, { autoSwap: true, assetSwap: 'USDC' });
  await ask(onrampStatus, { requestId: walletAddress, walletAddress });
  await ask(listDeposits, { type: 'fintech_deposit', status: 'completed' });
  await ask(listPayouts, { type: 'fintech_offramp', status: 'completed' });
  await ask(listTransactions, { direction: 'in', status: 'completed' });
}
