import { onboard, onboardStatus } from '../../contract/endpoints/users.ts';
import { type FollowedWork, status } from './work.ts';

/** A user's verification. */
export const onboarding: FollowedWork = {
  starts: [onboard],
  status: status({
    endpoint: onboardStatus,
    command: 'users onboarding status',
    done: ['completed', 'verified'],
    what: 'the onboarding',
    words: ({ message }) => message ?? undefined,
  }),
  retry: (id) => `fiatrail users onboarding start --retry ${id} --bvn-stdin < bvn.txt`,
  events: { 'user.onboarded': { outcome: 'settled' } },
  evidence: 'fiatrail users list',
};
