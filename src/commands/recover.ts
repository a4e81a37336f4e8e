import { recoverRequest } from '../contract/endpoints/recovery.ts';
import { outcomeOf } from '../engine/outcome.ts';
import { command } from '../terminal/command.ts';
import { argument, id, picked } from '../terminal/parse/parameters.ts';

const recoverCommand = command({
  words: ['recover'],
  summary: 'Recover a stuck request',
  details:
    'Asks the service to continue a request whose status no longer changes. It never starts a new request or pays twice.',
  examples: ['fiatrail recover REQUEST_ID', 'fiatrail recover REQUEST_ID -o json'],
  endpoints: [recoverRequest.id],
  prints: { response: recoverRequest },
  parameters: {
    requestId: picked(
      'request',
      argument('request-id', 'request id, printed when the request was started', id, 'Which request?'),
    ),
  },
  run: async (account, _terminal, { requestId }) => {
    const reply = await account.call(recoverRequest, { requestId });
    await account.notices.note('the service continues the request if it is stuck; one that has ended stays as it is');
    return outcomeOf(account, recoverRequest, reply);
  },
});

export const commands = [recoverCommand];
