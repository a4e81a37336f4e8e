import type { Endpoint } from '../contract/endpoint.ts';
import { describeEndpoint, type FieldDescription, type RequestField } from './describe.ts';

/** Returns a Markdown table. Markdown syntax in cells is escaped, except for backticks. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cellOf).join(' | ')} |\n`;
  return `${line(titles)}|${titles.map(() => '---').join('|')}|\n${rows.map(line).join('')}`;
}

function cellOf(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replace(/[<*[\]\\]/g, '\\$&') : part))
    .join('`')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');
}

const code = (text: string) => (text === '' ? '' : `\`${text}\``);
const yesOrNo = (value: boolean) => (value ? 'yes' : 'no');

/** Returns the reference page of a group's endpoints. `commandFor` returns the command that calls an endpoint. */
export function endpointPage(
  group: string,
  members: readonly Endpoint[],
  commandFor: (endpointId: string) => string,
): string {
  return [`# Endpoints: ${group}\n`, ...members.map((endpoint) => sectionOf(endpoint, commandFor(endpoint.id)))].join(
    '\n',
  );
}

function sectionOf(endpoint: Endpoint, command: string): string {
  const { id, summary, method, path, aliases, effectWords, rateLimit, source, request, response, refusals } =
    describeEndpoint(endpoint);
  const facts = [
    ['Call', [{ method, path }, ...aliases].map((each) => code(`${each.method} ${each.path}`)).join(', also ')],
    ['Command', code(`fiatrail ${command}`)],
    ['Effect', effectWords],
    ['Rate limit', `${rateLimit.max} requests per ${rateLimit.windowSeconds} seconds`],
    ['Source', source],
  ] as const;
  return [
    `## ${id}\n`,
    `${summary}.\n`,
    markdownTable(['', ''], facts),
    request.length === 0 ? 'The request has no fields.\n' : `Request:\n\n${requestTable(request)}`,
    response.length === 0 ? 'The response has no fields.\n' : `Response (\`data\`):\n\n${responseTable(response)}`,
    `Errors:\n\n${markdownTable(
      ['Code', 'HTTP', 'Name', 'When', 'Remedy', 'Source'],
      refusals.map(({ code: number, http, name, when, remedy, source: from }) => [
        code(number),
        String(http),
        code(name),
        when,
        remedy,
        from,
      ]),
    )}`,
  ].join('\n');
}

function requestTable(fields: readonly RequestField[]): string {
  return markdownTable(
    ['Field', 'In', 'Type', 'Required', 'Description', 'Source'],
    fields.map((field) => [
      [field.name, ...field.synonyms].map(code).join(' or '),
      field.in,
      field.type,
      yesOrNo(field.required),
      field.meaning,
      field.source,
    ]),
  );
}

function responseTable(fields: readonly FieldDescription[]): string {
  return markdownTable(
    ['Field', 'Type', 'Always present', 'Description', 'Source'],
    fields.map(({ name, type, required, nullable, meaning, source }) => [
      code(name),
      type,
      required && nullable ? 'yes, may be null' : yesOrNo(required),
      meaning,
      source,
    ]),
  );
}
