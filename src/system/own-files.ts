import { createHash, hash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FilesCheck, ProgramFiles } from '../base/world.ts';

/** The digests of the program's files, in the format of sha256sum. */
const DIGESTS = 'dist/SHA256SUMS';

/** A single binary ends with the digest of everything before it. */
const TRAILER = /^\nsha256:([0-9a-f]{64})\n$/;
const TRAILER_BYTES = 73;

/** Implements `World.checkFiles`. */
export async function checkFiles(files: ProgramFiles): Promise<FilesCheck> {
  return files.isBinary ? checkBinary(files.root) : checkFolder(files);
}

function checkFolder({ root, read }: ProgramFiles): FilesCheck {
  let lines: string[];
  try {
    lines = read(DIGESTS).trimEnd().split('\n');
  } catch {
    return { count: 0, damaged: [DIGESTS] };
  }
  const damaged: string[] = [];
  for (const line of lines) {
    const [digest, name = DIGESTS] = line.split('  ');
    if (digestOf(join(root, name)) !== digest) damaged.push(name);
  }
  return { count: lines.length, damaged };
}

/** Returns the SHA-256 of a small file; undefined if it cannot be read. A stream for each of hundreds takes ten times as long. */
function digestOf(path: string): string | undefined {
  try {
    return hash('sha256', readFileSync(path));
  } catch {
    return undefined;
  }
}

async function checkBinary(path: string): Promise<FilesCheck> {
  const bodyBytes = Math.max(statSync(path).size - TRAILER_BYTES, 1);
  let trailer = '';
  for await (const part of createReadStream(path, { start: bodyBytes, encoding: 'latin1' })) trailer += part;
  const [, digest] = TRAILER.exec(trailer) ?? [];
  const isWhole = digest !== undefined && digest === (await digestOfBody(path, bodyBytes));
  return { count: 1, damaged: isWhole ? [] : [path] };
}

/** Returns the SHA-256 of the first bytes of a file, which may be larger than memory should hold; undefined if it cannot be read. */
async function digestOfBody(path: string, bytes: number): Promise<string | undefined> {
  const digest = createHash('sha256');
  try {
    for await (const part of createReadStream(path, { end: bytes - 1, highWaterMark: 1 << 20 })) digest.update(part);
  } catch {
    return undefined;
  }
  return digest.digest('hex');
}
