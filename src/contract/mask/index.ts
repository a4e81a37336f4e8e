import type * as z from 'zod/mini';
import { HIDDEN } from '../../base/secret.ts';
import { isJsonObject, isWireNumber, parseExactJson, type WireNumber, wireNumberText } from '../../money/decimal.ts';
import { excessIn } from '../../money/json-text.ts';
import { parseRange } from '../cidr.ts';
import { controls } from '../control.ts';
import type { Endpoint } from '../endpoint.ts';
import { endpoints } from '../endpoints/index.ts';
import type { FieldMeta, PersonalKind } from '../fields.ts';
import { createPathMatcher, type PathMatch } from '../paths.ts';
import { elementOf, fieldOf, unwrap } from '../rows.ts';
import { createFinder } from './finder.ts';
import {
  IN_ENVELOPE,
  isContractWord,
  isFigureName,
  type Meaning,
  ownMeaning,
  REPEATED,
  serviceMeaning,
} from './names.ts';

/** What a value is, as far as it is known. */
export interface MaskedForm {
  /** The schema of the contract. Without one, a field is known by its name. */
  readonly schema?: z.ZodMiniType | undefined;
  /** Whether someone else chose its fields: then what nobody knows is masked too. `texts`: but its numbers are figures. */
  readonly isForeign?: boolean | 'texts';
}

/**
 * Replaces what tells about someone by handles such as `name-3`. Equal values have equal handles, wherever and however they are
 * written, so that they can be followed; a handle is numbered by when its value was first seen, and says nothing about it. Amounts,
 * states, times and ids stay.
 */
export interface Mask {
  /** Returns a masked copy. */
  value(value: unknown, form?: MaskedForm): unknown;
  /** Masks a text: everything that was seen in values so far, and what its form gives away. */
  text(text: string): string;
  /** Remembers what a value has, for the texts that come. */
  learn(value: unknown, form?: MaskedForm): void;
  /** Remembers what was typed for fields of the contract, by their names. */
  typed(texts: Readonly<Record<string, unknown>>): void;
  /** Returns the value that a handle stands for; any other text as it is. */
  meant(text: string): string;
}

/** What a value is in. */
interface MaskedField {
  readonly name: string;
  /** The name of the object or the list that it is in. */
  readonly parent: string;
  readonly schema: z.ZodMiniType | undefined;
  readonly isForeign: boolean | 'texts';
}

