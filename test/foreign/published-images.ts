import type { PythonImage } from '../engines/python-image.ts';

/** A published connector of made-up people and purchases, as the pattern `faker` names it. */
export const FAKER_IMAGE: PythonImage = {
  name: 'foreign/source-faker:7.2.1',
  requirement: 'airbyte-source-faker==7.2.1',
  program: 'source-faker',
};

/** How many rows are read of each. */
export const ROWS = 500;

/** A published connector of files, with one in the image. */
export const CITIES_IMAGE: PythonImage = {
  name: 'foreign/source-file:0.5.39',
  requirement: 'airbyte-source-file==0.5.39',
  program: 'source-file',
  files: {
    'local/cities.csv': `id,name\n${Array.from({ length: ROWS }, (_, id) => `${id},City ${id}`).join('\n')}\n`,
  },
};
