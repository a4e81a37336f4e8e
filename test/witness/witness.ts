import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { COMMON_ERRORS, type Endpoint, fieldsSentIn, pathParameters } from '../../src/contract/endpoint.ts';
import { FAULTS, faultName } from '../../src/contract/faults.ts';
import { type FieldRow, rowsOf } from '../../src/contract/rows.ts';

export interface WitnessRow {
  readonly name: string;
  readonly type: string;
  readonly unit?: string;
  readonly required?: boolean;
  readonly source: string;
}

export interface WitnessError {
  readonly http?: number;
  readonly response_code?: string;
  readonly name: string;
  readonly source: string;
}

type Place = 'path' | 'query' | 'body';

/** An endpoint in the specification's data files. */
export interface WitnessEndpoint {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly source: string;
  readonly effect: string;
  readonly starts?: string;
  readonly rate_limit: { readonly max: number; readonly window_s: number };
  readonly request?: Partial<Record<Place, readonly WitnessRow[]>>;
  readonly response?: readonly WitnessRow[];
  readonly errors?: readonly WitnessError[];
}

/** A difference between the contract and the witness: the row (`response.amount`) and both values. */
export interface Difference {
  readonly endpoint: string;
  readonly row: string;
  readonly what: string;
}

const folder = new URL('contract/', import.meta.url);

/** The keys of each part of a data file: those that it has, and those that it may have. */
const KEYS = {
  file: [['group'], ['endpoints', 'events', 'headers', 'signature', 'encryption', 'delivery', 'sandbox']],
  endpoint: [
    ['id', 'method', 'path', 'source', 'effect', 'rate_limit'],
    ['starts', 'request', 'response', 'errors', 'notes'],
  ],
  request: [[], ['path', 'query', 'body']],
  row: [
    ['name', 'type', 'source'],
    ['required', 'rule', 'unit'],
  ],
  error: [
    ['when', 'name', 'source'],
    ['http', 'response_code'],
  ],
} as const;

