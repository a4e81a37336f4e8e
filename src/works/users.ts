import { onrampStatus, startOnramp } from '../contract/endpoints/onramp.ts';
import { onboard, onboardStatus } from '../contract/endpoints/users.ts';
import { status, type Work } from './work.ts';

const isEvmAddress = (text: string) => /^0x[\da-f]{40}$/i.test(text);

/** Naira that becomes cNGN once it is paid. Nothing has moved before somebody pays, so a lost start costs nothing. */
export const onramp: Work = {
  starts: [startOnramp],
  status: status({
    endpoint: onrampStatus,
    // The specification describes the address as another value of requestId, public documentation as a field of its own.
    input: (requestId) => (isEvmAddress(requestId) ? { requestId, walletAddress: requestId } : { requestId }),
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
  starts: [onboard],
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