export function createMask(): Mask {
  const finder = createFinder();
  const handles = new Map<string, string>();
  const values = new Map<string, string>();
  const paths = createPathMatcher<Endpoint>([...controls, ...endpoints]);
  let isLearning = false;

  const handleOf = (kind: PersonalKind, text: string): string => {
    const key = text.trim().toLowerCase();
    if (key === '' || text === HIDDEN) return text;
    const known = handles.get(key);
    if (known !== undefined) return known;
    const handle = `${kind}-${handles.size + 1}`;
    handles.set(key, handle);
    values.set(handle, text);
    if (isSearched(key)) finder.add(text, handle);
    return handle;
  };
  const masked = (text: string) => withoutPatterns(finder.replace(text), handleOf);
  const open = (text: string) => (isLearning || isContractWord(text) ? text : masked(text));

  const textAt = (text: string, field: MaskedField): string => {
    const meaning = meaningOf(field);
    if (meaning === 'exact') return text;
    if ((meaning === 'figure' || mayBeFigure(field)) && WRITTEN_FIGURE.test(text)) return text;
    if (meaning === 'path') return pathText(text);
    const isRepeated = field.isForeign || REPEATED.has(field.name);
    const document = documentIn(text);
    if (document !== undefined)
      return JSON.stringify(
        walk(document, { ...NOWHERE, name: isEnvelope(document) ? IN_ENVELOPE : '', isForeign: true }),
      );
    // A part of a document cannot be read, so nobody knows what is in it.
    if (isRepeated && STARTS_DOCUMENT.test(text)) return `(${text.length} characters)`;
    // An id or a time that stands where a reference or a text may be tells nothing, and nothing could be followed without it.
    if (isPersonal(meaning)) return isId(text) || TIME.test(text) ? text : handleOf(meaning, text);
    if (meaning === undefined && isRepeated && !isPlain(text)) return handleOf('text', text);
    return open(text);
  };

  const walk = (value: unknown, field: MaskedField): unknown => {
    if (typeof value === 'string') return textAt(value, field);
    if (isWireNumber(value)) return numberAt(value, field);
    const inner = field.schema && unwrap(field.schema).schema;
    if (Array.isArray(value)) {
      const schema = inner && elementOf(inner);
      return value.map((each) => walk(each, { ...field, schema }));
    }
    if (!isJsonObject(value) || isAmount(value)) return value;
    const isForeign = field.isForeign || REPEATED.has(field.name);
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        const schema = inner && fieldOf(inner, name);
        return [
          open(name),
          walk(each, {
            name,
            parent: field.name,
            schema,
            isForeign: isForeign || (inner !== undefined && schema === undefined),
          }),
        ];
      }),
    );
  };

  const numberAt = (value: WireNumber, field: MaskedField): unknown => {
    const text = wireNumberText(value);
    const isUnknown = field.isForeign === true && meaningOf(field) === undefined;
    const mayBePersonal = isUnknown || isPersonal(meaningOf(field));
    return mayBePersonal && /^\d{10,11}$/.test(text) ? handleOf('account', text) : value;
  };

  /** Masks the parts of a path that name someone, and the fields of its query. An address that is not the service's is masked whole. */
  const pathText = (text: string): string => {
    const [origin = ''] = ORIGIN.exec(text) ?? [];
    const [path = '', ...query] = text.slice(origin.length).split('?');
    const match = METHODS.map((method) => paths.match(method, path)).find((each) => each !== undefined);
    if (origin !== '' && !match) return handleOf('url', text);
    const parts = path.split('/').map((part) => pathPart(part, match));
    const fields = [...new URLSearchParams(query.join('?'))].map(([name, value]) => {
      const schema = match && fieldOf(unwrap(match.endpoint.request()).schema, name);
      return [open(name), textAt(value, { name, parent: 'query', schema, isForeign: true })] as [string, string];
    });
    return masked(origin) + parts.join('/') + (query.length === 0 ? '' : `?${new URLSearchParams(fields)}`);
  };
  const pathPart = (part: string, match: PathMatch | undefined): string => {
    const plain = decoded(part);
    if (plain === '' || isContractWord(plain)) return part;
    const [name = ''] = Object.entries(match?.parameters ?? {}).find(([, each]) => each === part) ?? [];
    const schema = match && fieldOf(unwrap(match.endpoint.request()).schema, name);
    return encodeURIComponent(textAt(plain, { name, parent: 'query', schema, isForeign: true }));
  };

  const learn = (value: unknown, { schema, isForeign = false }: MaskedForm = {}) => {
    isLearning = true;
    try {
      walk(value, { ...NOWHERE, schema, isForeign });
    } finally {
      isLearning = false;
    }
  };
  return {
    value: (value, form = {}) => {
      // A text may have what only a later field says.
      learn(value, form);
      return walk(value, { ...NOWHERE, schema: form.schema, isForeign: form.isForeign ?? false });
    },
    text: masked,
    learn,
    typed: (texts) => {
      for (const [name, text] of Object.entries(texts)) {
        const meaning = serviceMeaning(name, '');
        if (typeof text === 'string' && isPersonal(meaning) && !isId(text)) handleOf(meaning, text);
      }
    },
    meant: (text) => values.get(text.trim()) ?? text,
  };
}

const NOWHERE: MaskedField = { name: '', parent: '', schema: undefined, isForeign: false };

const ORIGIN = /^https?:\/\/[^/?#]+/;

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];

/** Returns what a field is for; undefined if nobody knows. */
function meaningOf({ name, parent, schema, isForeign }: MaskedField): Meaning | undefined {
  const meta = schema && unwrap(schema).meta;
  if (meta) return meaningOfField(meta);
  return isForeign ? serviceMeaning(name, parent) : ownMeaning(name, parent);
}

/** Whether a field without a schema has a figure in some message of the contract. */
const mayBeFigure = ({ name, schema }: MaskedField) => schema === undefined && isFigureName(name);

function meaningOfField({ personal, secret, unit, type }: FieldMeta): Meaning {
  if (secret) return 'key';
  if (personal) return personal;
  return unit !== undefined || type === 'datetime' ? 'figure' : 'open';
}

