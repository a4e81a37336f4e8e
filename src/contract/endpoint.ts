import type * as z from 'zod/mini';
import { advice, type Hint } from '../base/advice.ts';
import { once } from '../base/calls.ts';
import { conditionOf, FAULTS, type FaultName, faultName, SEE_USERS } from './faults.ts';
import type { Source } from './fields.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * What calling the endpoint does. The effect, never the HTTP method, decides retries, confirmation and journaling.
 * read: changes nothing. write: changes something that is safe to repeat or correct.
 * money: moves value. destructive: cannot be undone.
 */
export type Effect = 'read' | 'write' | 'money' | 'destructive';

/** An error that an endpoint declares: the condition and the fault it causes. */
export interface DeclaredError {
  readonly when: string;
  readonly fault: FaultName;
  readonly source: Source;
  readonly remedy?: Hint;
}

/** An alternative method and path for an endpoint. Its path parameters are fields of the request. */
export interface Alias {
  readonly method: Method;
  readonly path: string;
}

/**
 * How a response envelope differs from the common one. Source: public.
 * lower-case: `status` is `success`. camel: adds `responseCode` and `responseMessage` to the common keys.
 * top-level-version: `version` is next to `data` instead of inside it.
 */
export type EnvelopeVariant = 'lower-case' | 'camel' | 'top-level-version';

/**
 * Where a request sends money: the fields that name it; a dot selects a nested field. `unknown`: an earlier request decided it. An
 * address that is left out means that the money stays with the account, or goes to the user in `orUser`. `walletOf`: the default
 * wallet of a user, if there is one.
 */
export type MoveTarget =
  | { readonly bankCode: string; readonly accountNumber: string }
  | { readonly savedAccount: string }
  | { readonly address: string; readonly isOptional?: true; readonly orUser?: string }
  | { readonly user: string }
  | { readonly walletOf: string }
  | 'unknown';

/** What a request that moves money says about it, for the rules of a profile. */
export interface MoveRow {
  /** The words of the command that sends it; rules may be limited to it. */
  readonly command: string;
  /** The flag of that command with which it sends this request instead of another one. */
  readonly flag?: string;
  /** The field with the amount; its metadata has the unit and the asset. */
  readonly amount: string;
  /** A field that, if given, decides the amount and everything else instead: the id of a quote. */
  readonly decidedBy?: string;
  /** For an update: the fields of what it replaces, to which only what it adds counts. Without an amount or a price, it adds nothing. */
  readonly replaces?: readonly string[];
  /**
   * For a trade, whose amount is in cNGN: the account may give the stablecoin instead. It gives cNGN if `field` has the value `cngn`;
   * otherwise the field `stablecoin` ends with the name of what it gives. Left out, or with the field `unless`: the request does not say.
   */
  readonly gives?: {
    readonly field?: string;
    readonly cngn?: string;
    readonly stablecoin?: string;
    readonly unless?: string;
    /** The field with the price in cNGN per stablecoin at which it is given. Without one, the request does not say how much that is. */
    readonly price?: string;
  };
  /** Whether the money comes from outside to the destination. Nothing is spent, so no amount of a rule counts it. */
  readonly isIncoming?: true;
  readonly to: readonly MoveTarget[];
}

/** A change after which the service delivers money elsewhere. Nothing moves now, but where it will go is a destination for rules. */
interface RedirectRow {
  readonly command: string;
  readonly to: readonly MoveTarget[];
  /** Values of a field with which the change redirects nothing: of a wallet that is not the default one. */
  readonly unless?: { readonly field: string; readonly isOneOf: readonly unknown[] };
}

/** What a change does that a person agrees to first: sends money or events elsewhere, changes a price, or lets someone act. */
export type ConsentKind = 'destination' | 'price' | 'access';

/** A field of a request that a person agrees to before it is sent. */
export interface ConsentRow {
  readonly kind: ConsentKind;
  /** The values that nobody is asked about because they only take away: in words, and as a test. */
  readonly unless?: { readonly words: string; readonly holds: (value: unknown) => boolean };
}

/** Stands for a request that needs consent whatever its fields are. */
const WHOLE_REQUEST = '*';

/** The single definition of an endpoint, from which everything else about it is derived. */
export interface Endpoint<
  Q extends z.ZodMiniType = z.ZodMiniType,
  R extends z.ZodMiniType = z.ZodMiniType,
  Id extends string = string,
  Consent extends string = string,
