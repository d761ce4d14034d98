import { type Endpoint, fullPath } from '../contract/endpoint.ts';
import type { ProblemEntry } from '../contract/problem.ts';

/** Nothing is loaded and nothing runs: the pages are text with one inline style, allowed by its hash-free directive. */
export const DOCS_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.35rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}
code{font:14px ui-monospace,monospace}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}`;

/** The list of endpoints by plugin, made from the same values as the routes. */
export function endpointsPage(endpoints: readonly Endpoint[]): string {
  const groups = Map.groupBy(endpoints, (endpoint) => endpoint.id.split('.')[0] ?? '');
  const sections = [...groups].map(
    ([
      group,
      list,
    ]) => `<h2>${escapeHtml(group)}</h2><table><thead><tr><th>Route</th><th>What it does</th><th>Access</th></tr></thead><tbody>
${list.map(endpointRow).join('\n')}</tbody></table>`,
  );
  return page(
    'Weir API',
    `<p>The machine-readable form is <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>${sections.join('\n')}`,
  );
}

/** What one error code means and what to do about it. */
export function errorPage(entry: ProblemEntry): string {
  return page(
    entry.code,
    `<p>Status <strong>${entry.status}</strong>: ${escapeHtml(entry.title)}</p><p>${escapeHtml(entry.detail)}</p>
<h2>What to do</h2><p>${escapeHtml(entry.hint)}</p><p><a href="/docs">All endpoints</a></p>`,
  );
}

function endpointRow(endpoint: Endpoint): string {
  const path = fullPath(endpoint).replace(/:(\w+)/g, '{$1}');
  const { access } = endpoint;
  const who = access.kind === 'public' ? 'anyone' : access.kind === 'platform' ? 'platform_admin' : access.role;
  return `<tr><td><code>${endpoint.method} ${escapeHtml(path)}</code></td><td>${escapeHtml(endpoint.summary)}</td><td>${who}</td></tr>`;
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><h1>${escapeHtml(title)}</h1>${body}</body></html>`;
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
}
