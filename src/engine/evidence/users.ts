import { onboarding as anOnboarding } from '../../things/users.ts';
import { followedWorkOf } from './of-thing.ts';

export const onboarding = followedWorkOf(anOnboarding, {
  retry: (id) => `fiatrail users onboarding start --retry ${id} --bvn-stdin < bvn.txt`,
});
