import { onboard, onboardStatus } from '../../contract/endpoints/users.ts';
import { status, type Work } from './work.ts';

/** A user's verification. */
export const onboarding: Work = {
  starts: [onboard],
  status: status({
    endpoint: onboardStatus,
    input: (requestId) => ({ requestId }),
    stateOf: ({ status: state }) => state,
    done: ['completed', 'verified'],
    failed: ['failed'],
    what: 'the onboarding',
    again: (requestId) => `fiatrail users onboarding status ${requestId} --wait`,
    words: ({ message }) => message ?? undefined,
  }),
  retry: (id) => `fiatrail users onboarding start --retry ${id} --bvn-stdin < bvn.txt`,
  events: { 'user.onboarded': { outcome: 'settled' } },
  evidence: 'fiatrail users list',
};
