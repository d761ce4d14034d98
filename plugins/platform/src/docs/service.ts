import { type PlatformService, type Raw, raw } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { DOCS_POLICY, docsAsset, errorPage, errorsPage, explorerPage } from './docs-page.ts';
import { openapiText } from './openapi.ts';

const HTML = 'text/html; charset=utf-8';

/** The API as documents: for programs, and for people. */
export function docsService(
  platform: Pick<PlatformService, 'version' | 'signIn' | 'endpoints' | 'problems' | 'manifests'>,
) {
  // No endpoint is added after the first request.
  let document: string | undefined;
  const show = (type: string, body: string): Raw =>
    raw({ type, body, headers: { 'content-security-policy': DOCS_POLICY } });
  return {
    async openapi() {
      document ??= openapiText(platform);
      return show('application/json', document);
    },
    explorer: async () => show(HTML, explorerPage()),
    /** Throws `not_found` for a name that is not a file of the explorer. */
    async asset(file: string) {
      const asset = await docsAsset(file);
      if (asset === undefined) throw kernelProblems.notFound();
      return show(asset.type, asset.body);
    },
    errors: async () => show(HTML, errorsPage(platform.problems().values())),
    /** Throws `not_found` for an unknown code. */
    async error(code: string) {
      const entry = platform.problems().get(code);
      if (entry === undefined) throw kernelProblems.notFound();
      const answering = platform.endpoints().filter(({ errors = [] }) => errors.some((error) => error.entry === entry));
      const operations = answering.map(({ id }) => id);
      return show(HTML, errorPage(entry, operations));
    },
  };
}
