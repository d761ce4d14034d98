/** Seconds after which a browser asks again for what is not there yet. */
const RELOAD_SECONDS = 5;

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}
h1{font-size:1.5rem}code{font:14px ui-monospace,monospace;overflow-wrap:anywhere}`;

const escaped = (text: unknown): string =>
  String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

export const PROBLEM_TYPE = 'application/problem+json';

/** A problem document for programs, or as a page for people, which loads nothing and runs nothing. */
export function problemText(
  document: Record<string, unknown>,
  asPage: boolean,
): { headers: Record<string, string>; body: string } {
  if (!asPage) return { headers: { 'content-type': PROBLEM_TYPE }, body: JSON.stringify(document) };
  return { headers: PAGE_HEADERS, body: page(document) };
}

function page({ title, status, detail, hint, code, trace_id }: Record<string, unknown>): string {
  const reload = status === 503 ? `<meta http-equiv="refresh" content="${RELOAD_SECONDS}">` : '';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${reload}
<title>${escaped(title)}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body><main><h1>${escaped(title)}</h1>
<p>${escaped(detail)}</p><p>${escaped(hint)}</p><p><code>${escaped(code)}</code> · trace <code>${escaped(trace_id)}</code></p>
<p><a href="/">Home</a> · <a href="/docs/errors">Error codes</a></p></main></body></html>`;
}
