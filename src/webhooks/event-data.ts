import type { EventName, EventPayload } from '../contract/event-payloads.ts';

/**
 * The data of each documented event, by its name. The package has this written out, with the unit of every amount, by
 * scripts/kit-types.ts from the same contract.
 */
export type EventData = { readonly [Name in EventName]: EventPayload<Name> };
