import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type PlatformService, type Raw, raw } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { DOCS_POLICY, docsAsset, errorPage, errorsPage, explorerPage } from './docs-page.ts';
import { openapiText } from './openapi.ts';

const HTML = 'text/html; charset=utf-8';

/** The usual quality takes seconds of this thread for a tenth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** A text as it is, and in the codings that callers take. */
function packed(text: string): Readonly<Record<string, Buffer>> {
  return { '': Buffer.from(text), br: brotliCompressSync(text, BROTLI), gzip: gzipSync(text) };
}

/** The API as documents: for programs, and for people. */
export function docsService(
  platform: Pick<PlatformService, 'version' | 'signIn' | 'endpoints' | 'problems' | 'manifests'>,
) {
  // No endpoint is added after the first request, and whoever asks again costs no more than its bytes.
  let document: Readonly<Record<string, Buffer>> | undefined;
  const show = (type: string, body: Raw['body']): Raw =>
    raw({ type, body, headers: { 'content-security-policy': DOCS_POLICY } });
  return {
    /** In the first of these codings, the smallest first. */
    async openapi(codings: readonly string[]) {
      document ??= packed(openapiText(platform));
      const [coding] = codings;
      const headers = {
        'content-security-policy': DOCS_POLICY,
        vary: 'accept-encoding',
        ...(coding && { 'content-encoding': coding }),
      };
      return raw({ type: 'application/json', body: document[coding ?? ''] ?? '', headers });
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