> {
  readonly id: Id;
  readonly method: Method;
  /** Relative to the base URL; `:name` marks a path parameter, which is a field of the request. */
  readonly path: string;
  /**
   * Whether its responses are never encrypted: whoever stores a first public key, or a wrong one, must be able to read them.
   * Source: inferred.
   */
  readonly staysPlain?: true;
  /** Whether the segment `platform` of the path is the service's own name. */
  readonly isNamedAfterService?: true;
  /** Alternatives that the sandbox also serves. The client always uses the method and path above. */
  readonly aliases?: readonly Alias[];
  readonly effect: Effect;
  /** For a path with several actions: the field that selects the action, and the effect of each of its values. */
  readonly effects?: { readonly field: string; readonly of: Readonly<Record<string, Effect>> };
  /** Set for every endpoint that moves money. */
  readonly moves?: MoveRow;
  /** Set for every other endpoint that decides where later money goes. */
  readonly redirects?: RedirectRow;
  /** The fields that a person agrees to, `*` for every request. The rest, such as a label, can be changed without a question. */
  readonly consents?: Readonly<Record<Consent, ConsentRow>>;
  readonly summary: string;
  /** The sandbox's success message: what happened, in the past tense. The service's own wording is not documented. */
  readonly done: string;
  /** Where fields other than path parameters are sent. Default: the query for GET, the body for other methods. */
  readonly fieldsIn?: 'query' | 'body';
  /** Alternative names that the sandbox accepts for required fields, from older or public documentation. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** Set for a read that the sandbox stores, such as a quote that a trade may refer to. */
  readonly isRecorded?: true;
  /** The name of the state machine of the asynchronous work it starts. */
  readonly starts?: string;
  /** The object in `data` that is printed merged with the fields around it. */
  readonly nests?: string;
  /** The list in `data` whose items are the rows of a table. */
  readonly lists?: string;
  readonly envelope?: EnvelopeVariant;
  /** Names that documented older forms of the response have for a field of `data`; a dotted name is a field of an object. */
  readonly otherNames?: Readonly<Record<string, readonly string[]>>;
  /**
   * Fields of the request, or of the terms that it refers to, that the response repeats: by their name, the field or fields of `data` with the same
   * value; dots select nested fields. An amount that is net of fees is not one. A response with other values is not the answer to the request.
   */
  readonly repeats?: Readonly<Record<string, string | readonly string[]>>;
  /** Values with which the response itself says that the work failed, by their field of `data`; `FAILS` if left out. */
  readonly fails?: Readonly<Record<string, readonly (string | boolean)[]>>;
  /** Built on first use, so that a command builds only the schemas it needs. */
  readonly request: () => Q;
  readonly response: () => R;
  readonly errors: readonly DeclaredError[];
  readonly rateLimit: { readonly max: number; readonly windowSeconds: number };
  readonly source: Source;
  /** Set for the sandbox's own controls, which are outside /v1 and not part of the service. */
  readonly area?: 'control';
}

/** What says that the work failed, in a response about one thing. Source: interface (status), inferred (elsewhere). */
export const FAILS = { status: ['failed'] } as const satisfies Endpoint['fails'];

/** What says it of work that may be given up, too. Source: public (offramps, payouts), interface (transactions), inferred (elsewhere). */
export const WORK_FAILS = { status: ['failed', 'cancelled'] } as const satisfies Endpoint['fails'];

export type RequestOf<E extends Endpoint> = z.infer<ReturnType<E['request']>>;
export type ResponseOf<E extends Endpoint> = z.infer<ReturnType<E['response']>>;

type ConsentFields<E extends Endpoint> = keyof NonNullable<E['consents']>;

/** A request that needs no consent: it has none of the fields that do. */
export type RequestWithoutConsent<E extends Endpoint> =
  typeof WHOLE_REQUEST extends ConsentFields<E>
    ? never
    : RequestOf<E> & { readonly [Field in ConsentFields<E>]?: undefined };

/** `yes` if some request to the endpoint needs consent. */
export type NeedsConsent<E extends Endpoint> = [ConsentFields<E>] extends [never] ? 'no' : 'yes';

/** What most endpoints say of themselves, and what a record therefore leaves out. Source: interface. */
const USUAL = { errors: [], rateLimit: { max: 30, windowSeconds: 60 }, source: 'interface' } as const;

type Definition<Q extends z.ZodMiniType, R extends z.ZodMiniType, Id extends string, Consent extends string> = Omit<
  Endpoint<Q, R, Id, Consent>,
  keyof typeof USUAL
