import type { Endpoint } from '../contract/endpoint.ts';
import { listed } from '../engine/lists/listed.ts';
import type { Listing } from '../engine/lists/listing.ts';
import type { Outcome } from '../engine/outcome.ts';
import { type Command, command, type Declaration } from './command.ts';
import { listOptions } from './parse/paging.ts';
import type { Parameters, Values } from './parse/parameters.ts';
import { periodOf, periodOptions } from './parse/period.ts';
import type { Session } from './session.ts';

/** The options for the period of a list, by the fields of its request. */
export const listPeriod = { startDate: periodOptions.since, endDate: periodOptions.until };

type Page = Values<ReturnType<typeof listOptions> & typeof listPeriod>;

/** Declares a command that prints a list of the service in pages. Its own parameters filter the list. */
export function listCommand<E extends Endpoint, Row, P extends Parameters>(
  endpoint: E,
  {
    rows,
    listing,
    printed,
    ...definition
  }: Omit<Declaration<P>, 'endpoints' | 'prints' | 'run'> & {
    /** The name of the rows in the help of --limit. */
    readonly rows: string;
    listing(filters: Values<P>): Listing<E, Row>;
    /** Adds to what is printed. */
    readonly printed?: (outcome: Outcome) => Outcome;
  },
): Command {
  const parameters = { ...definition.parameters, ...listPeriod, ...listOptions(rows) };
  const names = Object.keys(definition.parameters);
  const run = async (session: Session, input: Values<P> & Page & Readonly<Record<string, unknown>>) => {
    const period = { since: input.startDate, until: input.endDate };
    const filters = Object.fromEntries(names.map((name) => [name, input[name]])) as Values<P>;
    const outcome = await listed(session, listing(filters), { ...input, ...period }, periodOf(period, session));
    return printed ? printed(outcome) : outcome;
  };
  return command({
    ...definition,
    ...{ endpoints: [endpoint.id], prints: { response: endpoint }, parameters, run },
  } as unknown as Declaration<P>);
}
