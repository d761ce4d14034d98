import type { PythonImage } from '../engines/python-image.ts';

/** A published connector of made-up people and purchases, as the pattern `faker` names it. */
export const FAKER_IMAGE: PythonImage = {
  name: 'foreign/source-faker:7.2.1',
  requirement: 'airbyte-source-faker==7.2.1',
  program: 'source-faker',
};
