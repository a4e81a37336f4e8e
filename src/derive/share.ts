import type { JsonSchema } from './schema.ts';

/** The kinds of components that are shared. */
type Kind = 'parameters' | 'responses' | 'schemas';

/** Where a part of the document stands, for its name. */
interface Spot {
  /** The name of the property, parameter or list, or the HTTP status. */
  readonly name: string;
  readonly operationId: string;
  readonly tag: string;
}

/** Returns what replaces a part. `inside` returns the part with everything in it replaced. */
type Visit = (kind: Kind, part: JsonSchema, spot: Spot, inside: () => JsonSchema) => JsonSchema;

type Named = Readonly<Record<string, JsonSchema>>;

const SOURCE = 'x-source';

/**
 * Returns an OpenAPI document that says the same in fewer words: what recurs is a component, and a source is left out where that of
 * what is around it is the same.
 */
export function share(document: JsonSchema): JsonSchema {
  const plain = walked(document, (kind, part, _, inside) => (kind === 'schemas' ? part : inside()), withoutSources);
  const names = namesFor(recurring(plain));
  const components: Record<Kind, Record<string, JsonSchema>> = { parameters: {}, responses: {}, schemas: {} };
  const shared = walked(plain, (kind, part, _, inside) => {
    const name = names.get(keyOf(kind, part));
    if (name === undefined) return inside();
    const $ref = `#/components/${kind}/${name}`;
    const { [SOURCE]: source } = part;
    const hasSource = kind === 'schemas' && source !== undefined;
    components[kind][name] ??= hasSource ? withoutOwnSource(inside()) : inside();
    return hasSource ? { $ref, [SOURCE]: source } : { $ref };
  });
  const given = document['components'] as Record<string, Named>;
  const added = Object.entries(components).map(([kind, parts]) => [kind, { ...given[kind], ...sorted(parts) }]);
  return { ...shared, components: { ...given, ...Object.fromEntries(added) } };
}

const sorted = (parts: Named): Named =>
  Object.fromEntries(Object.entries(parts).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** What a part says, but for the source of a schema, which stands beside the reference. */
function keyOf(kind: Kind, part: JsonSchema): string {
  return `${kind} ${JSON.stringify(kind === 'schemas' ? withoutOwnSource(part) : part)}`;
}

function withoutOwnSource({ [SOURCE]: _, ...rest }: JsonSchema): JsonSchema {
  return rest;
}

/** A schema without the sources that it has from around it. */
function withoutSources(schema: JsonSchema, around: unknown): JsonSchema {
  const source = schema[SOURCE] ?? around;
  const rest = source === around ? withoutOwnSource(schema) : schema;
  return withChildren(rest, (child) => withoutSources(child, source));
}

/** A schema whose properties and items are replaced. */
function withChildren(schema: JsonSchema, replace: (child: JsonSchema, name?: string) => JsonSchema): JsonSchema {
  const { properties, items, allOf } = schema as {
    properties?: Named;
    items?: JsonSchema;
    allOf?: readonly JsonSchema[];
  };
  return {
    ...schema,
    ...(allOf && { allOf: allOf.map((each) => replace(each)) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, replace(each, name)])),
    }),
    ...(items && { items: replace(items) }),
  };
}

