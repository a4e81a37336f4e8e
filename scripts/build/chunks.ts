/** Splits the program into chunks: modules that are always loaded together, each module in exactly one. */
import { type BuildOptions, build, type Metafile } from 'esbuild';

/** A chunk of esbuild's, as ES modules. */
export interface Chunk {
  readonly name: string;
  readonly text: string;
  /** The modules inside, the largest first. */
  readonly inputs: readonly string[];
  /** The module whose dynamic import loads it, where it has one. */
  readonly entry: string | undefined;
  readonly exports: readonly string[];
  /** The chunks that are loaded with it. */
  readonly imports: readonly string[];
  /** Those that it loads later. */
  readonly lateImports: readonly string[];
}

export type Chunks = ReadonlyMap<string, Chunk>;

/** Splits all that `entries` import, at once and later. Throws when a module is in two chunks. */
export async function split(
  entries: Readonly<Record<string, string>>,
  options: BuildOptions,
): Promise<{ chunks: Chunks; metafile: Metafile }> {
  const { metafile, outputFiles } = await build({
    ...options,
    entryPoints: entries,
    format: 'esm',
    splitting: true,
    write: false,
    metafile: true,
  });
  requireOneHome(metafile);
  const texts = new Map(outputFiles.map(({ path: file, text }) => [baseName(file), text]));
  const chunks = Object.entries(metafile.outputs).map(([file, { inputs, entryPoint, exports, imports }]): Chunk => {
    const bySize = Object.entries(inputs).sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput);
    const importsOf = (wanted: string) =>
      imports.flatMap((each) => (each.kind === wanted && !each.external ? [baseName(each.path)] : []));
    return {
      name: baseName(file),
      text: texts.get(baseName(file)) ?? '',
      inputs: bySize.map(([input]) => input),
      entry: entryPoint,
      exports,
      imports: importsOf('import-statement'),
      lateImports: importsOf('dynamic-import'),
    };
  });
  return { chunks: new Map(chunks.map((each) => [each.name, each])), metafile };
}

/** Two copies of a module would be two classes of the same error, neither an instance of the other. */
export function requireOneHome({ outputs }: Pick<Metafile, 'outputs'>): void {
  const homes = new Map<string, string[]>();
  for (const [output, { inputs }] of Object.entries(outputs))
    for (const [input, { bytesInOutput }] of Object.entries(inputs))
      if (bytesInOutput > 0) homes.set(input, [...(homes.get(input) ?? []), output]);
  const copied = [...homes].filter(([, all]) => all.length > 1);
  if (copied.length === 0) return;
  throw new Error(`in more than one chunk: ${copied.map(([input, all]) => `${input} (${all.join(', ')})`).join('; ')}`);
}

export const baseName = (path: string) => path.split(/[\\/]/).at(-1) ?? '';

/** A chunk and all that is loaded with it. */
export function closureOf(chunks: Chunks, name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const each of chunks.get(name)?.imports ?? []) closureOf(chunks, each, seen);
  return seen;
}
