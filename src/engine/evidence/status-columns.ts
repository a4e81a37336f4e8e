import type { Column } from '../../present/result.ts';
import { fieldWithValue } from '../../things/fields.ts';
import type { Thing } from '../../things/thing.ts';

/** The lines of a status for people: its id, its state, and every fact that the response has. */
export function statusColumns({ read, facts }: Thing, data: unknown): Column[] {
  const inside = read?.in === undefined ? '' : `${read.in}.`;
  const lines = [{ title: 'ID', fields: [read?.id ?? ''] }, { title: 'Status', fields: ['status'] }, ...facts];
  return lines.flatMap(({ title, fields }) => {
    const field = fieldWithValue(data, [...fields.map((each) => inside + each), ...fields]);
    return field === undefined ? [] : [{ title, field: field.startsWith(inside) ? field.slice(inside.length) : field }];
  });
}
