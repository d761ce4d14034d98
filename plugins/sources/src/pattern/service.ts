import { decodePageToken, encodePageToken } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import type { discoverPatterns, PatternView } from '../contract.ts';
import type { Pattern } from './pattern-file.ts';

const DEFAULT_LIMIT = 50;

/** What can be asked about connector patterns. They are the same for every tenant. */
export function patternService(patterns: ReadonlyMap<string, Pattern>) {
  const ids = [...patterns.keys()].sort();
  return {
    list({ limit = DEFAULT_LIMIT, page_token: token, order = 'pattern_id' }: Input<typeof discoverPatterns>['query']) {
      const descending = order === '-pattern_id';
      const ordered = descending ? ids.toReversed() : ids;
      const after = token === undefined ? undefined : decodePageToken(['patterns', order], token).id;
      const rest = after === undefined ? ordered : ordered.filter((id) => (descending ? id < after : id > after));
      const items = rest.slice(0, limit).flatMap((id) => patterns.get(id) ?? []);
      const last = items.at(-1);
      return {
        items: items.map(summaryOf),
        next_page_token:
          last === undefined || rest.length <= limit
            ? null
            : encodePageToken(['patterns', order], { value: null, id: last.id }),
        total: ids.length,
      };
    },
    get(patternId: string): PatternView {
      const pattern = patterns.get(patternId);
      if (pattern === undefined) throw kernelProblems.notFound();
      const fields = (pattern.fields ?? []).map((field) => ({ ...field, credential: field.credential === true }));
      return { ...summaryOf(pattern), spec: pattern.spec, fields, credential_fields: [...pattern.credentialFields] };
    },
  };
}

function summaryOf(pattern: Pattern) {
  return {
    pattern_id: pattern.id,
    version: pattern.version,
    name: pattern.display.name,
    description: pattern.display.description ?? null,
    image: pattern.image,
    source_name: pattern.source_name,
    docs: pattern.docs ?? null,
    needs_credentials: pattern.credentialFields.length > 0,
  };
}
