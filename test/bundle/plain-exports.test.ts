import { describe, expect, test } from 'vitest';
import { plainExports } from '../../scripts/plain-exports.ts';

const getter = (name: string, value: string) =>
  `Object.defineProperty(exports,"${name}",{enumerable:!0,get:function(){return ${value}}})`;

describe('the exports of a bundled file', () => {
  test.each([
    ['a constant', 'const a=1;', 'a'],
    ['a function', 'function a(){}', 'a'],
    ['a class', 'class a{}', 'a'],
    ['a name with a dollar sign', 'const a$1=1;', 'a$1'],
    ['a variable that is compared', 'let a=1;a==2,a===3,b.a=4,$a=5,a=>6;', 'a'],
  ])('are plain properties: %s', (_what, code, local) => {
    expect(plainExports(`${code}${getter('x', local)},${getter('y', local)};\n`)).toBe(
      `${code}exports.x=${local},exports.y=${local};\n`,
    );
  });

  test.each([
    ['that is assigned again', 'let a=1;function f(){a=2}', 'a'],
    ['that is counted', 'let a=1;function f(){a++}', 'a'],
    ['that is counted first', 'let a=1;function f(){++a}', 'a'],
    ['that is added to', 'let a=1;function f(){a+=1}', 'a'],
    ['that has a default later', 'let a=1;function f(){a??=2}', 'a'],
    ['that is assigned only later', 'let a;function f(){a=2}', 'a'],
  ])('stay getters of a variable %s', (_what, code, local) => {
    expect(plainExports(code + getter('x', local))).toBe(code + getter('x', local));
  });

  test('stay getters of what is called or looked up', () => {
    const code = `${getter('x', 'require_x()')},${getter('y', 'a.b')},${getter('z', 'c')};`;
    expect(plainExports(`const c=1;${code}`)).toBe(
      `const c=1;${getter('x', 'require_x()')},${getter('y', 'a.b')},exports.z=c;`,
    );
  });

  test('in the middle of a file are left alone', () => {
    const code = `const a=1;${getter('x', 'a')};f();`;
    expect(plainExports(code)).toBe(code);
  });
});
