import type { Profile } from './profile.ts';
import type { Absence, StoredProfile } from './stored-profile.ts';

/** How long a service's lists may take to show a request, unless the profile says otherwise. Source: inferred. */
const VISIBLE_AFTER_MS = 10 * 60_000;

/** When a request that is in no list counts as not done. */
interface AbsenceRules {
  readonly absence: Absence;
  readonly visibleAfterMs: number;
}

type Rules = Pick<StoredProfile, 'mode' | 'absence' | 'visibleAfterMs' | 'trustedRules'>;

/** No source promises that the lists of a live account are complete at once, so a person decides there. */
const defaultOf = ({ mode }: Pick<Rules, 'mode'>): Absence => (mode === 'live' ? 'ask' : 'accept');

const wantedRules = (rules: Rules): AbsenceRules => ({
  absence: rules.absence ?? defaultOf(rules),
  visibleAfterMs: rules.visibleAfterMs ?? VISIBLE_AFTER_MS,
});

/** Whether a profile's settings may free the once key of a request that was done after all, more easily than the defaults. */
export function weakensRules(rules: Rules): boolean {
  const { absence, visibleAfterMs } = wantedRules(rules);
  return (rules.mode === 'live' && absence === 'accept') || visibleAfterMs < VISIBLE_AFTER_MS;
}

/** The text that trusting the settings records. It no longer matches once one of them or the mode is edited. */
function trustOf(rules: Rules): string {
  const { absence, visibleAfterMs } = wantedRules(rules);
  return `${rules.mode}: absence ${absence}, visible after ${visibleAfterMs} ms`;
}

/** Marks a profile's settings as trusted. Settings that do not weaken the defaults need no mark. */
export function trustedRules({ trustedRules: _, ...profile }: StoredProfile): StoredProfile {
  return weakensRules(profile) ? { ...profile, trustedRules: trustOf(profile) } : profile;
}

/** Whether a profile's settings are used: weaker ones than the defaults only if the user set or trusted them on this machine. */
export const areRulesTrusted = (rules: Rules): boolean => !weakensRules(rules) || rules.trustedRules === trustOf(rules);

/** Returns when a request that is in no list counts as not done, for a profile. */
export function absenceRulesOf({ mode, stored }: Pick<Profile, 'mode' | 'stored'>): AbsenceRules {
  const rules: Rules = stored ?? { mode };
  const wanted = wantedRules(rules);
  if (areRulesTrusted(rules)) return wanted;
  return {
    absence: mode === 'live' ? 'ask' : wanted.absence,
    visibleAfterMs: Math.max(wanted.visibleAfterMs, VISIBLE_AFTER_MS),
  };
}

/** Says that settings are not used because the user has not trusted them. */
export function untrustedRules(profile: string): string {
  return `the settings of profile ${profile} for requests that are in no list were imported or edited and are not trusted, so the defaults apply; review them and trust them with: fiatrail profiles trust ${profile}`;
}
