import type { Endpoint } from '../contract/endpoint.ts';

/** A single value as JSON prints it. `amount` is {value, asset}; `pagination` is the position of a list; `any` is not described. */
export type Kind = 'text' | 'time' | 'number' | 'whole number' | 'flag' | 'amount' | 'pagination' | 'any';

/** Fields by name; `?` after a name means that the field may be missing. */
export interface Fields {
  readonly [name: string]: Form;
}

/** The form of a value that a command makes itself: a kind, an object with its fields, or a list, a choice or null. */
export type Form =
  | Kind
  | Fields
  | readonly ['list of', Form]
  | readonly ['null or', Form]
  | readonly ['one of', ...string[]]
  | readonly ['either', Form, Form];

/** A response of the service as a command prints it, with what differs from the record of the endpoint. */
export interface PrintedResponse {
  readonly response: Endpoint;
  /** The list that is printed as rows, if the endpoint names none. */
  readonly lists?: string;
  /** Prints the first row of the list instead of the list, or null. */
  readonly isRow?: true;
  /** Fields that the command adds. */
  readonly more?: Fields;
}

/** Fields of an endpoint that are printed with the start of some work, such as those of the account to pay. */
export interface AlsoPrinted {
  readonly endpoint: Endpoint;
  readonly fields: readonly string[];
}

/** Work that a command starts: the fields of both endpoints, each null until its value is known. */
export interface PrintedWork {
  readonly start: Endpoint;
  readonly status: Endpoint;
  readonly also?: AlsoPrinted;
}

/** What a command prints with -o json. `either`: which of the two depends on its arguments. */
export type Prints =
  | PrintedResponse
  | PrintedWork
  | { readonly form: Form }
  | { readonly either: readonly [Prints, Prints] };
