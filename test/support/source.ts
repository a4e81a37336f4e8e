import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ROOT } from './built.ts';

/** A source file, prepared for the checks of house.test.ts. */
export interface Source {
  /** Relative to src/, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The text with comments, strings and regular expressions replaced by spaces; offsets and lines are unchanged. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** A path relative to src/, or the name of a package. */
  readonly target: string;
  readonly isOwn: boolean;
  /** Removed when the code is compiled. */
  readonly isTypeOnly: boolean;
  /** A dynamic import, loaded on demand. */
  readonly isLate: boolean;
}

const BLANKED = [
  String.raw`\/\*[\s\S]*?\*\/`,
  String.raw`\/\/[^\n]*`,
  String.raw`'(?:\\.|[^'\\\n])*'`,
  String.raw`"(?:\\.|[^"\\\n])*"`,
  // A regular expression starts only where a value may start.
  String.raw`(?<=[=(,:[!&|?{};\n]\s*|return )\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*`,
];
const BLANK = new RegExp(BLANKED.join('|'), 'g');

const blank = (text: string) => text.replace(/[^\n]/g, ' ');

/** Replaces everything that is not code by spaces. The inside of `${}` in a template is code and stays. */
function codeOf(text: string): string {
  const plain = text.replace(BLANK, blank);
  let out = '';
  const open: ('template' | 'value')[] = [];
  for (let at = 0; at < plain.length; at++) {
    const character = plain[at] ?? '';
    const isText = open.at(-1) === 'template';
    if (character === '\\' && isText) {
      out += '  ';
      at += 1;
    } else if (character === '`') {
      if (isText) open.pop();
      else open.push('template');
      out += '`';
    } else if (isText && character === '$' && plain[at + 1] === '{') {
      open.push('value');
      out += ' {';
      at += 1;
    } else if (open.length > 0 && !isText && (character === '{' || character === '}')) {
      if (character === '{') open.push('value');
      else open.pop();
      out += character;
    } else out += isText ? blank(character) : character;
  }
  return out;
}

const TOKEN = new RegExp(BLANK.source, 'y');
const TEMPLATE_TEXT = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*/y;

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
};

/** Returns the texts of the string literals in a source file; a template has one before, between and after its values. */
export function literalsOf(text: string): string[] {
  const literals: string[] = [];
  const open: ('template' | 'value')[] = [];
  for (let at = 0; at < text.length; ) {
    if (open.at(-1) === 'template') {
      const found = matchAt(TEMPLATE_TEXT, text, at);
      literals.push(found);
      at += found.length;
      if (text[at] === '`') open.pop();
      else open.push('value');
      at += text[at] === '`' ? 1 : 2;
      continue;
    }
    const character = text[at] ?? '';
    const token = `'"/`.includes(character) ? matchAt(TOKEN, text, at) : '';
    if (token !== '' && character !== '/') literals.push(token.slice(1, -1));
    if (character === '`') open.push('template');
    else if (character === '{' && open.length > 0) open.push('value');
    else if (character === '}') open.pop();
    at += token.length || 1;
  }
  return literals.filter((each) => each !== '');
}

