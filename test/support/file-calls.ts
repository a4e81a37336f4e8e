import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { AtEnd } from './built.ts';

/** One call that changes a file or flushes it, by name: `rename` and `link` also have where to. */
export interface FileCall {
  readonly name: 'open' | 'write' | 'truncate' | 'fsync' | 'close' | 'rename' | 'link' | 'unlink';
  readonly path: string;
  readonly to?: string;
}

const RECORDED = [
  'openSync',
  'writeSync',
  'ftruncateSync',
  'fsyncSync',
  'closeSync',
  'renameSync',
  'linkSync',
  'unlinkSync',
] as const;

/** Passes on the file-system calls below `folder` and reports each once it has succeeded, until the test ends. */
export function watchFileCalls(folder: string, atEnd: AtEnd, report: (call: FileCall) => void): void {
  const real = Object.fromEntries(RECORDED.map((name) => [name, fs[name]])) as Pick<
    typeof fs,
    (typeof RECORDED)[number]
  >;
  const opened = new Map<number, string>();
  const reportBelow = (call: FileCall) => {
    if (call.path.startsWith(folder)) report(call);
  };
  const onOpenFile =
    <A extends readonly unknown[], R>(name: FileCall['name'], call: (file: number, ...rest: A) => R) =>
    (file: number, ...rest: A): R => {
      const result = call(file, ...rest);
      reportBelow({ name, path: opened.get(file) ?? '' });
      return result;
    };
  Object.assign(fs, {
    openSync: (...words: Parameters<typeof fs.openSync>) => {
      const file = real.openSync(...words);
      opened.set(file, String(words[0]));
      reportBelow({ name: 'open', path: String(words[0]) });
      return file;
    },
    writeSync: onOpenFile('write', real.writeSync as (file: number, ...rest: unknown[]) => number),
    ftruncateSync: onOpenFile('truncate', real.ftruncateSync),
    fsyncSync: onOpenFile('fsync', real.fsyncSync),
    closeSync: onOpenFile('close', real.closeSync),
    renameSync: (from: string, to: string) => {
      real.renameSync(from, to);
      reportBelow({ name: 'rename', path: from, to });
    },
    linkSync: (from: string, to: string) => {
      real.linkSync(from, to);
      reportBelow({ name: 'link', path: from, to });
    },
    unlinkSync: (path: string) => {
      real.unlinkSync(path);
      reportBelow({ name: 'unlink', path });
    },
  });
  syncBuiltinESMExports();
  atEnd(() => {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  });
}

/** The files that a power cut would leave: their contents as last flushed, under the names they have by then. */
export function flushedFiles(
  folder: string,
  atEnd: AtEnd,
  afterEach: (files: ReadonlyMap<string, string>) => void,
): void {
  const flushed = new Map<string, string>();
  watchFileCalls(folder, atEnd, ({ name, path, to }) => {
    if (name === 'fsync' && fs.statSync(path).isFile()) flushed.set(path, fs.readFileSync(path, 'utf8'));
    if (to !== undefined) flushed.set(to, flushed.get(path) ?? '');
    if (name === 'unlink' || name === 'rename') flushed.delete(path);
    afterEach(flushed);
  });
}
