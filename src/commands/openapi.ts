import { command } from '../cli/command.ts';
import { openApi } from '../derive/openapi.ts';

const openApiCommand = command({
  words: ['openapi'],
  summary: 'Print the contract as an OpenAPI 3.1 document, in JSON',
  details:
    'Units, effects, rate limits and sources stand in fields that begin with x-. Whatever -o asks for, it is JSON.',
  examples: ['fiatrail openapi > openapi.json', 'fiatrail openapi --query "keys(paths)"'],
  endpoints: [],
  isLocal: true,
  parameters: {},
  run: async () => ({ result: { data: openApi(), always: 'json' } }),
});

export const commands = [openApiCommand];