const STATIC = /^(import|export)\b((?:[^;'"]|'module\.exports')*?)\bfrom '([^']+)'|^import '([^']+)'/gm;
const LATE = /(typeof )?\bimport\('([^']+)'\)|getBuiltinModule\('([^']+)'\)/g;

function importsOf(path: string, text: string): Import[] {
  const resolve = (name: string) => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name);
  const importOf = (name: string, isTypeOnly: boolean, isLate: boolean): Import => {
    const target = resolve(name);
    // A file outside src/ counts as a package.
    const isOwn = name.startsWith('.') && !target.startsWith('../');
    return { target: target.replace(/^(\.\.\/)+/, ''), isOwn, isTypeOnly, isLate };
  };
  const early = [...text.matchAll(STATIC)].map(([, , names = '', from = '', alone]) => {
    const named = /^\s*\{([\s\S]*)\}\s*$/.exec(names)?.[1];
    const isTypeOnly =
      /^\s*type\b/.test(names) || (named?.split(',').every((name) => /^\s*(type |$)/.test(name)) ?? false);
    return importOf(alone ?? from, isTypeOnly, false);
  });
  const typed = /[:=<|&(]\s*$/;
  const late = [...text.matchAll(LATE)].map((match) => {
    const [, isTypeof, name = '', builtin] = match;
    const isType =
      isTypeof !== undefined ||
      (typed.test(text.slice(0, match.index)) &&
        text[match.index + match[0].length] === '.' &&
        !text.slice(match.index).startsWith(`${match[0]}.then`));
    return importOf(builtin ?? name, isType, true);
  });
  return [...early, ...late];
}

/** Reads every file in src/. */
export function readSources(): Source[] {
  const names = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  return names.sort().map((name) => {
    const path = name.replaceAll('\\', '/');
    const text = readFileSync(join(ROOT, 'src', name), 'utf8');
    return { path, text, code: codeOf(text), imports: importsOf(path, text) };
  });
}

/** The folders whose own folders are rooms too. */
const HOUSES = ['webhooks', 'engine', 'copy'];

/** Returns the room of a file: its top folder, the folder below in a house of rooms, or its name if it is in src/ itself. */
export function roomOf(path: string): string {
  const [top = '', below = ''] = path.split('/');
  return HOUSES.includes(top) && posix.dirname(path) !== top ? `${top}/${below}` : top;
}

export interface Body {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

const FUNCTION =
  /=>\s*\{|\bfunction\b[^{;]*?\)[^{;=]*\{|^\s*(?:async\s+|get\s+|\*)*(?!if|for|while|switch|catch|function)[\w#]+\([^()]*(?:\([^()]*\)[^()]*)*\)(?::\s*[\w<>[\]| .]+)?\s*\{$/gm;

/** Returns the functions with a block body, named by the declaration on their first line. */
export function functionsOf({ code }: Source): Body[] {
  const lines = code.split('\n');
  const nameAt = (line: number) =>
    /(?:function|const)\s+(\w+)|([\w#]+)\s*[:(]/
      .exec(lines[line - 1] ?? '')
      ?.slice(1)
      .find(Boolean) ?? '?';
  const lineAt = (offset: number) => code.slice(0, offset).split('\n').length;
  return [...code.matchAll(FUNCTION)].map((match) => {
    const open = match.index + match[0].length - 1;
    const line = lineAt(match.index + match[0].search(/\S/));
    return { name: nameAt(line), line, lines: lineAt(closing(code, open)) - line + 1 };
  });
}

/** Returns the offset of the brace or bracket that closes the one at `open`. */
function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if ('{(['.includes(code[at] ?? ' ')) depth += 1;
    else if ('})]'.includes(code[at] ?? ' ')) depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}

/** Returns the top-level statements of a file, which start in the first column of formatted code. */
export function statementsOf({ code }: Source): string[] {
  return code
    .split(/\n(?=[A-Za-z[(])/)
    .filter((text) => !/^(import|export (type|interface|\*|\{)|type |interface |declare )/.test(text));
}

/** Returns the functions that a statement calls at import time, without those called inside the functions that it defines. */
export function callsAtImport(statement: string): string[] {
  if (/^(export )?(default )?(async )?function\b/.test(statement)) return [];
  // Only static fields are initialised with the class; the others with its instances.
  const isClass = /^(export )?(default )?(abstract )?class\b/.test(statement);
  const executed = withoutFunctions(isClass ? (statement.match(/^\s+static .*$/gm) ?? []).join('\n') : statement);
  // The dots of a spread are not part of a name.
  const text = executed.replaceAll('...', ' ');
  return [...text.matchAll(/\b(new\s+)?(\.?[A-Za-z_$][\w$.]*)(?:<[^()]*>)?\(|(\.\w+)\(/g)].map(
    ([, isNew, name = '', method]) => method ?? (isNew ? `new ${name}` : name),
  );
}

/** Removes arrow functions and method bodies. */
function withoutFunctions(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith('=>', at)) at = endOfArrow(text, at + 2) - 1;
    else out += text[at];
  }
  return out;
}

function endOfArrow(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? '';
    if ('{(['.includes(character)) at = closing(text, at);
    else if (',;)]}'.includes(character)) return at;
  }
  return text.length;
}

const EXPORTED = /^export (?:async )?(?:const|function|class|interface|type|enum)\*? (\w+)/gm;
const EXPORTED_LATER = /^export (?:type )?\{([^}]*)\}/gm;

/** Returns the names that a file exports. */
export function exportsOf({ code }: Pick<Source, 'code'>): string[] {
  const listed = [...code.matchAll(EXPORTED_LATER)].flatMap(([, names = '']) => names.split(','));
  const later = listed.map((name) => name.trim().split(/\s+/).at(-1) ?? '').filter((name) => name !== '');
  return [...[...code.matchAll(EXPORTED)].map(([, name = '']) => name), ...later];
}

/** `a, type B, C as D` to `a`, `B`, `C`. */
const namesIn = (list: string) => list.split(',').flatMap((each) => /^(?:type )?(\w+)/.exec(each.trim())?.[1] ?? []);

/** Returns a check of whether an export of a file, given by its path in src/, is imported in src/, test/ or scripts/. */
export function importedNames(): (path: string, name: string) => boolean {
  const named = new Set<string>();
  // A file imported as a namespace or dynamically is used by the names in the code of the importing file.
  const whole = new Map<string, string[]>();
  for (const folder of ['src', 'test', 'scripts']) {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((each) => each.endsWith('.ts'))) {
      const text = readFileSync(join(ROOT, folder, file), 'utf8');
      const from = posix.dirname(posix.join(folder, file.replaceAll('\\', '/')));
      const below = (target: string) => posix.relative('src', posix.join(from, target));
      for (const [, list, target = ''] of text.matchAll(/^(?:import|export)[^;'"]*?\{([^}]*)\}\s*from '(\.[^']+)'/gm))
        for (const name of namesIn(list ?? '')) named.add(`${below(target)} ${name}`);
      for (const [, star, late] of text.matchAll(/\* as \w+ from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/g)) {
        const target = below(star ?? late ?? '');
        whole.set(target, [...(whole.get(target) ?? []), star ? '*' : codeOf(text)]);
      }
    }
  }
  return (path, name) =>
    named.has(`${path} ${name}`) ||
    (whole.get(path) ?? []).some((code) => code === '*' || new RegExp(`\\b${name}\\b`).test(code));
}