/** Reads the endpoints of all data files, by id. */
export function readWitness(): Map<string, WitnessEndpoint> {
  return witnessIn(readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8')));
}

/** Reads the endpoints in the text of data files, by id. Throws for what the comparison would skip: an unknown key, a second endpoint of an id. */
export function witnessIn(files: readonly string[]): Map<string, WitnessEndpoint> {
  const found = new Map<string, WitnessEndpoint>();
  for (const text of files) {
    const file = parse(text) as { endpoints?: WitnessEndpoint[] };
    requireKeys('file', file);
    for (const endpoint of file.endpoints ?? []) {
      if (found.has(endpoint.id)) throw new Error(`the witness has ${endpoint.id} twice`);
      requireKeys('endpoint', endpoint);
      requireKeys('request', endpoint.request ?? {});
      for (const row of [...Object.values(endpoint.request ?? {}).flat(), ...(endpoint.response ?? [])])
        requireKeys('row', row);
      for (const error of endpoint.errors ?? []) requireKeys('error', error);
      found.set(endpoint.id, endpoint);
    }
  }
  return found;
}

function requireKeys(part: keyof typeof KEYS, value: object): void {
  const [has, may] = KEYS[part];
  const keys = Object.keys(value);
  const missing = has.find((key) => !keys.includes(key));
  const unknown = keys.find((key) => ![...has, ...may].some((each) => each === key));
  if (missing ?? unknown)
    throw new Error(
      `a ${part} of the witness ${missing ? `lacks ${missing}` : `has ${unknown}`}: ${JSON.stringify(value)}`,
    );
}

/** Returns the request rows of a witness with the place they are sent in. */
function requestRows(witness: WitnessEndpoint): { place: Place; row: WitnessRow }[] {
  const places: readonly Place[] = ['path', 'query', 'body'];
  return places.flatMap((place) => (witness.request?.[place] ?? []).map((row) => ({ place, row })));
}

export function compare(endpoint: Endpoint, witness: WitnessEndpoint): Difference[] {
  const request = requestRows(witness);
  return [
    ...compareHead(endpoint, witness),
    ...comparePlaces(endpoint, request),
    ...compareRows(
      'request',
      rowsOf(endpoint.request()),
      request.map(({ row }) => row),
    ),
    ...compareRows('response', rowsOf(endpoint.response()), witness.response ?? []),
    ...compareErrors(endpoint, witness),
  ].map((difference) => ({ endpoint: endpoint.id, ...difference }));
}

type Found = Omit<Difference, 'endpoint'>;

function differ(row: string, contract: unknown, witness: unknown): Found[] {
  return contract === witness ? [] : [{ row, what: `contract ${contract}, witness ${witness}` }];
}

function compareHead(endpoint: Endpoint, witness: WitnessEndpoint): Found[] {
  const { max, windowSeconds } = endpoint.rateLimit;
  return [
    ...differ('method', endpoint.method, witness.method),
    ...differ('path', endpoint.path, witness.path),
    ...differ('effect', endpoint.effect, witness.effect),
    ...differ('starts', endpoint.starts, witness.starts),
    ...differ('rate_limit.max', max, witness.rate_limit.max),
    ...differ('rate_limit.window_s', windowSeconds, witness.rate_limit.window_s),
    ...differ('source', endpoint.source, witness.source),
  ];
}

function comparePlaces(endpoint: Endpoint, rows: { place: Place; row: WitnessRow }[]): Found[] {
  const inPath = pathParameters(endpoint.path);
  return rows.flatMap(({ place, row }) => {
    const contractPlace = inPath.includes(row.name) ? 'path' : fieldsSentIn(endpoint);
    return differ(`request.${row.name}`, `in ${contractPlace}`, `in ${place}`);
  });
}

type Side = 'request' | 'response';

function compareRows(side: Side, contract: readonly FieldRow[], witness: readonly WitnessRow[]): Found[] {
  const missing = witness.filter(({ name }) => !contract.some((row) => row.name === name));
  return [
    ...missing.map(({ name }) => ({ row: `${side}.${name}`, what: 'only in the witness' })),
    ...repeated(witness).map((name) => ({ row: `${side}.${name}`, what: 'twice in the witness' })),
    ...contract.flatMap((row) => compareRow(side, row, witness)),
  ];
}

function repeated(witness: readonly WitnessRow[]): string[] {
  const names = witness.map(({ name }) => name);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

function compareRow(side: Side, row: FieldRow, witness: readonly WitnessRow[]): Found[] {
  const name = `${side}.${row.name}`;
  const twin = witness.find((candidate) => candidate.name === row.name);
  if (!twin) return impliedContainer(row, witness) ? [] : [{ row: name, what: 'only in the contract' }];
  return [
    ...differ(name, `type ${row.type}`, `type ${twin.type}`),
    ...differ(name, `unit ${row.unit}`, `unit ${twin.unit}`),
    ...differ(name, `source ${row.source}`, `source ${twin.source}`),
    ...(side === 'request' ? differ(name, `required ${row.required}`, `required ${twin.required}`) : []),
  ];
}

/** Whether the witness implies a container by naming a field in it, as it does for most containers. */
function impliedContainer(row: FieldRow, witness: readonly WitnessRow[]): boolean {
  if (row.type !== 'object' && row.type !== 'array') return false;
  const inside = row.type === 'array' ? `${row.name}[].` : `${row.name}.`;
  return witness.some(({ name }) => name.startsWith(inside) || name === `${row.name}[]`);
}

/** Returns an endpoint's own errors, without those common to all endpoints. The most general names always count as its own. */
function ownErrors(witness: WitnessEndpoint): WitnessError[] {
  return (witness.errors ?? []).filter(
    ({ name, source }) =>
      GENERAL.includes(name) || !COMMON_ERRORS.some((error) => error.fault === name && error.source === source),
  );
}

const GENERAL: readonly string[] = ['INTERNAL_ERROR', 'VALIDATION_ERROR'];

/** Compares the number of equal errors, because errors may repeat. */
function compareErrors(endpoint: Endpoint, witness: WitnessEndpoint): Found[] {
  const ours = endpoint.errors.map(({ fault, source }) => {
    const { http, code } = FAULTS[fault];
    return { name: faultName(fault), text: `${faultName(fault)} ${http} ${code} ${source}` };
  });
  const theirs = ownErrors(witness).map((error) => ({
    name: error.name,
    text: `${error.name} ${error.http} ${error.response_code} ${error.source}`,
  }));
  const kinds = new Map([...ours, ...theirs].map(({ name, text }) => [text, name]));
  return [...kinds].flatMap(([text, name]) => {
    const times = (errors: { text: string }[]) => errors.filter((error) => error.text === text).length;
    return differ(`errors.${name}`, `${times(ours)} of ${text}`, `${times(theirs)} of ${text}`);
  });
}
