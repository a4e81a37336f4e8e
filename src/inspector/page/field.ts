type Fields = Readonly<Record<string, unknown>> | null | undefined;

/** The value of a field of a row in JSON, as text; null if the row has none, or was cut. */
export function textAt(row: string, field: string): string | null {
  try {
    const value = field.split('.').reduce<unknown>((data, name) => (data as Fields)?.[name], JSON.parse(row));
    if (value === undefined || value === null) return null;
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (typeof value !== 'object') return String(value);
    const { value: sum, asset } = value as Readonly<Record<string, unknown>>;
    return [typeof sum === 'string' ? separated(sum) : sum, asset].filter((each) => typeof each === 'string').join(' ');
  } catch {
    return null;
  }
}

/** A figure with separators between its thousands. */
const separated = (figure: string) => figure.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
