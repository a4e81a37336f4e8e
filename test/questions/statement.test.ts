import { constants, DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { closedName, MAX_SQL_LENGTH, positionIn, statementOf } from '../../src/copy/questions/sql/statement.ts';

const refusal = (sql: string) => {
  try {
    statementOf(sql, false);
    return undefined;
  } catch (error) {
    return error instanceof CliError ? error.message : error;
  }
};

test.each([
  'select 1',
  'SELECT 1;',
  ' -- what is there\n select 1 ; ; -- that is all',
  '/* a ; b */ select 1',
  '\ufeffselect 1',
  'values (1), (2)',
  'with a as (select 1) select * from a',
  'with recursive a(n) as (values (1) union all select n + 1 from a limit 3) values (1)',
  `select ';', "?" from (select 1 as "?")`,
  `with a as (select 1) select replace('a', 'b', 'c')`,
  'explain select 1',
  'explain query plan with a as (select 1) select * from a',
  `select data -> '$.a' ->> 'b' from (select '{}' as data)`,
])('%s may run', (sql) => {
  expect(refusal(sql)).toBeUndefined();
});

test.each([
  ['', 'the query is empty'],
  ['-- nothing', 'the query is empty'],
  ['/* select 1', 'the query is empty'],
  [';', 'the query is empty'],
  ['select 1; select 2', 'there is more than one statement, at column 9'],
  ['select 1;\n\n  drop table users', 'there is more than one statement, at line 1, column 9'],
  ['insert into users values (1)', 'a query cannot begin with "insert", at column 1'],
  ['with a as (select 1) delete from users', 'a query cannot begin with "delete", at column 22'],
  [
    'with a as (select 1), b(c) as (select 2)\nreplace into users select 1',
    'a query cannot begin with "replace", at line 2, column 1',
  ],
  ['vacuum into "copy.db"', 'a query cannot begin with "vacuum", at column 1'],
  [`attach 'journal.db' as j`, 'a query cannot begin with "attach", at column 1'],
  ['pragma query_only = off', 'a query cannot begin with "pragma", at column 1'],
  ['explain vacuum', 'a query cannot begin with "vacuum", at column 9'],
  ['explain query plan update users set id = 1', 'a query cannot begin with "update", at column 20'],
  ['"select" 1', 'a query cannot begin with "select", at column 1'],
  ['begin', 'a query cannot begin with "begin", at column 1'],
  ['select ?', 'the query has a variable, at column 8'],
  ['select :name', 'the query has a variable, at column 8'],
  ['select $a::b(c)', 'the query has a variable, at column 8'],
  ['select @a', 'the query has a variable, at column 8'],
  ['select 1\0; drop table users', 'the query has a null character'],
  [`select '${'x'.repeat(MAX_SQL_LENGTH)}'`, `the query is longer than ${MAX_SQL_LENGTH} characters`],
])('%# is rejected: %s', (sql, message) => {
  expect(refusal(sql)).toBe(message);
});

test('a long comment and a long text are read in one go', () => {
  const long = 'x '.repeat(100_000);
  expect(refusal(`/* ${long} * */ select '${long}''', "${long}" -- ${long}`)).toBeUndefined();
});

test('a position counts characters and lines as people do', () => {
  expect(positionIn('select 😀x', 9)).toBe('column 9');
  expect(positionIn('select 1,\n  x', 12)).toBe('line 2, column 3');
});

describe('a name that a query must not use', () => {
  const readable = ['users', 'stored_users', 'setting', 'dbstat'];
  const open = new Set(['users']);
  const closed = (sql: string) => closedName(statementOf(sql, false), readable, open)?.text;

  test.each([
    'select * from stored_users',
    'select * from STORED_users',
    'select * from main . stored_users',
    'select * from "stored_users"',
    'select * from`stored_users`',
    'select * from[stored_users]',
    `select * from 'stored_users'`,
    'select*from/**/stored_users',
    'with users as (select * from stored_users) select * from users',
    'select 1 where exists (select 1 from setting)',
    'select * from users, dbstat',
    'select * from sqlite_schema',
    'select * from "sqlite_temp_master"',
    `select * from pragma_table_info('users')`,
    `select load_extension('x')`,
    'select 1..setting',
    'select 1 from users -- \n, setting',
    'select /*/ */ 1 from setting',
    'select * from \ufeffsetting',
  ])('is found in %s', (sql) => {
    expect(closed(sql)).toBeDefined();
  });

  test.each([
    'select * from users',
    `select '%setting%', 'the setting'`,
    'select 1 -- from setting',
    'select 1 /* setting */',
    'select settings from users',
    'select "a""setting" from users',
    `select 'it''s setting' from users`,
  ])('is not found in %s', (sql) => {
    expect(closed(sql)).toBeUndefined();
  });

  test('is found in whatever SQLite reads the table by', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(
      'CREATE TABLE setting (value); CREATE TABLE stored_users (id); CREATE VIEW users AS SELECT id FROM stored_users',
    );
    const piece = fc.constantFrom(
      'select',
      '*',
      '1',
      'from',
      'join',
      ',',
      '(',
      ')',
      'as',
      'x',
      '.',
      'main',
      'with',
      'union all',
      ';',
      'where',
      'in',
      'setting',
      'SETTING',
      '"setting"',
      "'setting'",
      '`setting`',
      '[setting]',
      'users',
      'value',
      '""',
      "''",
      "'",
      '"',
      ' ',
      '\n',
      '\t',
      '\f',
      '\u000b',
      '\ufeff',
      '--',
      '-',
      '/*',
      '*/',
      '/',
      '*',
      '\\',
      'é',
      '1e',
      '.5',
      "x'",
      '||',
    );
    const start = fc.constantFrom(
      'select * from ',
      'select 1 from users, ',
      'select (select 1 from ',
      'with s as (select * from ',
    );
    const end = fc.constantFrom('', ')', ') select * from s', ' setting', ' x', '*/setting', "'setting'");
    let read = 0;
    fc.assert(
      fc.property(start, fc.array(piece, { maxLength: 8 }), end, (head, pieces, tail) => {
        const sql = head + pieces.join('') + tail;
        let readsSetting = false;
        database.setAuthorizer((action, table) => {
          readsSetting ||= action === constants.SQLITE_READ && table === 'setting';
          return constants.SQLITE_OK;
        });
        try {
          database.prepare(sql);
        } catch {
          return true;
        }
        if (!readsSetting) return true;
        read += 1;
        return refusal(sql) !== undefined || closed(sql) !== undefined;
      }),
      { numRuns: 20_000 },
    );
    expect(read).toBeGreaterThan(100);
  });
});
