import { afterAll } from 'vitest';
import { endPrograms } from './built.ts';
import { strayInRoot } from './root.ts';

// vitest runs these for each file, also where files share a worker.
afterAll(endPrograms);

afterAll(() => {
  const stray = strayInRoot();
  if (stray.length > 0) throw new Error(`a test wrote to the folder of the repository: ${stray.join(', ')}`);
});
