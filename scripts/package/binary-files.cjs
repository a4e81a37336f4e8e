'use strict';

// Stands in for bin/files.js in a single binary, which has the files as assets.

const { getRawAsset } = require('node:sea');

module.exports = {
  root: process.execPath,
  isBinary: true,
  read: (name) => Buffer.from(getRawAsset(name)).latin1Slice(),
};
