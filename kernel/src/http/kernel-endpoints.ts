import { Type } from '@sinclair/typebox';
import { anyone } from '../contract/access.ts';
import { endpoint } from '../contract/endpoint.ts';
import { kernelProblems } from '../contract/problems.ts';
import { OneOf } from '../contract/shapes.ts';

/** The release that answers: its SHA and image digest, and nothing else. */
export const getHealth = endpoint({
  id: 'kernel.get_health',
  method: 'GET',
  path: '/health',
  mount: 'root',
  summary: 'The release that is running',
  access: anyone,
  response: Type.Object({ release_sha: Type.String(), image_digest: Type.String() }),
});

/** Whether requests can be served: each part by name, up or down. 503 while one is down. */
export const getReady = endpoint({
  id: 'kernel.get_ready',
  method: 'GET',
  path: '/ready',
  mount: 'root',
  summary: 'Whether every part that requests need answers',
  access: anyone,
  response: Type.Object({ ready: Type.Boolean(), parts: Type.Record(Type.String(), OneOf(['up', 'down'])) }),
  errors: [kernelProblems.dependencyUnavailable, kernelProblems.shuttingDown],
});

export const getOpenapi = endpoint({
  id: 'kernel.get_openapi',
  method: 'GET',
  path: '/openapi.json',
  mount: 'root',
  summary: 'The OpenAPI 3.1 document of this API',
  access: anyone,
});

export const getDocs = endpoint({
  id: 'kernel.get_docs',
  method: 'GET',
  path: '/docs',
  mount: 'root',
  summary: 'The endpoints, readable',
  access: anyone,
});

export const getErrorDoc = endpoint({
  id: 'kernel.get_error_doc',
  method: 'GET',
  path: '/docs/errors/:code',
  mount: 'root',
  summary: 'What an error code means and what to do about it',
  access: anyone,
  params: Type.Object({ code: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }) }),
  errors: [kernelProblems.notFound],
});
