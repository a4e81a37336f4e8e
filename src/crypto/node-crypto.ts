/** Node's cryptography, loaded when it is first used: most commands need none of it. */
export function nodeCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto');
}