/** Replaces the parts of every operation and event; `prepare` changes a whole schema first, given the source of the operation. */
function walked(
  document: JsonSchema,
  visit: Visit,
  prepare: (schema: JsonSchema, source: unknown) => JsonSchema = (schema) => schema,
): JsonSchema {
  const walkedOperation = (operation: JsonSchema): JsonSchema => {
    const { operationId, tags, parameters, requestBody, responses } = operation as unknown as Operation;
    // An alias is named like its operation.
    const id = operationId.replace(/\.\d+$/, '');
    const at = (name: string): Spot => ({ name, operationId: id, tag: tags[0] ?? '' });
    const schemaAt = (schema: JsonSchema, spot: Spot): JsonSchema =>
      visit('schemas', schema, spot, () =>
        withChildren(schema, (child, name = `${spot.name}[]`) => schemaAt(child, { ...spot, name })),
      );
    const rootAt = (schema: JsonSchema, name: string) => schemaAt(prepare(schema, operation[SOURCE]), at(name));
    const bodyAt = (body: JsonSchema, name: string): JsonSchema => {
      const { content } = body as { content?: { 'application/json': JsonSchema & { schema: JsonSchema } } };
      const media = content?.['application/json'];
      return media
        ? { ...body, content: { 'application/json': { ...media, schema: rootAt(media.schema, name) } } }
        : body;
    };
    const parameterAt = (parameter: JsonSchema) => {
      const { name, schema } = parameter as unknown as { name: string; schema: JsonSchema };
      return visit('parameters', parameter, at(name), () => ({ ...parameter, schema: rootAt(schema, name) }));
    };
    const responseAt = ([status, response]: [string, JsonSchema]) => [
      status,
      '$ref' in response
        ? response
        : visit('responses', response, at(status), () => bodyAt(response, `${id}.response`)),
    ];
    return {
      ...operation,
      ...(parameters && { parameters: parameters.map(parameterAt) }),
      ...(requestBody && { requestBody: bodyAt(requestBody, `${id}.request`) }),
      responses: Object.fromEntries(Object.entries(responses).map(responseAt)),
    };
  };
  const walkedPaths = (paths: Readonly<Record<string, Named>>) =>
    Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(Object.entries(methods).map(([method, each]) => [method, walkedOperation(each)])),
      ]),
    );
  const { paths, webhooks } = document as unknown as Readonly<Record<'paths' | 'webhooks', Record<string, Named>>>;
  return { ...document, paths: walkedPaths(paths), webhooks: walkedPaths(webhooks) };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly JsonSchema[];
  readonly requestBody?: JsonSchema;
  readonly responses: Named;
}

/** A part that recurs. */
interface Recurring {
  readonly key: string;
  readonly kind: Kind;
  readonly isNullable: boolean;
  /** Where it first stands. */
  readonly spot: Spot;
}

/** A reference and the component behind it take about this many characters. */
const COST = 50;

/** Returns what recurs and is long enough. What stands only inside of something that recurs does not. */
function recurring(document: JsonSchema): readonly Recurring[] {
  const counts = new Map<string, { count: number; readonly found: Recurring }>();
  walked(document, (kind, part, spot, inside) => {
    const key = keyOf(kind, part);
    const known = counts.get(key);
    if (known) {
      known.count += 1;
      return part;
    }
    const isNullable = Array.isArray(part['type']) && part['type'].includes('null');
    counts.set(key, { count: 1, found: { key, kind, isNullable, spot } });
    return inside();
  });
  return [...counts.values()]
    .filter(({ count, found }) => (count - 1) * (found.key.length - COST) > COST)
    .map(({ found }) => found);
}

/** Returns a name for each part, by its key: `BankName`, `BankNameOrNull`; if others are called that too, `HistoryAmount`. */
function namesFor(parts: readonly Recurring[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(['parameters', 'responses', 'schemas Refusal', 'schemas Success']);
  const groups = Map.groupBy(parts, ({ kind, spot }) => `${kind} ${wordsOf(spot.name)}`);
  for (const some of groups.values())
    for (const { key, kind, isNullable, spot } of some) {
      const base = wordsOf(spot.name);
      const inTag = wordsOf(spot.tag) + base;
      const inOperation = wordsOf(spot.operationId) + base;
      // Two that differ at most in whether they may be null are one thing.
      const isOne = some.length === 1 || (some.length === 2 && some[0]?.isNullable !== some[1]?.isNullable);
      const candidates = [...(isOne ? [base] : []), inTag, inOperation].flatMap((each) =>
        isNullable && some.length > 1 ? [`${each}OrNull`] : [each],
      );
      const name = candidates.find((each) => /^[A-Z]/.test(each) && !taken.has(`${kind} ${each}`));
      if (name === undefined) throw new Error(`no name is left for ${key}`);
      taken.add(`${kind} ${name}`);
      names.set(key, name);
    }
  return names;
}

/** `x-webhook-id` as `XWebhookId`, and a list as one of its items. */
function wordsOf(name: string): string {
  const single = name.replace(/(?:s|ies)?\[\]$/, '');
  return single.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
