import { flag, integer, maybe, moment, optional, type Source } from './fields.ts';

/** Which rows, and which of them: the same for every list. */
export const range = (source: Source) => ({
  startDate: optional(moment(source)),
  endDate: optional(moment(source)),
});

export const pageAnswer = (source: Source) => ({
  total: maybe(integer(source)),
  limit: maybe(integer(source)),
  offset: maybe(integer(source)),
  hasMore: maybe(flag(source)),
});

export const outOfSet = { fault: 'VALIDATION_ERROR', source: 'inferred' } as const;
