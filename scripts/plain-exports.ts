const GETTER = String.raw`Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)`;
const ASSIGNED = String.raw`(?:=(?!=)|\+\+|--|(?:[-+*/%|&^]|\*\*|<<|>>>?|\?\?|\|\||&&)=)`;

/**
 * Returns the code of a bundled file with plain properties for the exports at its end. rolldown makes each a getter, because a variable may
 * change later. Hundreds of them take 2 ms to read back and run. Those of a variable that is assigned more than once stay.
 */
export function plainExports(code: string): string {
  const end = code.search(/(?:Object\.defineProperty\(exports,[^{}]*\{[^{}]*\{[^{}]*\}\}\)[,;]\s*)+$/);
  if (end < 0) return code;
  const isFinal = (name: string) =>
    [
      ...code
        .slice(0, end)
        .matchAll(new RegExp(String.raw`(?<![\w$.])${name.replaceAll('$', String.raw`\$`)}${ASSIGNED}`, 'g')),
    ].length <= 1;
  const exported = code
    .slice(end)
    .replace(new RegExp(GETTER, 'g'), (getter, name: string, local: string) =>
      isFinal(local) ? `exports.${name}=${local}` : getter,
    );
  return code.slice(0, end) + exported;
}
