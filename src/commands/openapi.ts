import { openApi } from '../derive/openapi.ts';
import { command } from '../terminal/command.ts';

const openApiCommand = command({
  words: ['openapi'],
  summary: 'Print the API contract as OpenAPI 3.1',
  details: 'Always prints JSON, whatever -o says. Units, effects, rate limits and sources are in x- fields.',
  examples: ['fiatrail openapi > openapi.json', 'fiatrail openapi --query "keys(paths)"'],
  endpoints: [],
  prints: {
    form: {
      ...{ openapi: 'text', info: 'any', servers: 'any', security: 'any', tags: 'any' },
      ...{ paths: 'any', webhooks: 'any', components: 'any' },
    },
  },
  isLocal: true,
  parameters: {},
  run: async () => ({ result: { data: openApi(), always: 'json' } }),
});

export const commands = [openApiCommand];
