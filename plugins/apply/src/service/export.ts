import { didYouMean } from '@weir/documents';
import { decodePageToken, encodePageToken, type Kernel, type Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { API_VERSION, type ApplyKind, type EnvelopeView, type Reader } from '../contract.ts';
import { ReadRefused } from '../model/faults.ts';
import { PLACE } from '../model/read-document.ts';
import { kindsOf } from './plan.ts';
import { type Item, listed } from './stored.ts';

export interface ExportRequest {
  readonly tenant: Tenant;
  readonly reader: Reader;
  readonly query: {
    kind?: string | undefined;
    name?: string | undefined;
    limit?: number | undefined;
    page_token?: string | undefined;
  };
}

const DEFAULT_PAGE = 50;

function kindUnknown(kinds: readonly ApplyKind[], word: string) {
  const names = kinds.map(({ kind }) => kind);
  const near = didYouMean(word, names);
  const message = `must be one of ${names.join(', ')}${near === undefined ? '' : `; did you mean \`${near}\`?`}`;
  return kernelProblems.validationFailed({ errors: [{ pointer: '/query/kind', code: 'enum', message }] });
}

interface LeftOut {
  kind: string;
  /** Null when the whole kind is left out. */
  name: string | null;
  code: string;
}

/** Exports what is there, kind by kind and by name; what the caller may not read is left out by name. */
export function exportService(kernel: Pick<Kernel, 'contributionsFor'>) {
  return async ({ tenant, reader, query }: ExportRequest) => {
    const { kind: only, name, limit = DEFAULT_PAGE, page_token: token } = query;
    const list = ['apply.export', only ?? null, name ?? null];
    const from = token === undefined ? undefined : decodePageToken(list, token);
    const had = await kindsOf(kernel, tenant);
    const kinds = had.filter(({ kind }) => only === undefined || kind === only);
    if (kinds.length === 0) throw kindUnknown(had, String(only));
    const docs: EnvelopeView[] = [];
    const leftOut: LeftOut[] = [];
    const begun = from === undefined ? 0 : kinds.findIndex(({ kind }) => kind === from.value);
    for (const kind of kinds.slice(Math.max(0, begun))) {
      const after = kind.kind === from?.value ? from.id : '';
      const found = await itemsOf(kind, reader, name);
      if ('code' in found) {
        leftOut.push({ kind: kind.kind, name: null, code: found.code });
        continue;
      }
      for (const item of found.items.filter((one) => one.name > after)) {
        if (docs.length === limit) return { docs, ...pageAfter(list, docs), left_out: leftOut };
        const made = await documentOf(kind, item, { tenant, reader });
        if ('code' in made) leftOut.push({ kind: kind.kind, name: item.name, code: made.code });
        else docs.push(made);
      }
    }
    return { docs, next_page_token: null, left_out: leftOut };
  };
}

async function itemsOf(kind: ApplyKind, reader: Reader, name: string | undefined) {
  try {
    const items = await listed(kind, reader);
    const named = items.filter((item) => name === undefined || item.name === name);
    return { items: named.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  } catch (error) {
    return refusedCode(error);
  }
}

async function documentOf(
  kind: ApplyKind,
  item: Item,
  asked: { tenant: Tenant; reader: Reader },
): Promise<EnvelopeView | { code: string }> {
  const stored = await kind.stored(item, asked).catch(refusedCode);
  if ('code' in stored) return stored;
  const { name, spec } = stored;
  const shown = kind.scoped?.(spec, asked.tenant.scope, PLACE) ?? spec;
  return { apiVersion: API_VERSION, kind: kind.kind, metadata: { name }, spec: shown };
}

/** Why the caller may not read something; anything else is thrown on. */
function refusedCode(error: unknown): { code: string } {
  if (!(error instanceof ReadRefused)) throw error;
  return { code: error.code };
}

function pageAfter(list: readonly unknown[], docs: readonly EnvelopeView[]) {
  const last = docs.at(-1) as EnvelopeView;
  return { next_page_token: encodePageToken(list, { value: last.kind, id: last.metadata.name }) };
}
