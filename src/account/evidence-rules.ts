import type { Profile } from './profile.ts';
import type { Absence, EvidenceKind, StoredProfile } from './stored-profile.ts';

/** How long a service's lists may take to show a request, unless the profile says otherwise. Source: inferred. */
const VISIBLE_AFTER_MS = 10 * 60_000;

/** How long a sandbox holds the service's idempotency keys at least. Source: inferred. */
const SANDBOX_LIFETIME_MS = 24 * 3_600_000;

/** What decides an unknown outcome: when a request that is in no list counts as not done, and what proves that a row is the request. */
interface EvidenceRules {
  readonly absence: Absence;
  readonly visibleAfterMs: number;
  readonly evidence: EvidenceKind;
  /** How long a request may be repeated under the service's idempotency key; undefined if the profile does not say it. */
  readonly idempotencyLifetimeMs: number | undefined;
}

/** The settings of a profile that decide about unknown outcomes. */
export const EVIDENCE_SETTINGS = ['absence', 'visibleAfterMs', 'evidence', 'idempotencyLifetimeMs'] as const;

type EvidenceSettings = Pick<StoredProfile, 'mode' | (typeof EVIDENCE_SETTINGS)[number] | 'trustedRules'>;

/** No source promises that the lists of a live account are complete at once, so a person decides there. */
const defaultOf = ({ mode }: Pick<EvidenceSettings, 'mode'>): Absence => (mode === 'live' ? 'ask' : 'accept');

const wantedRules = (rules: EvidenceSettings): EvidenceRules => ({
  absence: rules.absence ?? defaultOf(rules),
  visibleAfterMs: rules.visibleAfterMs ?? VISIBLE_AFTER_MS,
  evidence: rules.evidence ?? 'equal',
  idempotencyLifetimeMs: rules.idempotencyLifetimeMs ?? (rules.mode === 'live' ? undefined : SANDBOX_LIFETIME_MS),
});

/** Whether a profile's settings may free the idempotency key of a request that was done after all, more easily than the defaults. */
export function weakensRules(rules: EvidenceSettings): boolean {
  const { absence, visibleAfterMs } = wantedRules(rules);
  const isKeyed = rules.idempotencyLifetimeMs !== undefined;
  return (rules.mode === 'live' && (absence === 'accept' || isKeyed)) || visibleAfterMs < VISIBLE_AFTER_MS;
}

/** The text that trusting the settings records. It no longer matches once one of them or the mode is edited. */
function trustOf(rules: EvidenceSettings): string {
  const { absence, visibleAfterMs } = wantedRules(rules);
  const { idempotencyLifetimeMs: lifetimeMs } = rules;
  const keyed = lifetimeMs === undefined ? '' : `, idempotency keys hold for ${lifetimeMs} ms`;
  return `${rules.mode}: absence ${absence}, visible after ${visibleAfterMs} ms${keyed}`;
}

/** Marks a profile's settings as trusted. Settings that do not weaken the defaults need no mark. */
export function trustedRules({ trustedRules: _, ...profile }: StoredProfile): StoredProfile {
  return weakensRules(profile) ? { ...profile, trustedRules: trustOf(profile) } : profile;
}

/** Whether a profile's settings are used: weaker ones than the defaults only if the user set or trusted them on this machine. */
export const areRulesTrusted = (rules: EvidenceSettings): boolean =>
  !weakensRules(rules) || rules.trustedRules === trustOf(rules);

/** Returns what decides about the unknown outcome of a request of a profile. */
export function evidenceRulesOf({ mode, stored }: Pick<Profile, 'mode' | 'stored'>): EvidenceRules {
  const rules: EvidenceSettings = stored ?? { mode };
  const wanted = wantedRules(rules);
  if (areRulesTrusted(rules)) return wanted;
  return {
    ...wanted,
    absence: mode === 'live' ? 'ask' : wanted.absence,
    visibleAfterMs: Math.max(wanted.visibleAfterMs, VISIBLE_AFTER_MS),
    idempotencyLifetimeMs: mode === 'live' ? undefined : wanted.idempotencyLifetimeMs,
  };
}

/** Says that settings are not used because the user has not trusted them. */
export function untrustedRules(profile: string): string {
  return `the settings of profile ${profile} for requests that are in no list were imported or edited and are not trusted, so the defaults apply; review them and trust them with: fiatrail profiles trust ${profile}`;
}
