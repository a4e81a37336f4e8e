/** A request of an endpoint, by the endpoint's id. */
export type Case = readonly [id: string, request: Readonly<Record<string, unknown>>];
