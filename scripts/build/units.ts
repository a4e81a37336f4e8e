/**
 * Joins the chunks into units and the units into files. A unit is run as a whole, when it is first needed; a file holds the
 * units of one room, so that a command opens few files and runs little of them.
 */
import { createHash } from 'node:crypto';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { baseName, type Chunks, closureOf } from './chunks.ts';

/** The unit of each chunk: `main/main`, `contract/endpoints-users`. What comes before the slash is the file. */
type Units = ReadonlyMap<string, string>;

/** Rooms that are run together. */
const SAME_FILE: Readonly<Record<string, string>> = { service: 'sandbox' };

/**
 * `base` are the modules every command begins with, the first of them always loaded. What some of them need is one unit;
 * what one late import alone needs is a unit with it; any other chunk is a unit of its own.
 */
export function assign(chunks: Chunks, base: Readonly<Record<string, string>>): Units {
  const users = new Map<string, string[]>();
  for (const { name, entry } of chunks.values())
    if (entry !== undefined)
      for (const each of closureOf(chunks, name)) users.set(each, [...(users.get(each) ?? []), entry]);
  const [first = ''] = Object.keys(base);
  const unitOf = (name: string) => {
    const entries = users.get(name) ?? [];
    const bases = Object.keys(base).filter((each) => entries.includes(base[each] ?? ''));
    const file = bases.includes(first) ? first : bases.join('-');
    const [input = ''] = entries.length === 1 ? entries : (chunks.get(name)?.inputs ?? []);
    return file === '' ? unitNamed(input || (entries[0] ?? '')) : `${file}/${file}`;
  };
  const units = new Map([...chunks.keys()].map((name) => [name, unitOf(name)]));
  requireNoCycle(chunks, units);
  return units;
}

