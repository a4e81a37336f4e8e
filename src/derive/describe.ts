import {
  type Alias,
  type DeclaredError,
  type Effect,
  type Endpoint,
  EVERYWHERE,
  pathParameters,
  placeOf,
} from '../contract/endpoint.ts';
import { type Group, groups } from '../contract/endpoints/index.ts';
import { FAULTS, faultName } from '../contract/faults.ts';
import type { FieldMeta, Source } from '../contract/fields.ts';
import { type FieldRow, rowsOf } from '../contract/rows.ts';
import { ASSET_LABEL } from '../money/amount.ts';

/** One field of a request or an answer, in words a person reads. */
export interface FieldDescription {
  /** Flat: `matchedOrders[].price`. */
  readonly name: string;
  readonly type: string;
  /** In a request: it must be given. In an answer: it is always there. */
  readonly required: boolean;
  readonly nullable: boolean;
  /** Values and states by name; an answer may have others. */
  readonly values: readonly string[] | null;
  /** Of money as in the contract, or `percent`. */
  readonly unit: string | null;
  /** The asset, or the name of the field that holds it. */
  readonly asset: string | null;
  readonly rule: string | null;
  readonly secret: boolean;
  readonly source: Source;
  /** Unit, values and rule as one text; empty where the type says all. */
  readonly meaning: string;
}

export interface RequestField extends FieldDescription {
  readonly in: 'path' | 'query' | 'body';
  /** Other names the sandbox takes it under. */
  readonly synonyms: readonly string[];
}

/** One refusal: what it is called, when it comes, and what a person does next. */
export interface Refusal {
  readonly code: string;
  readonly http: number;
  readonly name: string;
  readonly when: string;
  readonly remedy: string;
  readonly source: Source;
}

/** Everything the contract knows of one endpoint. */
export interface EndpointDescription {
  readonly id: string;
  readonly summary: string;
  readonly group: string;
  readonly method: string;
  readonly path: string;
  readonly aliases: readonly Alias[];
  readonly effect: Effect;
  /** Where one field's value decides the effect: the field, and its values' effects. */
  readonly effects: Endpoint['effects'] | null;
  /** Both as one text. */
  readonly effectWords: string;
  readonly rateLimit: { readonly max: number; readonly windowSeconds: number };
  readonly source: Source;
  readonly request: readonly RequestField[];
  readonly response: readonly FieldDescription[];
  readonly refusals: readonly Refusal[];
}

/** A unit in words; `of` is the asset, or the field that names it. */
const UNIT_WORDS: Readonly<Record<NonNullable<FieldMeta['unit']>, (of: string) => string>> = {
  naira: () => 'a number of Naira',
  kobo: () => 'kobo, of which 100 are one Naira',
  token: (of) => `a number of ${of}`,
  base: (of) => `base units of ${of}, of which 1,000,000 are one`,
  'decimal-string': (of) => `decimal text in ${of}`,
  percent: () => 'percent',
};

export function describeEndpoint(endpoint: Endpoint): EndpointDescription {
  const { id, summary, method, path, aliases = [], rateLimit, source } = endpoint;
  return {
    id,
    summary,
    group: groupOf(endpoint),
    method,
    path,
    aliases,
    effect: endpoint.effect,
    effects: endpoint.effects ?? null,
    effectWords: effectWords(endpoint),
    rateLimit,
    source,
    request: requestFields(endpoint),
    response: rowsOf(endpoint.response()).map(describeField),
    refusals: [...endpoint.errors, ...EVERYWHERE].map(refusalOf),
  };
}

/** The group of the contract that an endpoint stands in: `fx-orders`. */
function groupOf({ id }: Endpoint): string {
  const found = Object.entries(groups).find(([, group]) =>
    (Object.values(group) as readonly Endpoint[]).some((each) => each.id === id),
  );
  return found?.[0] ?? 'sandbox';
}

