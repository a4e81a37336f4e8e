// Preloaded into a program: prints the files that it loaded, one a line, on standard error.
process.on('exit', () => process.stderr.write(Object.keys(require.cache).join('\n')));
