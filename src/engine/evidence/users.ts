import { advice } from '../../base/advice.ts';
import { onboarding as anOnboarding } from '../../things/users.ts';
import { followedWorkOf } from './of-thing.ts';

export const onboarding = followedWorkOf(anOnboarding, {
  retry: (id) => advice`[fiatrail users onboard --retry ${id} --bvn-stdin] < bvn.txt`,
});
