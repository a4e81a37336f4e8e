/** The signature of SHA256SUMS, by which a reader knows that the digests are the project's. */
import type { StdioOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PackageError, runTool } from '../package/tools.ts';

/** minisign asks for the password of a key at the terminal. */
const ASKS: StdioOptions = ['inherit', 'pipe', 'inherit'];

/** A key of minisign: its file, and the public half as one line of base64. */
export interface MinisignKey {
  readonly path: string;
  readonly publicKey: string;
}

/** Creates a key that is good for one check and signs nothing that leaves. */
export function throwawayKey(parts: string): MinisignKey {
  const [path, publicPath] = [join(parts, 'check.key'), join(parts, 'check.pub')];
  runTool('minisign', ['-G', '-W', '-f', '-s', path, '-p', publicPath], 'minisign');
  return keyAt(path, parts);
}

/** Reads a key. minisign asks for its password, if it has one. */
export function keyAt(path: string, parts: string): MinisignKey {
  const publicPath = join(parts, 'minisign.pub');
  runTool('minisign', ['-R', '-f', '-s', path, '-p', publicPath], 'minisign', { stdio: ASKS });
  const publicKey = publicKeyIn(readFileSync(publicPath, 'utf8'));
  if (publicKey === undefined) throw new PackageError(`minisign wrote no public key to ${publicPath}`);
  return { path, publicKey };
}

/** The public key of minisign in a text, such as SECURITY.md; undefined if it has none. */
export const publicKeyIn = (text: string) => /\bRW[\w+/]{54}(?![\w+/=])/.exec(text)?.[0];

/** Signs SHA256SUMS in a folder, and verifies the signature and the files as a reader would. */
export function signSums(folder: string, { path, publicKey }: MinisignKey, comment: string): void {
  runTool('minisign', ['-S', '-s', path, '-m', 'SHA256SUMS', '-t', comment], 'minisign', {
    cwd: folder,
    stdio: ASKS,
  });
  verifySums(folder, publicKey);
}

/** Throws PackageError unless the digests are signed by this key and the files have them. Returns the comment, which is signed too. */
export function verifySums(folder: string, publicKey: string): string {
  const comment = runTool('minisign', ['-V', '-Q', '-P', publicKey, '-m', 'SHA256SUMS'], 'minisign', { cwd: folder });
  // Its standard output names the files, and the other one only counts them.
  const check = 'sha256sum --check --strict --quiet SHA256SUMS 2>/dev/null';
  runTool('sh', ['-c', check], 'coreutils', { cwd: folder });
  return comment.trim();
}
