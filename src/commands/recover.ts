import { command } from '../cli/command.ts';
import { argument, id } from '../cli/parameters.ts';
import { outcomeOf } from '../cli/session.ts';
import { recoverRequest } from '../contract/endpoints/recovery.ts';

const recoverCommand = command({
  words: ['recover'],
  summary: 'Ask the service to look after a request that is stuck',
  details: 'For a request whose status does not move any more. It starts nothing anew and pays nothing twice.',
  examples: [
    'fiatrail recover 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de',
    'fiatrail recover 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de -o json',
  ],
  endpoints: [recoverRequest.id],
  parameters: { requestId: argument('request-id', 'as printed when it was started', id, 'Request id:') },
  run: async (session, { requestId }) => {
    const reply = await session.call(recoverRequest, { requestId });
    await session.note('the service looks after it; ask for its status again in a while');
    return outcomeOf(session, recoverRequest, reply);
  },
});

export const commands = [recoverCommand];
