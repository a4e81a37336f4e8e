import * as f from './fields.ts';

/** The date range filter that every list accepts. */
export const range = (source: f.Source) => ({
  startDate: f.optional(f.moment(source)),
  endDate: f.optional(f.moment(source)),
});

export const pageAnswer = (source: f.Source) => ({
  total: f.maybe(f.integer(source)),
  limit: f.maybe(f.integer(source)),
  offset: f.maybe(f.integer(source)),
  hasMore: f.maybe(f.flag(source)),
});

export const outOfSet = { fault: 'VALIDATION_ERROR', source: 'inferred' } as const;
