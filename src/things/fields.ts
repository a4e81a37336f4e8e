import type { Fact, ServiceList, StatusRead, Thing } from './thing.ts';

/** Returns the value at a dotted path. */
export const valueAt = (data: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], data);

/** The first of some fields that has a value. */
export const fieldWithValue = (data: unknown, fields: readonly string[]): string | undefined =>
  fields.find((field) => (valueAt(data, field) ?? null) !== null);

/** Whether a text is the address of an EVM wallet. */
export const isEvmAddress = (text: unknown): text is string =>
  typeof text === 'string' && /^0x[\da-f]{40}$/i.test(text);

/** The request that reads the state of a thing: by its id, or by the address of its wallet where that names it too. */
export const readRequest = ({ id: field, wallet }: Pick<StatusRead, 'id' | 'wallet'>, id: string) =>
  wallet !== undefined && isEvmAddress(id) ? { [field]: id, [wallet]: id } : { [field]: id };

/** The title of a field of a row. */
export function titleOf(
  { id, status, createdAt, facts }: Pick<ServiceList, 'id' | 'status' | 'createdAt' | 'facts'>,
  field: string,
): string {
  if (field === id) return 'ID';
  if (field === status) return 'Status';
  if (field === createdAt) return 'When';
  const fact = facts.find(({ fields }) => fields[0] === field);
  if (!fact) throw new Error(`no fact has the field ${field}`);
  return fact.title;
}

/** The service's reason for a failure, in words; undefined if it gives none. */
export function reasonIn(
  { reason, reasons = {} }: Pick<Thing, 'reason' | 'reasons'>,
  data: unknown,
): string | undefined {
  const field = fieldWithValue(data, reason);
  const word = field === undefined ? undefined : String(valueAt(data, field));
  return (word !== undefined && Object.hasOwn(reasons, word) ? reasons[word] : word) || undefined;
}

/** The facts that are times, in the order in which they happen. */
export const timesOf = ({ facts }: Pick<Thing, 'facts'>): readonly Fact[] =>
  facts.filter(({ kind }) => kind === 'time');

/** What a row says of a thing besides its times, its sum and its user, which are told apart: the title and the field of each fact. */
export const factsIn = (
  { facts, amount }: Pick<Thing, 'facts' | 'amount'>,
  row: unknown,
): readonly { readonly title: string; readonly field: string }[] =>
  facts.flatMap(({ title, fields, kind }) => {
    if (kind === 'time' || fields.some((field) => field === 'userId' || amount.includes(field))) return [];
    const field = fieldWithValue(row, fields);
    return field === undefined ? [] : [{ title, field }];
  });
