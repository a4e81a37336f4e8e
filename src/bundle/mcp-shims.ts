/**
 * Replaces what the MCP server's package takes from its platform, in the bundle (scripts/build.ts). Its validator checks answers to
 * questions that a server asks, and ours asks none: ajv would add 280 KB to the chunk. Its own transport, which takes Node's
 * streams, is not used either (agent/stdio.ts).
 */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('no question is asked over MCP');
  }
}

export const process = undefined;
