import * as z from 'zod/mini';
import { openApi } from '../derive/openapi.ts';
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
      paths: z.unknown(),
      webhooks: z.unknown(),
      components: z.unknown(),
    }),
  isLocal: true,
  parameters: {},
  run: async () => ({ result: { data: openApi(), always: 'json' } }),
});

export const commands = [openApiCommand];
