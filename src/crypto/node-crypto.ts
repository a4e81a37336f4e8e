/** Returns node:crypto, loaded on first use because most commands do not need it. */
export function nodeCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto');
}
