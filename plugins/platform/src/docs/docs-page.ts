import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NextStepEntry, ProblemEntry } from '@weir/kernel/contract';
import { PAGE_START, pageFile, pageHead, pageHeader } from '@weir/page-style';

/** Only our own files run and are called; what the explorer draws itself are images held in its style sheet. */
export const DOCS_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'",
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
].join('; ');

/** Where the files of these pages are. */
const FOLDER = '/docs/assets';

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

/** The scheme that was chosen in the application, which has the same origin; else that of the system. */
const SCHEME = `const chosen = localStorage.getItem('mantine-color-scheme-value');
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
document.documentElement.classList.toggle('dark-mode', isDark);`;

/**
 * The explorer in the fonts and colours of the application. Its own style, which has a dark scheme too, lies in a layer,
 * so that each rule here wins. One server and the title of the page are not shown again.
 */
const EXPLORER_STYLE = `.swagger-ui .wrapper { max-width: none; padding: 0; }
.swagger-ui .information-container, .swagger-ui .servers, .swagger-ui .servers-title { display: none; }
.swagger-ui .scheme-container { margin: 0; padding: 0; background: none; border: 0; box-shadow: none; }
.swagger-ui :not(code, code *, pre, pre *, svg *) { font-family: var(--weir-font); }
.swagger-ui :is(code, pre, .opblock-summary-path, .opblock-summary-operation-id, .parameter__type, .model, .microlight), .swagger-ui .opblock-summary-path * { font-family: var(--weir-font-mono); }
.swagger-ui { color: inherit; background: none; }
html.dark-mode { background: none; }
.swagger-ui .opblock-tag { padding: 0.7rem 0.5rem; color: inherit; font-size: 1.125rem; font-weight: 620; border-color: var(--weir-line); }
.swagger-ui .opblock-tag small, .swagger-ui .opblock .opblock-summary-description { color: var(--mantine-color-dimmed); }
.swagger-ui .opblock { background: var(--weir-surface); border-color: var(--weir-line); border-radius: 0.5rem; box-shadow: none; }
.swagger-ui .opblock .opblock-summary { border-color: var(--weir-line); }
.swagger-ui .opblock .opblock-summary-path { color: inherit; font-weight: 560; }
.swagger-ui .opblock .opblock-summary-method { min-width: 5.5rem; color: var(--weir-busy); background: var(--weir-busy-soft); text-shadow: none; }
.swagger-ui .opblock-post .opblock-summary-method { color: var(--weir-good); background: var(--weir-good-soft); }
.swagger-ui .opblock-delete .opblock-summary-method { color: var(--weir-bad); background: var(--weir-bad-soft); }
.swagger-ui :is(.opblock-put, .opblock-patch) .opblock-summary-method { color: var(--weir-warn); background: var(--weir-warn-soft); }
.swagger-ui .opblock .opblock-section-header { background: var(--weir-quiet-soft); box-shadow: none; }
.swagger-ui :is(.btn.authorize, .btn.execute) { color: #fff; background: var(--weir-action); border-color: var(--weir-action); }
.swagger-ui .btn.cancel { color: var(--weir-bad); border-color: var(--weir-bad); }
.swagger-ui :is(.download-contents, .copy-to-clipboard) { color: #fff; background: var(--weir-action); }
.swagger-ui .btn.authorize svg { fill: #fff; }
.swagger-ui .filter .operation-filter-input { margin: 1rem 0; padding: 0.6rem 0.8rem; color: inherit; background: var(--weir-surface); border: 1px solid var(--weir-line); border-radius: 0.5rem; }
.swagger-ui section.models { border-color: var(--weir-line); }
.swagger-ui a, .swagger-ui .link { color: var(--mantine-color-anchor); }
`;

const SCRIPT = 'text/javascript; charset=utf-8';

/** A file that the pages of documents load; undefined for a name that is not one. */
export async function docsAsset(name: string): Promise<{ type: string; body: string | Buffer } | undefined> {
  switch (name) {
    case 'explorer.js':
      return { type: SCRIPT, body: EXPLORER };
    case 'scheme.js':
      return { type: SCRIPT, body: SCHEME };
    case 'swagger-ui-bundle.js':
      return { type: SCRIPT, body: await explorerFile(name) };
    case 'explorer.css': {
      const body = `@layer explorer {${await explorerFile('swagger-ui.css')}}\n${EXPLORER_STYLE}`;
      return { type: 'text/css; charset=utf-8', body };
    }
    default:
      return pageFile(name);
  }
}

function explorerFile(name: string): Promise<string> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return readFile(join(folder, name), 'utf8');
}

/** Every endpoint, to be read and tried, made from /openapi.json. */
export function explorerPage(): string {
  return page(
    'Weir API',
    `<p><a href="/openapi.json">OpenAPI 3.1 document</a> · <a href="/docs/errors">Error codes</a></p>
<p>To try a call, choose Authorize and paste what <code>weir token</code> prints.</p><h2 class="unseen">Endpoints</h2>`,
    `<link rel="stylesheet" href="${FOLDER}/explorer.css">`,
    `<div id="explorer"></div><noscript>The explorer needs JavaScript; the document above does not.</noscript>
<script src="${FOLDER}/swagger-ui-bundle.js"></script><script src="${FOLDER}/explorer.js"></script>`,
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
    `<div class="wide"><table><thead><tr><th>Code</th><th>Status</th><th>What it means</th></tr></thead><tbody>
${rows.join('\n')}</tbody></table></div><p><a href="/docs">All endpoints</a></p>`,
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
<h2>What to do</h2><p>${escapeHtml(hint)}</p>${stepList(next)}<h2>On the wire</h2><pre tabindex="0" role="region" aria-label="The answer">${escapeHtml(JSON.stringify(example, null, 2))}</pre>
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

/** A page; `explorer` has a `main` of its own, beside which the text is a section. */
function page(title: string, body: string, head = '', explorer = ''): string {
  const text = `<h1>${escapeHtml(title)}</h1>${body}`;
  return `<!doctype html>${PAGE_START}<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>${pageHead(FOLDER)}${head}<script src="${FOLDER}/scheme.js"></script></head><body>${pageHeader(FOLDER)}
${explorer === '' ? `<main class="page">${text}</main>` : `<div class="page"><section aria-label="${title}">${text}</section>${explorer}</div>`}
</body></html>`;
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
}