/** `src/contract/endpoints/users.ts` as `contract/endpoints-users`; a package, and the commands of a noun, have files of their own. */
function unitNamed(input: string): string {
  const name = (path: string) => path.replace(/^@/, '').replace(/[^a-z0-9]+/g, '-');
  const [, made, of = ''] = /^([a-z-]+):(.+)$/.exec(input) ?? [];
  if (made) return `${made}/${name(of)}`;
  const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
  if (inPackage) return `${name(inPackage)}/all`;
  const path = input.replace(/^src\//, '').replace(/(\/index)?\.ts$/, '');
  const [room = '', ...words] = path.split('/');
  if (room === 'commands') return `${room}-${words[0]}/${words.slice(1).map(name).join('-') || 'all'}`;
  return `${SAME_FILE[room] ?? room}/${name(words.join('-'))}`;
}

/** A unit that needs itself would find itself half run. */
function requireNoCycle(chunks: Chunks, units: Units): void {
  const needs = new Map<string, Set<string>>();
  for (const { name, imports } of chunks.values()) {
    const unit = units.get(name) ?? '';
    const others = imports.map((each) => units.get(each) ?? '').filter((each) => each !== unit);
    needs.set(unit, new Set([...(needs.get(unit) ?? []), ...others]));
  }
  const done = new Set<string>();
  const visit = (unit: string, trail: readonly string[]) => {
    if (trail.includes(unit)) throw new Error(`units need each other: ${[...trail, unit].join(' -> ')}`);
    if (done.has(unit)) return;
    for (const each of needs.get(unit) ?? []) visit(each, [...trail, unit]);
    done.add(unit);
  };
  for (const unit of needs.keys()) visit(unit, []);
}

/** A chunk as one unit asks another for it. */
const idOf = (name: string) => name.replace(/\.js$/, '').replace(/[^A-Za-z0-9]/g, '_');

/**
 * The code of each unit. What it has for others it puts into `__provide`, a plain object for each chunk: esbuild's own exports
 * are a getter for each name, of which there are hundreds. So what is exported must not change later.
 */
export async function unitTexts(
  chunks: Chunks,
  units: Units,
  base: Readonly<Record<string, string>>,
  options: BuildOptions,
): Promise<ReadonlyMap<string, string>> {
  const names = [...new Set(units.values())].sort();
  const { outputFiles = [] } = await build({
    ...options,
    bundle: true,
    write: false,
    format: 'cjs',
    logOverride: { 'empty-import-meta': 'silent' },
    entryPoints: names.map((name) => ({ in: `unit:${name}`, out: name.replace('/', '@') })),
    plugins: [unitParts(chunks, units, base)],
  });
  return new Map(
    outputFiles.map(({ path, text }) => [
      baseName(path).replace(/\.js$/, '').replace('@', '/'),
      withLightDefaults(withLateUnits(text)),
    ]),
  );
}

/** Makes a unit run when something of it is first used: nothing happens at import (test/house.test.ts), so nobody can tell. */
function withLateUnits(text: string): string {
  const names = new Set<string>();
  const late = text.replace(/\b(import_\w+)=require\(("[^"]+#[^"]+")\)/g, (_, name: string, address: string) => {
    names.add(name);
    return `${name}=__late(${address})`;
  });
  const used = late.replace(
    /\b(new )?(import_\w+)\.(\w+)/g,
    (all, isNew: string | undefined, name: string, member: string) => {
      if (!names.has(name)) return all;
      return isNew ? `new (${name}().${member})` : `${name}().${member}`;
    },
  );
  const bare = [...used.matchAll(/\b(import_\w+)(?!\w|\(\)\.|=__late\()/g)].filter(([, name = '']) => names.has(name));
  if (bare.length > 0) throw new Error(`a unit is used as a whole: ${bare.map(([name]) => name).join(', ')}`);
  return used;
}

/** Takes a module of Node's as it is where only its default is used: esbuild would copy it, a getter for each export. */
function withLightDefaults(text: string): string {
  return text.replace(
    /\b(import_\w+)=__toESM\((require\("node:[^"]+"\))(?:,1)?\)/g,
    (all, name: string, module: string) => {
      const uses = [...text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))];
      return uses.every(([, member]) => member === 'default') ? `${name}={default:${module}}` : all;
    },
  );
}

function unitParts(chunks: Chunks, units: Units, base: Readonly<Record<string, string>>): Plugin {
  const addressOf = (name: string) => `${units.get(name)}#${idOf(name)}`;
  const wanted = new Set<string>();
  for (const { name, entry = '', imports, lateImports } of chunks.values()) {
    if (Object.values(base).includes(entry)) wanted.add(name);
    for (const each of lateImports) wanted.add(each);
    for (const each of imports) if (units.get(each) !== units.get(name)) wanted.add(each);
  }
  const providing = (name: string, unit: number) => {
    const all = (chunks.get(name)?.exports ?? []).map((each, index) => [each, `provided_${unit}_${index}`]);
    const imported = all.map((pair) => pair.join(' as ')).join(', ');
    const shown = all.map((pair) => pair.join(': ')).join(', ');
    return `import { ${imported} } from './${name}';\n__provide.${idOf(name)} = { ${shown} };`;
  };
  const late = (text: string) =>
    text.replace(/\bimport\("(?:\.\/([^"]+\.js)|(node:[^"]+))"\)/g, (_, name: string | undefined, own: string) =>
      name === undefined ? `__load("${own}")` : `__load("${addressOf(name)}")`,
    );
  return {
    name: 'units',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^unit:/ }, ({ path }) => ({ path: path.slice('unit:'.length), namespace: 'unit' }));
      onLoad({ filter: /.*/, namespace: 'unit' }, ({ path: unit }) => {
        const own = [...units].flatMap(([name, its]) => (its === unit && wanted.has(name) ? [name] : []));
        return { contents: own.map(providing).join('\n') };
      });
      onResolve({ filter: /^\.\// }, ({ path, importer, namespace }) => {
        const name = path.slice('./'.length);
        const from = namespace === 'unit' ? importer : units.get(importer);
        if (units.get(name) === from) return { path: name, namespace: 'chunk' };
        return { path: addressOf(name), external: true };
      });
      onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path }) => ({ contents: late(chunks.get(path)?.text ?? '') }));
    },
  };
}

/** The files: each an object of functions, one for a unit, headed by a digest of what is inside. */
export function filesOf(texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const functions = new Map<string, string[]>();
  for (const [unit, text] of texts) {
    const [file = '', name = ''] = unit.split('/');
    const code = `${JSON.stringify(name)}:function(__provide,require,__late,__load){${text}}`;
    functions.set(file, [...(functions.get(file) ?? []), code]);
  }
  return new Map(
    [...functions].map(([file, all]) => {
      const code = ascii(`({${all.join(',\n')}})`);
      return [file, `/*${digest(code)}*/${code}`];
    }),
  );
}

/** esbuild escapes all but regular expressions. A file is read as bytes, so that nothing is decoded. */
function ascii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
