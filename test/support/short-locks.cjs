// Loaded into a program before its own code: it waits a fifth of the time for a lock that another process holds.
const sqlite = require('node:sqlite');
const { syncBuiltinESMExports } = require('node:module');

const { DatabaseSync } = sqlite;
sqlite.DatabaseSync = class extends DatabaseSync {
  constructor(path, options = {}) {
    super(path, { ...options, timeout: (options.timeout ?? 0) / 5 });
  }
};
syncBuiltinESMExports();
