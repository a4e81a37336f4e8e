const GETTER = /Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;
const AT_END = /(?:Object\.defineProperty\(exports,[^{}]*\{[^{}]*\{[^{}]*\}\}\)[,;]?\s*)+$/;

/** Matches what gives a variable a value, and its declaration without one. */
function assignments(name: string): RegExp {
  const variable = String.raw`(?<![\w$.])${name.replaceAll('$', String.raw`\$`)}(?![\w$])`;
  const assigned = String.raw`(?:=(?![=>])|\+\+|--|(?:[-+*/%|&^]|\*\*|<<|>>>?|\?\?|\|\||&&)=)`;
  return new RegExp(
    String.raw`${variable}${assigned}|(?:\+\+|--)${variable}|(?:let |var )(?:[\w$]+,)*${variable}[,;]`,
    'g',
  );
}

/**
 * Returns the code of a bundled file with plain properties for the exports at its end. rolldown makes each a getter, because a variable may
 * change later. Hundreds of them take 2 ms to read back and run. Those of a variable that may be assigned later stay.
 */
export function plainExports(code: string): string {
  const end = code.search(AT_END);
  if (end < 0) return code;
  const body = code.slice(0, end);
  const isFinal = (name: string) => [...body.matchAll(assignments(name))].length <= 1;
  return (
    body +
    code
      .slice(end)
      .replace(GETTER, (getter, name: string, local: string) => (isFinal(local) ? `exports.${name}=${local}` : getter))
  );
}