const isPersonal = (meaning: Meaning | undefined): meaning is PersonalKind =>
  meaning !== undefined && meaning !== 'open' && meaning !== 'figure' && meaning !== 'exact' && meaning !== 'path';

/** What a figure or a time is written as, with its unit: `₦5,000.00`, `−12.5 USDC`. */
const WRITTEN_FIGURE = /^[−-]?[^\p{L}\d\s]?\d[\d.,:TZ+ -]*(?: ?[a-z]{3,4})?$/iu;

/** A UUID, or the 32 or 64 hexadecimal digits of a user id. */
const ID = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32}|[\da-f]{64})$/i;
const isId = (text: string) => ID.test(text.replace(/^[a-z]+[_-]/, ''));

const TIME = /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/;
const FIGURE = /^-?\d{1,9}$|^-?\d+\.\d+$/;

/** Whether a text that nobody knows is of a kind that tells about nobody: an id, a time, a figure or a word of the contract. */
const isPlain = (text: string) =>
  text === '' || isId(text) || TIME.test(text) || FIGURE.test(text) || isContractWord(text);

/** Whether a value is looked for in other texts: words of the contract and short figures are in texts about something else. */
const isSearched = (text: string) => !isContractWord(text) && !/^[\d.,\s]{1,7}$/.test(text);

/** Whether an object is a printed amount, whose figure is not to be taken for an account. */
const isAmount = (value: Readonly<Record<string, unknown>>) =>
  ('asset' in value || 'unit' in value) &&
  Object.keys(value).every((name) => ['value', 'asset', 'unit', 'minor'].includes(name)) &&
  !(typeof value['value'] === 'string' && !/^-?[\d.]+$/.test(value['value']));

/** Whether a document is an answer of the service, whose code tells it from an event. */
const isEnvelope = (document: unknown) =>
  isJsonObject(document) && ('response_code' in document || 'responseCode' in document);

const STARTS_DOCUMENT = /^\s*[[{]/;

/** What a text says that is a JSON object or list. */
function documentIn(text: string): unknown {
  if (!STARTS_DOCUMENT.test(text) || excessIn(text) !== undefined) return undefined;
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A form of text that says by itself what it is. */
interface Pattern {
  readonly kind: PersonalKind;
  readonly form: RegExp;
  readonly is?: (text: string) => boolean;
}

/** Whether a text of base58 is no word: it has capitals, small letters and digits. */
const isMixed = (text: string) => /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text);

/** This machine's own addresses are nobody's. */
const LOCAL = /^(?:127\.|0\.0\.0\.0|::1?(?:\/|$))/;
const isAddress = (text: string) => parseRange(text.replace(/\/\d+$/, '')) !== undefined && !LOCAL.test(text);

/** What is masked in every text: e-mail addresses, addresses of every chain, transaction hashes, IP addresses, accounts and phone numbers. */
const PATTERNS: readonly Pattern[] = [
  { kind: 'email', form: /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g },
  { kind: 'hash', form: /(?<![\da-zA-Z])0x[0-9a-fA-F]{64}(?![\da-fA-F])/g },
  { kind: 'address', form: /(?<![\da-zA-Z])0x[0-9a-fA-F]{40}(?![\da-fA-F])/g },
  { kind: 'address', form: /(?<!\w)G[A-Z2-7]{55}(?!\w)/g },
  { kind: 'address', form: /(?<!\w)[1-9A-HJ-NP-Za-km-z]{32,44}(?!\w)/g, is: isMixed },
  { kind: 'ip', form: /(?<![\w.:])\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?(?![\w.])/g, is: isAddress },
  {
    kind: 'ip',
    form: /(?<![\w:.])[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?:\.\d{1,3}){0,3}(?:\/\d{1,3})?(?![\w:.])/gi,
    is: isAddress,
  },
  { kind: 'phone', form: /(?<![\w.])\+\d{10,14}(?!\d)/g },
  { kind: 'account', form: /(?<![\w.-])\d{10,11}(?![\w-]|\.\d)/g },
];

/** Replaces everything in a text that has the form of something personal. */
function withoutPatterns(text: string, handleOf: (kind: PersonalKind, text: string) => string): string {
  return PATTERNS.reduce(
    (masked, { kind, form, is = () => true }) =>
      masked.replace(form, (found) => (is(found) ? handleOf(kind, found) : found)),
    text,
  );
}
