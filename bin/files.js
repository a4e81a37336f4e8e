'use strict';

// The program's own files. A single binary has this module in another form (scripts/package/binary-files.js).

const root = require('node:path').dirname(__dirname);

module.exports = {
  /** The folder that has them. */
  root,
  isBinary: false,
  /** Returns the bytes of a file, such as `dist/entry.cjs`, as characters. Throws if there is none. */
  read: (name) => require('node:fs').readFileSync(`${root}/${name}`, 'latin1'),
};
