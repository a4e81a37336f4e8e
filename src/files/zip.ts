import { Zip, ZipDeflate } from 'fflate';

/** A file in an archive, in parts. */
export interface ZippedFile {
  /** Its path in the archive. */
  readonly name: string;
  readonly parts: AsyncIterable<string>;
}

/** The earliest time that a ZIP archive can state. */
const EARLIEST_MS = Date.UTC(1980, 0, 2);

/** Yields a ZIP archive as its files are written. The same files and time give the same bytes. Throws what the files throw. */
export async function* zipped(files: AsyncIterable<ZippedFile>, changedMs: number): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  let failed: Error | null = null;
  const archive = new Zip((error, bytes) => {
    failed = error ?? failed;
    ready.push(bytes);
  });
  const encoder = new TextEncoder();
  for await (const { name, parts } of files) {
    const entry = new ZipDeflate(name, { level: 6 });
    entry.mtime = new Date(Math.max(changedMs, EARLIEST_MS));
    archive.add(entry);
    for await (const part of parts) {
      entry.push(encoder.encode(part));
      yield* ready.splice(0);
    }
    entry.push(new Uint8Array(), true);
    yield* ready.splice(0);
  }
  archive.end();
  if (failed) throw failed;
  yield* ready.splice(0);
}
