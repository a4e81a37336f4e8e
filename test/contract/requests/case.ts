/** An endpoint id and a request for that endpoint. */
export type Case = readonly [id: string, request: Readonly<Record<string, unknown>>];

/** A request with the path of each field that is wrong in it. */
export type BadCase = readonly [...Case, wrong: string, ...alsoWrong: string[]];
