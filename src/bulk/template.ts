import type { RowColumn, RowCommand } from './columns.ts';

const REFERENCE = 'your own name of the row, at most 40 characters, different in each row and for good';

/** A cell as CSV has it. */
const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** What a value of a column looks like, by the start of its help. */
const EXAMPLES: Readonly<Record<string, string>> = {
  amount: '5000.00',
  accountNumber: '0123456789',
  bankCode: '000013',
  bvn: '12345678901',
  token: 'USDC',
  network: 'base',
  note: 'Invoice 1001',
  label: 'Supplier 1001',
};

/** A saved account is named by its number and its bank, which have columns of their own. */
const isNamedOtherwise = ({ names }: RowColumn): boolean => names === 'bank account';

function exampleOf(column: RowColumn): string {
  if (isNamedOtherwise(column)) return '';
  const { key, title, names } = column;
  const isAddress = names?.includes('wallet') || title.includes('address') || key === 'to';
  return EXAMPLES[key] ?? (isAddress ? 'ADDRESS_OR_ID' : 'USER_ID');
}

/** Returns a file for a command: what each column means, as comments above the titles, and one row to replace. */
export function templateOf({ words, columns }: RowCommand): string {
  const notes = columns.map((column) => {
    const mayBeEmpty = !column.isRequired || isNamedOtherwise(column);
    return `# ${column.title}: ${column.help.replaceAll('\n', ' ')}${mayBeEmpty ? ' (may be empty)' : ''}`;
  });
  const comments = [
    `# ${words}: one row for each. Make the columns text before you paste numbers, and save as CSV in UTF-8.`,
    `# reference: ${REFERENCE}`,
    ...notes,
    `# Then: fiatrail bulk check FILE --as "${words}"`,
  ];
  const titles = ['reference', ...columns.map(({ title }) => title)];
  const example = ['INV-1001', ...columns.map(exampleOf)];
  return `${[...comments, titles.map(quoted).join(','), example.map(quoted).join(',')].join('\n')}\n`;
}
