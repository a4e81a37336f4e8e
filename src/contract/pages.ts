import { flag, integer, maybe, moment, optional, type Source } from './fields.ts';

/** The date range filter that every list accepts. */
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
