/** Which packages of package-lock.json advisories are about. Advisories are in the format of OSV, 1.x. */

/** A package in package-lock.json. */
export interface Locked {
  readonly name: string;
  readonly version: string;
}

/** A locked package that an advisory is about. */
export interface Hit extends Locked {
  readonly id: string;
  readonly summary: string;
  /** The versions that fix it, as the advisory says. */
  readonly fixed: readonly string[];
}

interface Event {
  readonly introduced?: string;
  readonly fixed?: string;
  readonly last_affected?: string;
}

interface Affected {
  readonly package?: { readonly ecosystem?: string; readonly name?: string };
  readonly versions?: readonly string[];
  readonly ranges?: readonly { readonly type?: string; readonly events?: readonly Event[] }[];
}

/** An advisory, as far as it is read. */
export interface Advisory {
  readonly id: string;
  readonly summary?: string;
  readonly withdrawn?: string;
  readonly affected: readonly Affected[];
}

/** Returns the packages of a package-lock.json, once for each version. */
export function lockedPackages(text: string): Locked[] {
  const { packages } = JSON.parse(text) as { packages: Record<string, { name?: string; version?: string }> };
  const found = Object.entries(packages).flatMap(([path, { name, version }]) => {
    const folder = path.split('node_modules/').at(-1) ?? '';
    return path === '' || version === undefined ? [] : [{ name: name ?? folder, version }];
  });
  const unique = new Map(found.map((each) => [`${each.name} ${each.version}`, each]));
  return [...unique.values()];
}

/** Returns the advisories in a JSON text: one, or a list. Throws Error if it has anything else. */
export function advisoriesIn(text: string): Advisory[] {
  const json: unknown = JSON.parse(text);
  return (Array.isArray(json) ? json : [json]).map((each: Partial<Advisory> | null) => {
    if (typeof each?.id !== 'string' || !Array.isArray(each.affected))
      throw new Error('expected an OSV advisory with "id" and "affected", or a list of them');
    return each as Advisory;
  });
}

/** Returns the locked packages that an advisory is about; none if it was withdrawn. */
export function hitsOf({ id, summary = '', withdrawn, affected }: Advisory, locked: readonly Locked[]): Hit[] {
  if (withdrawn !== undefined) return [];
  return affected.flatMap((each) => {
    const { ecosystem, name } = each.package ?? {};
    if (ecosystem !== 'npm') return [];
    const events = (each.ranges ?? []).flatMap((range) => range.events ?? []);
    const fixed = events.flatMap((event) => event.fixed ?? []);
    return locked
      .filter((found) => found.name === name && isAffected(found.version, each))
      .map((found) => ({ ...found, id, summary, fixed }));
  });
}

/** Whether an entry is about a version. One that says nothing of versions is about all of them. */
function isAffected(version: string, { versions, ranges = [] }: Affected): boolean {
  if (versions?.includes(version)) return true;
  const known = ranges.filter(({ type }) => type !== 'GIT');
  if (known.length === 0) return versions === undefined;
  return known.some(({ events = [] }) => isInRange(version, events));
}

/** Goes through the events in the order of their versions, as OSV describes; what cannot be compared counts as affected. */
function isInRange(version: string, events: readonly Event[]): boolean {
  const at = parsed(version);
  const steps = events.map((event) => {
    const text = event.introduced ?? event.fixed ?? event.last_affected ?? '';
    return { event, bound: parsed(text === '0' ? '0.0.0-0' : text) };
  });
  if (!at || steps.some(({ bound }) => !bound)) return true;
  const sorted = steps.flatMap(({ event, bound }) => (bound ? [{ event, bound }] : []));
  sorted.sort((a, b) => compared(a.bound, b.bound));
  return sorted.reduce((isIn, { event, bound }) => {
    const order = compared(at, bound);
    if (event.introduced !== undefined) return isIn || order >= 0;
    return isIn && !(event.fixed !== undefined ? order >= 0 : order > 0);
  }, false);
}

/** A semantic version: its three numbers, and the parts of a prerelease. */
interface Version {
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];
}

function parsed(text: string): Version | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?(?:\+[\w.-]+)?$/.exec(text);
  if (!match) return undefined;
  const [, major = '', minor = '', patch = '', prerelease] = match;
  return { numbers: [major, minor, patch].map(BigInt), prerelease: prerelease?.split('.') ?? [] };
}

/** Orders versions as semver.org says: a prerelease comes before its release. */
function compared(a: Version, b: Version): number {
  const numbers = firstDifference(a.numbers, b.numbers);
  if (numbers !== 0) return numbers;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  return firstDifference(a.prerelease, b.prerelease);
}

function firstDifference<T extends bigint | string>(some: readonly T[], others: readonly T[]): number {
  for (const [index, one] of some.entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    const order = inOrder(one, other);
    if (order !== 0) return order;
  }
  return some.length - others.length;
}

/** Numbers come before words, and are ordered as numbers. */
function inOrder(one: bigint | string, other: bigint | string): number {
  const [a, b] = [one, other].map((each) => (/^\d+$/.test(String(each)) ? BigInt(each) : each)) as [
    typeof one,
    typeof one,
  ];
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
