import { getPage, getPageAsset, listUiPages } from '@weir/plugin-ui/contract';
import type { Examples } from '../../../test/examples.ts';

export const examples: Examples = {
  shared: { asset: 'none.js', page: 'nowhere' },
  calls: [
    { of: listUiPages },
    { of: getPage, unreached: { why: 'it answers browsers, which ask for text/html, and 404 to programs' } },
    { of: getPageAsset, unreached: { why: 'names of its files change with every build' } },
  ],
  own: [
    { of: listUiPages, why: 'the pages that plugins bring' },
    { of: getPage, why: 'the web pages' },
    { of: getPageAsset, why: 'what the web pages load' },
  ],
};
