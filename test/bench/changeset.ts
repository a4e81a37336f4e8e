/** A value of a row; undefined if a change leaves it as it is. */
export type Value = null | number | bigint | string | Uint8Array | undefined;

/** A row that was inserted, updated or deleted. */
export interface Change {
  readonly table: string;
  readonly kind: 'insert' | 'update' | 'delete';
  /** Which columns are of the primary key. */
  readonly isKey: readonly boolean[];
  readonly before: readonly Value[];
  readonly after: readonly Value[];
}

const KINDS = { 18: 'insert', 23: 'update', 9: 'delete' } as const;

/** Reads a changeset of SQLite's session extension. Source: its documentation, "changeset format". */
export function changesIn(bytes: Uint8Array): Change[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const byte = () => view.getUint8(at++);
  const varint = () => {
    let value = 0;
    for (;;) {
      const next = byte();
      value = value * 128 + (next & 0x7f);
      if (next < 128) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const number = () => {
    at += 8;
    return at - 8;
  };
  const value = (): Value => {
    const type = byte();
    if (type === 0) return undefined;
    if (type === 5) return null;
    if (type === 1) return view.getBigInt64(number());
    if (type === 2) return view.getFloat64(number());
    const content = take(varint());
    return type === 3 ? Buffer.from(content).toString('utf8') : content.slice();
  };
  const changes: Change[] = [];
  let [table, isKey]: [string, boolean[]] = ['', []];
  while (at < bytes.length) {
    const code = byte();
    if (code === 0x54) {
      const columns = varint();
      isKey = [...take(columns)].map((flag) => flag !== 0);
      const end = bytes.indexOf(0, at);
      table = Buffer.from(take(end - at)).toString('utf8');
      at += 1;
      continue;
    }
    const kind = KINDS[code as keyof typeof KINDS];
    byte();
    const row = () => isKey.map(value);
    const before = kind === 'insert' ? [] : row();
    changes.push({ table, kind, isKey, before, after: kind === 'delete' ? [] : row() });
  }
  return changes;
}
