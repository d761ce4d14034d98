import { Type } from '@sinclair/typebox';
import { anyone, Closed, endpoint, kernelProblems } from '@weir/kernel/contract';

const HTML = 'text/html';

export const getOpenapi = endpoint({
  id: 'platform.get_openapi',
  method: 'GET',
  path: '/openapi.json',
  mount: 'root',
  summary: 'The OpenAPI 3.1 document of this API',
  access: anyone,
});

export const getDocs = endpoint({
  id: 'platform.get_docs',
  method: 'GET',
  path: '/docs',
  mount: 'root',
  summary: 'The explorer: every endpoint, to be read and tried',
  access: anyone,
  produces: [HTML],
});

export const getDocsAsset = endpoint({
  id: 'platform.get_docs_asset',
  method: 'GET',
  path: '/docs/assets/:file',
  mount: 'root',
  summary: 'A file that the pages of documents load',
  access: anyone,
  params: Closed({ file: Type.String({ maxLength: 64, description: 'Name of the file' }) }),
  produces: ['text/css', 'text/javascript', 'font/woff2', 'image/svg+xml'],
  errors: [kernelProblems.notFound],
});

export const listErrorDocs = endpoint({
  id: 'platform.list_error_docs',
  method: 'GET',
  path: '/docs/errors',
  mount: 'root',
  summary: 'Every error code with its meaning',
  access: anyone,
  produces: [HTML],
});

export const getErrorDoc = endpoint({
  id: 'platform.get_error_doc',
  method: 'GET',
  path: '/docs/errors/:code',
  mount: 'root',
  summary: 'What an error code means and what to do about it',
  access: anyone,
  params: Closed({ code: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$', description: 'The error code' }) }),
  produces: [HTML],
  errors: [kernelProblems.notFound],
});
