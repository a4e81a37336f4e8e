/**
 * Draws docs/recordings/ from what the built program shows on a terminal. `npm run recordings` builds it and writes the files;
 * test/docs/recordings.test.ts fails if they are out of date.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { draw } from './recordings/drawing.ts';
import { record } from './recordings/record.ts';
import { SCENES, type Scene } from './recordings/scenes.ts';

const FOLDER = 'docs/recordings';
/** Enough for a machine that does something else as well. */
const QUIET_SECONDS = 0.5;

export const fileOf = ({ name }: Scene): string => `${FOLDER}/${name}.svg`;

if (import.meta.main) {
  await mkdir(FOLDER, { recursive: true });
  for (const scene of SCENES) await writeFile(join(fileOf(scene)), draw(await record(scene, QUIET_SECONDS)));
}
