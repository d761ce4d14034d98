import { Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, probe, problem } from '@weir/kernel/contract';

export {
  listUiPages,
  ShownPage,
  UI_BLOCKS,
  type UiBlock,
  type UiOperationView,
  type UiPage,
  UiPageDocument,
  UiPages,
} from './contract/pages.ts';

const MAX_PATH = 512;

/** Codes of the web pages. */
export const uiProblems = {
  pagesNotBuilt: problem({
    code: 'pages_not_built',
    status: 503,
    title: 'The web pages are not built',
    detail: 'The application that is served here has not been built, or is being built.',
    hint: 'npm start builds the pages beside the other parts, and npm run build does it for a deployment. Then load the page again.',
    lasting: true,
  }),
};

/** `GET /assets/{asset}` */
export const getPageAsset = endpoint({
  id: 'ui.get_page_asset',
  method: 'GET',
  path: '/assets/:asset',
  mount: 'root',
  summary: 'A script, style, font or image of the web pages; its name changes with its content',
  access: probe,
  params: Closed({ asset: Type.String({ pattern: '^[\\w.-]{1,200}$', description: 'Name of the file' }) }),
  cache: 'immutable',
  produces: ['text/javascript', 'text/css', 'font/woff2', 'image/svg+xml'],
  errors: [kernelProblems.notFound],
});

/** `GET /` and below, where no other plugin answers: the application itself knows its pages. */
export const getPage = endpoint({
  id: 'ui.get_page',
  method: 'GET',
  path: '/*page',
  mount: 'root',
  summary: 'One of the web pages, by its address',
  access: probe,
  params: Closed({ page: Type.String({ maxLength: MAX_PATH, description: 'Path of the page' }) }),
  produces: ['application/json', 'text/html'],
  errors: [kernelProblems.notFound, uiProblems.pagesNotBuilt],
});