> &
  Partial<Pick<Endpoint, keyof typeof USUAL>>;

/** Declares an endpoint whose schemas are built once, on first use. */
export function endpoint<
  Q extends z.ZodMiniType,
  R extends z.ZodMiniType,
  const Id extends string,
  Consent extends string = never,
>(definition: Definition<Q, R, Id, Consent>): Endpoint<Q, R, Id, Consent> {
  return { ...USUAL, ...definition, request: once(definition.request), response: once(definition.response) };
}

/** Declares an error. `remedy` says what to do next, if the fault's own remedy is too general. */
export const refusal = (fault: FaultName, source: Source, when: string, remedy?: Hint): DeclaredError => ({
  when,
  fault,
  source,
  ...(remedy === undefined ? {} : { remedy }),
});

/** Declares what makes a request invalid. */
export const invalid = (source: Source, when: string, remedy?: Hint): DeclaredError =>
  refusal('VALIDATION_ERROR', source, when, remedy);

/** Remedy for an invalid request about a user, who may also be inactive. Source: interface (the rule), inferred (the error). */
export const CORRECT_OR_ACTIVATE = advice`correct the input; if the user is inactive, activate the user with: [fiatrail users activate <user id>]`;

const UNVERIFIED = 'the user is unknown or not verified';
/** The service refuses an unknown or unverified user with one of two faults. */
export const userNotVerified = refusal('USER_NOT_FOUND', 'public', UNVERIFIED);
export const userUnknown = refusal('NOT_FOUND', 'public', UNVERIFIED, SEE_USERS);

/** Returns the names of a path's parameters: `['userId']` for `/balance/user/:userId`. */
export function pathParameters(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part.startsWith(':'))
    .map((part) => part.slice(1));
}

/** Returns the effect of a request: that of the action it selects, or else the endpoint's. */
export function effectOf({ effect, effects }: Endpoint, input: unknown): Effect {
  const action = effects && (input as Readonly<Record<string, unknown>> | undefined)?.[effects.field];
  return (typeof action === 'string' && Object.hasOwn(effects?.of ?? {}, action) && effects?.of[action]) || effect;
}

/** Returns what a request does that a person agrees to before it is sent; nothing if it needs no consent. */
export function consentsOf({ consents = {} }: Pick<Endpoint, 'consents'>, input: unknown): ConsentKind[] {
  const given = (input ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(consents).flatMap(([field, { kind, unless }]) => {
    const value = given[field];
    const isGiven = field === WHOLE_REQUEST || value !== undefined;
    return isGiven && !unless?.holds(value) ? [kind] : [];
  });
}

/** Returns where fields other than path parameters are sent. */
export function fieldsSentIn(endpoint: Endpoint): 'query' | 'body' {
  return endpoint.fieldsIn ?? (endpoint.method === 'GET' ? 'query' : 'body');
}

/** Errors that every endpoint can return. Source: interface. */
export const COMMON_ERRORS: readonly DeclaredError[] = [
  { when: 'the request is malformed', fault: 'VALIDATION_ERROR', source: 'interface' },
  { when: 'the API key is missing, wrong or revoked', fault: 'AUTHENTICATION_FAILED', source: 'interface' },
  { when: 'the caller is not on the allowlist', fault: 'IP_BLOCKED', source: 'interface' },
  { when: 'too many requests', fault: 'RATE_LIMIT_EXCEEDED', source: 'interface' },
  { when: 'the service failed', fault: 'INTERNAL_ERROR', source: 'interface' },
];

/** A condition under which an endpoint refuses a request, as a row: how it is answered, and what to do then. */
export interface Refusal {
  readonly fault: FaultName;
  /** Tells it from the other conditions of the endpoint that are answered alike. */
  readonly name: string;
  /** The specification's name, which may be a more general one. */
  readonly specName: string;
  readonly code: string;
  readonly http: number;
  readonly when: string;
  readonly remedy: Hint;
  readonly source: Source;
}

/** Returns every condition under which an endpoint refuses a request: its own, then those of all endpoints. */
export function refusalsOf({ errors }: Pick<Endpoint, 'errors'>): readonly Refusal[] {
  return [...errors, ...COMMON_ERRORS].map(({ fault, when, source, remedy = FAULTS[fault].remedy }) => ({
    fault,
    name: conditionOf(fault),
    specName: faultName(fault),
    when,
    remedy,
    source,
    code: FAULTS[fault].code,
    http: FAULTS[fault].http,
  }));
}
