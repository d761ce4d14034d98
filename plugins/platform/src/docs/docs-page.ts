import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NextStepEntry, ProblemEntry } from '@weir/kernel/contract';

/** Only our own files run and are called; what the explorer draws itself are images held in its style sheet. */
export const DOCS_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'",
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
].join('; ');

/** The files of the explorer that are served, with their media types; no other file is. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/**
 * Tokens typed into the explorer are forgotten with the page. Signatures are left out: each is of one body at one time, so
 * that none can be typed in.
 */
const EXPLORER = `fetch('/openapi.json').then((answer) => answer.json()).then((spec) => {
  delete spec.components.securitySchemes.signature;
  for (const methods of Object.values(spec.paths))
    for (const operation of Object.values(methods))
      operation.security = operation.security.filter((scheme) => scheme.signature === undefined);
  SwaggerUIBundle({ spec, dom_id: '#explorer', deepLinking: true, docExpansion: 'none', filter: true, persistAuthorization: false, validatorUrl: null });
});`;

/** A file of the explorer; undefined for a name that is not one. */
export async function docsAsset(name: string): Promise<{ type: string; body: string } | undefined> {
  if (name === 'explorer.js') return { type: 'text/javascript; charset=utf-8', body: EXPLORER };
  const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
  if (type === undefined) return undefined;
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return { type, body: await readFile(join(folder, name), 'utf8') };
}

/** Every endpoint, to be read and tried, made from /openapi.json. */
export function explorerPage(): string {
  return page(
    'Weir API',
    `<p><a href="/openapi.json">OpenAPI 3.1 document</a> · <a href="/docs/errors">Error codes</a></p>
<p>To try a call, choose Authorize and paste what <code>weir token</code> prints.</p><div id="explorer"></div>
<noscript>The explorer needs JavaScript; the document above does not.</noscript>
<script src="/docs/assets/swagger-ui-bundle.js"></script><script src="/docs/assets/explorer.js"></script>`,
    '<link rel="stylesheet" href="/docs/assets/swagger-ui.css">',
  );
}

/** Every error code with its status and meaning. */
export function errorsPage(entries: Iterable<ProblemEntry>): string {
  const rows = [...entries]
    .toSorted((a, b) => a.code.localeCompare(b.code))
    .map(
      ({ code, status, detail }) =>
        `<tr><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${status}</td><td>${escapeHtml(withoutPlaces(detail))}</td></tr>`,
    );
  return page(
    'Error codes',
    `<table><thead><tr><th>Code</th><th>Status</th><th>What it means</th></tr></thead><tbody>
${rows.join('\n')}</tbody></table><p><a href="/docs">All endpoints</a></p>`,
  );
}

/** What one error code means, what to do about it, and how it looks on the wire. */
export function errorPage(entry: ProblemEntry, operations: readonly string[]): string {
  const { code, status, title, hint, next = [] } = entry;
  // The page is about every such error, so that it has no value for a place.
  const detail = withoutPlaces(entry.detail);
  const example = { type: `/docs/errors/${code}`, title, status, detail, code, trace_id: '0'.repeat(32), hint };
  const answered =
    operations.length === 0 ? '' : `<h2>Answered by</h2><p><code>${operations.join('</code>, <code>')}</code></p>`;
  return page(
    code,
    `<p>Status <strong>${status}</strong>: ${escapeHtml(title)}</p><p>${escapeHtml(detail)}</p>
<h2>What to do</h2><p>${escapeHtml(hint)}</p>${stepList(next)}<h2>On the wire</h2><pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>
${answered}<p><a href="/docs/errors">All error codes</a> · <a href="/docs">All endpoints</a></p>`,
  );
}

/** Pages are about every such error, so that they have no value for a place. */
const withoutPlaces = (detail: string): string =>
  detail.replace(/\{\w+(?::([\w ]+))?\}/g, (_, noun?: string) => (noun === undefined ? '…' : `… ${noun}s`));

/** The operations that help. */
function stepList(next: readonly NextStepEntry[]): string {
  const items = next.map(({ operation, text }) => `<li>${escapeHtml(text)}: <code>${operation}</code></li>`);
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.35rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}
code,main>pre{font:14px ui-monospace,monospace}main>pre{background:#f4f5f7;padding:1rem;overflow:auto}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}`;

function page(title: string, body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:,">${head}<style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`;
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
}
