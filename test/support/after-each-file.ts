import { afterAll } from 'vitest';
import { endPrograms } from './built.ts';

// vitest runs this for each file, also where files share a worker.
afterAll(endPrograms);
