import { Type } from '@sinclair/typebox';
import { anyone, probe } from '../contract/access.ts';
import { endpoint } from '../contract/endpoint.ts';
import { kernelProblems } from '../contract/problems.ts';
import { Closed, OneOf } from '../contract/shapes.ts';

const HTML = 'text/html';

/** The release that answers: its SHA and image digest, and nothing else. */
export const getHealth = endpoint({
  id: 'kernel.get_health',
  method: 'GET',
  path: '/health',
  mount: 'root',
  summary: 'The release that is running',
  access: probe,
  response: Type.Object({ release_sha: Type.String(), image_digest: Type.String() }),
});

/** Whether requests can be served: each part by name, up or down. 503 while one is down. */
export const getReady = endpoint({
  id: 'kernel.get_ready',
  method: 'GET',
  path: '/ready',
  mount: 'root',
  summary: 'Whether every part that requests need answers',
  access: probe,
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
  summary: 'The explorer: every endpoint, to be read and tried',
  access: anyone,
  produces: [HTML],
});

export const getDocsAsset = endpoint({
  id: 'kernel.get_docs_asset',
  method: 'GET',
  path: '/docs/assets/:file',
  mount: 'root',
  summary: 'A file of the explorer',
  access: anyone,
  params: Closed({ file: Type.String({ maxLength: 64 }) }),
  produces: ['text/css', 'text/javascript'],
  errors: [kernelProblems.notFound],
});

export const listErrorDocs = endpoint({
  id: 'kernel.list_error_docs',
  method: 'GET',
  path: '/docs/errors',
  mount: 'root',
  summary: 'Every error code with its meaning',
  access: anyone,
  produces: [HTML],
});

export const getErrorDoc = endpoint({
  id: 'kernel.get_error_doc',
  method: 'GET',
  path: '/docs/errors/:code',
  mount: 'root',
  summary: 'What an error code means and what to do about it',
  access: anyone,
  params: Closed({ code: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }) }),
  produces: [HTML],
  errors: [kernelProblems.notFound],
});

/** The unversioned routes of the kernel. */
export const KERNEL_ENDPOINTS = [getHealth, getReady, getOpenapi, getDocs, getDocsAsset, listErrorDocs, getErrorDoc];
