import type { Dictionary } from '../template/value.ts';

/** The links of a `Link` header (RFC 8288) by their `rel`, each with its `url`; the first of a kind counts. */
export function linksOf(header: string | undefined): Dictionary {
  const links: Record<string, Dictionary> = {};
  for (const [, url = '', rest = ''] of (header ?? '').matchAll(
    /<([^<>]*)>((?:\s*;\s*[\w*-]+\s*=\s*(?:"[^"]*"|[^\s",;]+))*)/g,
  )) {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/i.exec(rest);
    for (const name of (rel?.[1] ?? rel?.[2] ?? '').split(/\s+/)) {
      if (name !== '' && name !== '__proto__' && !Object.hasOwn(links, name)) links[name] = { url, rel: name };
    }
  }
  return links;
}
