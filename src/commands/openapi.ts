import * as z from 'zod/mini';
import document from '../../docs/openapi.json' with { type: 'json' };
import { openApiText } from '../derive/openapi-text.ts';
import { command } from '../terminal/command.ts';

const openApiCommand = command({
  words: ['openapi'],
  summary: 'Print the API contract as OpenAPI 3.1',
  details: 'Always prints JSON, whatever -o says. Units, effects, rate limits and sources are in x- fields.',
  examples: ['fiatrail openapi > openapi.json', 'fiatrail openapi --query "keys(paths)"'],
  endpoints: [],
  prints: () =>
    z.object({
      openapi: z.string(),
      info: z.unknown(),
      servers: z.unknown(),
      security: z.unknown(),
      tags: z.unknown(),
      'x-tagGroups': z.unknown(),
      paths: z.unknown(),
      webhooks: z.unknown(),
      components: z.unknown(),
    }),
  isLocal: true,
  parameters: {},
  run: async ({ globals: { present } }) => {
    const isAlone = present.format === 'table' && !present.fields && present.query === undefined;
    return { result: isAlone ? { data: openApiText(document), always: 'text' } : { data: document, always: 'json' } };
  },
});

export const commands = [openApiCommand];
