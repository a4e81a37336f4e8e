/** An endpoint id and a request for that endpoint. */
export type Case = readonly [id: string, request: Readonly<Record<string, unknown>>];
