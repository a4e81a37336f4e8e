import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ROOT } from './built.ts';

/** A source file and what the rules of the house look at. */
export interface Source {
  /** Below src/, with slashes. */
  readonly path: string;
  readonly text: string;
  /** The text with comments, strings and regular expressions blanked; every place and line stays where it was. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** A path below src/, or the name of a package. */
  readonly target: string;
  readonly isOwn: boolean;
  /** Nothing of it is there when the program runs. */
  readonly isTypeOnly: boolean;
  /** Loaded when it is called for. */
  readonly isLate: boolean;
}

const BLANKED = [
  String.raw`\/\*[\s\S]*?\*\/`,
  String.raw`\/\/[^\n]*`,
  String.raw`'(?:\\.|[^'\\\n])*'`,
  String.raw`"(?:\\.|[^"\\\n])*"`,
  // A regular expression begins where a value may.
  String.raw`(?<=[=(,:[!&|?{};\n]\s*|return )\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*`,
];
const BLANK = new RegExp(BLANKED.join('|'), 'g');

const blank = (text: string) => text.replace(/[^\n]/g, ' ');

/** Blanks what is no code. The inside of `${}` in a template is code, and stays. */
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

const STATIC = /^(import|export)\b([^;'"]*?)\bfrom '([^']+)'|^import '([^']+)'/gm;
const LATE = /(typeof )?\bimport\('([^']+)'\)|getBuiltinModule\('([^']+)'\)/g;

function importsOf(path: string, text: string): Import[] {
  const resolve = (name: string) => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name);
  const made = (name: string, isTypeOnly: boolean, isLate: boolean): Import => {
    const target = resolve(name);
    // What stands outside of src/ is as good as a package.
    const isOwn = name.startsWith('.') && !target.startsWith('../');
    return { target: target.replace(/^(\.\.\/)+/, ''), isOwn, isTypeOnly, isLate };
  };
  const early = [...text.matchAll(STATIC)].map(([, , names = '', from = '', alone]) => {
    const named = /^\s*\{([\s\S]*)\}\s*$/.exec(names)?.[1];
    const isTypeOnly =
      /^\s*type\b/.test(names) || (named?.split(',').every((name) => /^\s*(type |$)/.test(name)) ?? false);
    return made(alone ?? from, isTypeOnly, false);
  });
  const typed = /[:=<|&(]\s*$/;
  const late = [...text.matchAll(LATE)].map((match) => {
    const [, isTypeof, name = '', builtin] = match;
    const isType =
      isTypeof !== undefined ||
      (typed.test(text.slice(0, match.index)) &&
        text[match.index + match[0].length] === '.' &&
        !text.slice(match.index).startsWith(`${match[0]}.then`));
    return made(builtin ?? name, isType, true);
  });
  return [...early, ...late];
}

/** Every file below src/. */
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

/** The folder of a file, or its own name where it stands in src/ itself. */
export const roomOf = (path: string) => (dirname(path) === '.' ? path : (path.split('/')[0] ?? ''));

export interface Body {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

const FUNCTION =
  /=>\s*\{|\bfunction\b[^{;]*?\)[^{;=]*\{|^\s*(?:async\s+|get\s+|\*)*(?!if|for|while|switch|catch|function)[\w#]+\([^()]*(?:\([^()]*\)[^()]*)*\)(?::\s*[\w<>[\]| .]+)?\s*\{$/gm;

/** The functions with a body of their own, each named by the first word of its line that says what it is. */
export function functionsOf({ code }: Source): Body[] {
  const lines = code.split('\n');
  const nameAt = (line: number) =>
    /(?:function|const)\s+(\w+)|([\w#]+)\s*[:(]/
      .exec(lines[line - 1] ?? '')
      ?.slice(1)
      .find(Boolean) ?? '?';
  const lineAt = (place: number) => code.slice(0, place).split('\n').length;
  return [...code.matchAll(FUNCTION)].map((match) => {
    const open = match.index + match[0].length - 1;
    const line = lineAt(match.index + match[0].search(/\S/));
    return { name: nameAt(line), line, lines: lineAt(closing(code, open)) - line + 1 };
  });
}

/** The place of the brace or bracket that closes the one at `open`. */
function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if ('{(['.includes(code[at] ?? ' ')) depth += 1;
    else if ('})]'.includes(code[at] ?? ' ')) depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}

/** The statements of a file that stand by themselves: formatted code begins them at the left edge. */
export function statementsOf({ code }: Source): string[] {
  return code
    .split(/\n(?=[A-Za-z[(])/)
    .filter((text) => !/^(import|export (type|interface|\*|\{)|type |interface |declare )/.test(text));
}

/** What is called when a statement is run at import: not what stands in the functions it makes. */
export function callsAtImport(statement: string): string[] {
  if (/^(export )?(default )?(async )?function\b/.test(statement)) return [];
  // The fields of a class are made with its objects; only what is static is made with the class.
  const isClass = /^(export )?(default )?(abstract )?class\b/.test(statement);
  const made = withoutFunctions(isClass ? (statement.match(/^\s+static .*$/gm) ?? []).join('\n') : statement);
  // The dots of a spread belong to no name.
  const text = made.replaceAll('...', ' ');
  return [...text.matchAll(/\b(new\s+)?(\.?[A-Za-z_$][\w$.]*)(?:<[^()]*>)?\(|(\.\w+)\(/g)].map(
    ([, isNew, name = '', method]) => method ?? (isNew ? `new ${name}` : name),
  );
}

/** Cuts out arrow functions and method bodies, whole. */
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

/** The names a file exports. */
export function exportsOf({ code }: Pick<Source, 'code'>): string[] {
  const listed = [...code.matchAll(EXPORTED_LATER)].flatMap(([, names = '']) => names.split(','));
  const later = listed.map((name) => name.trim().split(/\s+/).at(-1) ?? '').filter((name) => name !== '');
  return [...[...code.matchAll(EXPORTED)].map(([, name = '']) => name), ...later];
}

/** `a, type B, C as D` to `a`, `B`, `C`. */
const namesIn = (list: string) => list.split(',').flatMap((each) => /^(?:type )?(\w+)/.exec(each.trim())?.[1] ?? []);

/** Whether a name of a file of src/, by its path below src/, is imported in src/, test/ or scripts/. */
export function importedNames(): (path: string, name: string) => boolean {
  const named = new Set<string>();
  // A file that is imported whole, or late, is used by the words of the file that imports it.
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
