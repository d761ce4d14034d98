import { Type } from '@sinclair/typebox';
import { definePlugin, handle, Platform, Refusal, raw } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { builtApp, pagePolicy } from './built-app.ts';
import { getPage, getPageAsset, listUiPages, UiPages, uiProblems } from './contract.ts';
import { pageFaults } from './pages/page-faults.ts';
import { shownPages } from './pages/shown-pages.ts';

const HTML = 'text/html; charset=utf-8';
/** Where built files are; every other address is a page, whatever it looks like. */
const isFile = (page: string) => page.startsWith('assets/');

/** The web application: one page for all its addresses, and its files. */
export default definePlugin({
  id: 'ui',
  settings: Type.Object({
    WEIR_UI_CLIENT_ID: Type.String({
      default: 'weir-ui',
      minLength: 1,
      description: 'Client of the web pages at the identity provider: public, with authorisation code and PKCE',
    }),
  }),
  problems: uiProblems,
  setup(kernel) {
    const platform = kernel.use(Platform);
    const { issuer } = platform.signIn;
    const pages = () => kernel.contributions(UiPages);
    const app = builtApp({ issuer, clientId: kernel.settings.WEIR_UI_CLIENT_ID });
    const headers = { 'content-security-policy': pagePolicy(issuer), 'referrer-policy': 'no-referrer' };
    return {
      start: async () => {
        const faults = pageFaults(pages(), platform.endpoints());
        if (faults.length > 0) throw new Refusal('pages of plugins refused', faults);
      },
      routes: [
        handle(listUiPages, async ({ tenant }) => ({
          items: shownPages(platform.endpoints(), await kernel.contributionsFor(tenant, UiPages)),
        })),
        handle(getPageAsset, async ({ params, codings }) => {
          const asset = await app.asset(params.asset, codings);
          if (asset === undefined) throw kernelProblems.notFound();
          return raw(asset);
        }),
        handle(getPage, async ({ params, mediaType }) => {
          if (params.page !== '' && (isFile(params.page) || mediaType !== 'text/html')) throw kernelProblems.notFound();
          const body = await app.page();
          if (body === undefined) throw uiProblems.pagesNotBuilt();
          return raw({ type: HTML, body, headers });
        }),
      ],
    };
  },
});
