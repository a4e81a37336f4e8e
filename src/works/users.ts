import { onrampStatus, startOnramp } from '../contract/endpoints/onramp.ts';
import { onboard, onboardStatus } from '../contract/endpoints/users.ts';
import { status, type Work } from './work.ts';

/** Naira that becomes cNGN once it is paid. Nothing has moved before somebody pays, so a lost start costs nothing. */
export const onramp: Work = {
  starts: [startOnramp.id],
  status: status({
    endpoint: onrampStatus,
    input: (requestId) => ({ requestId }),
    stateOf: ({ status: state }) => state,
    done: ['completed'],
    failed: ['failed'],
    what: 'the onramp',
    again: (requestId) => `fiatrail onramp status ${requestId} --wait`,
    words: ({ wallet }) =>
      wallet?.virtualAccountStatus === 'expired' ? 'the account was not paid in time' : undefined,
  }),
  evidence: 'fiatrail history deposits --type user_onramp',
};

/** A user's verification. */
export const onboarding: Work = {
  starts: [onboard.id],
  status: status({
    endpoint: onboardStatus,
    input: (requestId) => ({ requestId }),
    stateOf: ({ status: state }) => state,
    done: ['completed', 'verified'],
    failed: ['failed'],
    what: 'the onboarding',
    again: (requestId) => `fiatrail users onboarding ${requestId} --wait`,
    words: ({ message }) => message ?? undefined,
  }),
  evidence: 'fiatrail users list',
};
