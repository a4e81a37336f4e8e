/** Modules that the bundle has others in place of, each for what it costs or does. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Plugin, transform } from 'esbuild';

/**
 * cli-table3 counts columns with a pattern of every emoji, which takes longer to prepare than a table to draw. It gets a
 * copy of our measure: to require our module, esbuild would have to wrap it, and all that it shares a file with.
 */
const ownWidth: Plugin = {
  name: 'own-width',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^string-width$/ }, ({ path }) => ({ path, namespace: 'own-width' }));
    onLoad({ filter: /.*/, namespace: 'own-width' }, async () => {
      const source = await readFile('src/present/width.ts', 'utf8');
      const { code } = await transform(source, { loader: 'ts', format: 'cjs' });
      return { contents: `${code}\nmodule.exports = module.exports.widthOf;` };
    });
  },
};

/** What conf writes with takes every signal for itself as soon as it is loaded: Ctrl-C would then end us before we say how it stands. */
const noExitHook: Plugin = {
  name: 'no-exit-hook',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^when-exit$/ }, ({ path }) => ({ path, namespace: 'no-exit-hook' }));
    onLoad({ filter: /.*/, namespace: 'no-exit-hook' }, () => ({ contents: 'module.exports = () => {};' }));
  },
};

/** commander and our system/ import it, and hardly a command calls it; it takes long to load. */
const lateChildProcess: Plugin = {
  name: 'late-child-process',
  setup: ({ onResolve, ...build }) => {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]node_modules[\\/]commander[\\/]|[\\/]src[\\/]system[\\/]/.test(importer)
        ? build.resolve('./src/bundle/late-child-process.ts', { kind: 'import-statement', resolveDir: '.' })
        : undefined,
    );
  },
};

/** ky builds on fetch's classes; ours are light (src/bundle/light-fetch.ts). */
const lightFetch: Plugin = {
  name: 'light-fetch',
  setup: ({ onLoad }) => {
    const path = resolve('src/bundle/light-fetch.ts');
    const head = `import { LightHeaders, LightPerformance, LightRequest, LightResponse } from ${JSON.stringify(path)};`;
    onLoad({ filter: /[\\/]node_modules[\\/]ky[\\/].*\.js$|[\\/]src[\\/]client[\\/]transport\.ts$/ }, async (file) => {
      const source = await readFile(file.path, 'utf8');
      const light = source
        .replace(/\bglobalThis\.(Headers|Request|Response)\b/g, 'Light$1')
        .replace(/\bglobalThis\.performance\b/g, 'LightPerformance')
        .replace(/\bglobalThis\.(FormData|ReadableStream)\b/g, 'undefined');
      return { contents: `${head}\n${light}`, loader: file.path.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

export const STAND_INS = [ownWidth, noExitHook, lateChildProcess, lightFetch];