/** `money`; `read (list, check), write (add)` where the action decides. */
function effectWords({ effect, effects }: Endpoint): string {
  if (!effects) return effect;
  const byEffect = Map.groupBy(Object.entries(effects.of), ([, each]) => each);
  return [...byEffect].map(([each, values]) => `${each} (${values.map(([value]) => value).join(', ')})`).join(', ');
}

function requestFields(endpoint: Endpoint): RequestField[] {
  const inPath = pathParameters(endpoint.path);
  const synonyms = Object.entries(endpoint.synonyms ?? {});
  return rowsOf(endpoint.request()).map((row) => {
    const { name, ...field } = describeField(row);
    return {
      name,
      in: inPath.includes(name) ? 'path' : placeOf(endpoint),
      ...field,
      synonyms: synonyms.filter(([, own]) => own === name).map(([other]) => other),
    };
  });
}

/** `enum[a,b]` to its values. */
export function valuesOf({ type }: FieldMeta): string[] | undefined {
  return /^enum\[(.*)\]$/.exec(type)?.[1]?.split(',');
}

/** `kobo, of which 100 are one Naira`; a figure of no known asset has its rule say what it is in. */
function unitWords({ unit, asset, rule }: FieldMeta): string | undefined {
  if (unit === undefined) return undefined;
  if (asset === undefined && unit !== 'percent') return rule === undefined ? undefined : 'as text';
  return UNIT_WORDS[unit](typeof asset === 'string' ? ASSET_LABEL[asset] : `what "${asset?.field}" names`);
}

/** Unit, `values` and rule of a field as one text; empty where its type says all. A rule that is there names the values itself. */
export function meaningOf(meta: FieldMeta, values: readonly string[] | undefined): string {
  const isSaid = values === undefined || meta.rule !== undefined;
  const parts = [
    meta.secret ? 'secret' : undefined,
    unitWords(meta),
    isSaid ? undefined : `one of ${values.join(', ')}`,
    meta.rule,
  ];
  return parts.filter((part) => part !== undefined).join('; ');
}

function describeField(row: FieldRow): FieldDescription {
  const values = valuesOf(row);
  return {
    name: row.name,
    type: values ? 'string' : row.type,
    required: row.required,
    nullable: row.nullable,
    values: values ?? null,
    unit: row.unit ?? null,
    asset: (typeof row.asset === 'object' ? row.asset.field : row.asset) ?? null,
    rule: row.rule ?? null,
    secret: row.secret ?? false,
    source: row.source,
    meaning: meaningOf(row, values),
  };
}

export function refusalOf({ when, fault, source, remedy }: DeclaredError): Refusal {
  const { code, http, remedy: usual } = FAULTS[fault];
  return { code, http, name: faultName(fault), when, remedy: remedy ?? usual, source };
}

/** Endpoints by id: a module does not keep the order of its exports. */
const byId = (a: Endpoint, b: Endpoint) => (a.id < b.id ? -1 : 1);

/** The service's endpoints by group, without the sandbox's own controls. */
export function endpointsByGroup(): readonly (readonly [group: Group, members: readonly Endpoint[]])[] {
  return Object.entries(groups).map(([group, members]) => [
    group as Group,
    (Object.values(members) as Endpoint[]).sort(byId),
  ]);
}

/** The groups of the specification, in its order: each begins the ids of its endpoints, as in `users.list`. */
const SPECIFICATION = [
  'users',
  'transactions',
  'swaps',
  'bridge',
  'wallets',
  'virtual-accounts',
  'banks',
  'fees',
  'fx',
  'management',
] as const;

/** The same endpoints in the order of the specification. */
export function endpointsBySpecification(): readonly Endpoint[] {
  const all = endpointsByGroup().flatMap(([, members]) => members);
  return SPECIFICATION.flatMap((group) => all.filter(({ id }) => id.startsWith(`${group}.`)).sort(byId));
}
