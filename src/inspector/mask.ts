import { jsonIn } from '../base/errors.ts';
import { isJsonObject } from '../money/decimal.ts';

/** Fields that say who somebody is, or that anybody may write anything into. */
const PERSONAL =
  /(?:name|who|user|operator|host|depositor|sender|recipient|beneficiary|holder|email|phone|narration|remark|note|memo|reason|address1|street|url|target)$/i;
/** Fields whose names only sound like it, and ids, which are needed to follow anything. */
const NOT_PERSONAL = /(?:^event|^operation|eventName|bankName|tokenName|assetName|networkName|^serviceName|Id)$/;

const ACCOUNT = /(?<![\w.-])\d{10,11}(?![\w-]|\.\d)/g;
const ADDRESS = /0x[0-9a-f]{40,64}\b/gi;
const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
/** A shorter name is masked where it is a name, but not searched for in other texts: it is in many words. */
const SHORTEST = 3;
/** What the page itself needs, in which nobody can write. */
const UNMASKED =
  /^(?:id|at|kind|state|states|status|from|to|on|event|method|operation|effect|endpoint|asset|minor|amount|after|sum|balance|savedAt|title)$/;

/**
 * Returns what masks names, accounts and addresses in anything that can be JSON. What is equal stays equal, so that it can be followed:
 * each has the number in which it was first seen. Texts that are JSON are masked inside.
 */
export function createMask(): (value: unknown) => unknown {
  const numbers = new Map<string, string>();
  const numbered = (kind: string, text: string) => {
    const key = `${kind} ${text.toLowerCase()}`;
    const known = numbers.get(key) ?? `${kind}-${numbers.size + 1}`;
    numbers.set(key, known);
    return known;
  };
  const names = new Set<string>();
  const collect = (value: unknown, field: string): void => {
    if (typeof value === 'string') {
      const json = documentIn(value);
      if (json !== undefined) collect(json, field);
      else if (isPersonal(field) && value.trim().length >= SHORTEST) names.add(value.trim());
    } else if (Array.isArray(value)) for (const each of value) collect(each, field);
    else if (isJsonObject(value)) for (const [name, each] of Object.entries(value)) collect(each, name);
  };
  const masked = (value: unknown, field: string, hasNames: RegExp | undefined): unknown => {
    if (Array.isArray(value)) return value.map((each) => masked(each, field, hasNames));
    if (isJsonObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => [maskedText(name, undefined), masked(each, name, hasNames)]),
      );
    if (typeof value === 'number' && /^\d{10,11}$/.test(String(value)) && !/(?:Ms|At|_at)$/.test(field))
      return numbered('account', String(value));
    if (typeof value !== 'string') return value;
    const json = documentIn(value);
    if (json !== undefined) return JSON.stringify(masked(json, field, hasNames));
    if (UNMASKED.test(field)) return value;
    return isPersonal(field) && value !== '' ? numbered('name', value.trim()) : maskedText(value, hasNames);
  };
  const maskedText = (text: string, hasNames: RegExp | undefined) => {
    const withoutNames = hasNames ? text.replace(hasNames, (each) => numbered('name', each)) : text;
    return withoutNames
      .replace(EMAIL, (each) => numbered('email', each))
      .replace(ADDRESS, (each) => numbered('address', each))
      .replace(ACCOUNT, (each) => numbered('account', each));
  };
  return (value) => {
    collect(value, '');
    return masked(value, '', anyOf(names));
  };
}

const isPersonal = (field: string) => PERSONAL.test(field) && !NOT_PERSONAL.test(field);

/** The longest first, so that a part of a name leaves nothing of it. */
function anyOf(names: ReadonlySet<string>): RegExp | undefined {
  const escaped = [...names]
    .toSorted((a, b) => b.length - a.length)
    .map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return escaped.length === 0 ? undefined : new RegExp(escaped.join('|'), 'gi');
}

/** What a text says that is a JSON object or list; its numbers are only looked at, and a cut one is no JSON. */
const documentIn = (text: string): unknown => (/^\s*[[{]/.test(text) ? jsonIn(text) : undefined);
