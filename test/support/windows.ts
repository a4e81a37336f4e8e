import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { AtEnd } from './built.ts';

/** Lets Node say until the test ends that this is Windows, which has no user ids. What the system does stays Linux's. */
export function asOnWindows(atEnd: AtEnd): void {
  const was = ['platform', 'getuid'].map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
  Object.defineProperty(process, 'platform', { value: 'win32', configurable: true });
  Object.defineProperty(process, 'getuid', { value: undefined, configurable: true });
  atEnd(() => {
    for (const [name, property] of was) if (property) Object.defineProperty(process, name, property);
  });
}

/** Lets a call that names files fail with these codes, one after the other, until the test ends; then it succeeds. Returns how often it was called. */
export function failing(atEnd: AtEnd, name: 'renameSync' | 'linkSync', codes: readonly string[]): () => number {
  const real = fs[name];
  let calls = 0;
  const put = (call: typeof real) => {
    fs[name] = call;
    syncBuiltinESMExports();
  };
  put((from, to) => {
    const code = codes[calls++];
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    real(from, to);
  });
  atEnd(() => put(real));
  return () => calls;
}
