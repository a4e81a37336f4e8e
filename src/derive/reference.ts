import type { Endpoint } from '../contract/endpoint.ts';
import { describeEndpoint, type FieldDescription, type RequestField } from './describe.ts';

/** A table in Markdown. Cells are text; what Markdown would read is escaped, but for backticks. */
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

/** Everything the contract knows of a group's endpoints, as one page. `commandFor` gives the command that calls one. */
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
    ['Rate limit', `${rateLimit.max} requests in ${rateLimit.windowSeconds} seconds`],
    ['Source', source],
  ] as const;
  return [
    `## ${id}\n`,
    `${summary}.\n`,
    markdownTable(['', ''], facts),
    request.length === 0 ? 'The request has no fields.\n' : `Request:\n\n${requestTable(request)}`,
    response.length === 0 ? 'The answer has no fields.\n' : `Answer, in \`data\`:\n\n${answerTable(response)}`,
    `Refusals:\n\n${markdownTable(
      ['Code', 'HTTP', 'Name', 'When', 'What to do', 'Source'],
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
    ['Field', 'In', 'Type', 'Required', 'What', 'Source'],
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

function answerTable(fields: readonly FieldDescription[]): string {
  return markdownTable(
    ['Field', 'Type', 'Always', 'What', 'Source'],
    fields.map(({ name, type, required, nullable, meaning, source }) => [
      code(name),
      type,
      required && nullable ? 'yes, or null' : yesOrNo(required),
      meaning,
      source,
    ]),
  );
}
