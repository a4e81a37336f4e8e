/** The page's script and style. scripts/build.ts replaces this module by what it made of page/. */
export const pageFiles = { script: '', style: '' };
