import type { Kernel, Tenant } from '@weir/kernel';
import { fullPath, type Principal } from '@weir/kernel/contract';
import { workflowEngineProblems } from '@weir/plugin-workflow-engine/contract';
import {
  type Action,
  type ApplyKind,
  ApplyKinds,
  type ChangeView,
  type ItemFault,
  type Json,
  type PlannedCall,
  type PlannedView,
  type Reader,
  type Ref,
  refTo,
  type Stored,
  type Wanted,
} from '../contract.ts';
import { differences } from '../model/diff.ts';
import { faultsOf } from '../model/faults.ts';
import type { Printed } from '../model/fingerprint.ts';
import { given } from '../model/given.ts';
import { documentReader, type ReadDocument } from '../model/read-document.ts';
import { type Item, listed } from './stored.ts';

/** Documents to be planned, and for whom. */
export interface PlanRequest {
  readonly tenant: Tenant;
  readonly principal: Principal;
  readonly reader: Reader;
  readonly docs: readonly unknown[];
  readonly allowDeprecate: boolean;
  readonly liveOntology: boolean;
  readonly signal: AbortSignal;
}

/** A planned document with what carrying it out needs. */
export interface PlannedDocument {
  readonly view: PlannedView;
  readonly printed: Printed;
  readonly calls: readonly PlannedCall[];
  /** `Kind/name`, and the id of what is there. */
  readonly key: string;
  readonly id: string | undefined;
  readonly makes: readonly string[];
  readonly needs: readonly string[];
}

/** The kinds of the plugins that the tenant has, in the order of exports. */
export async function kindsOf(kernel: Pick<Kernel, 'contributionsFor'>, tenant: Tenant): Promise<ApplyKind[]> {
  const kinds = await kernel.contributionsFor(tenant, ApplyKinds);
  return kinds.toSorted((a, b) => a.order - b.order);
}

/** Plans documents; reads only. Throws `feature_not_configured` for `live_ontology` where the tenant has no ontology. */
export function planService(kernel: Pick<Kernel, 'contributionsFor'>) {
  const readers = new Map<string, ReturnType<typeof documentReader>>();
  const readerOf = (kinds: readonly ApplyKind[]) => {
    const key = kinds.map(({ kind }) => kind).join();
    const read = readers.get(key) ?? documentReader(kinds);
    readers.set(key, read);
    return read;
  };
  return async (asked: PlanRequest): Promise<PlannedDocument[]> => {
    const kinds = await kindsOf(kernel, asked.tenant);
    if (asked.liveOntology && !kinds.some(({ checksLive }) => checksLive))
      throw workflowEngineProblems.featureNotConfigured({ members: { feature: 'live_ontology' } });
    const read = readerOf(kinds);
    const documents: ReadDocument[] = [];
    for (const sent of asked.docs) documents.push(read(sent, asked.tenant.scope));
    const there = await thereOf(documents, asked.reader);
    const planned: PlannedDocument[] = [];
    const seen: Seen = { documents: new Map(), valid: new Map() };
    for (const [index, document] of documents.entries()) {
      const one = await planOne({ asked, index, document, there, seen });
      planned.push(one);
      noteSeen(seen, one, document);
    }
    return planned;
  };
}

/** Documents so far, and the specs of valid ones by their kind. */
interface Seen {
  readonly documents: Map<string, { action: Action; calls: readonly PlannedCall[] }>;
  readonly valid: Map<string, { name: string; spec: Json }[]>;
}

function noteSeen(
  { documents, valid }: Seen,
  { key, view, calls }: PlannedDocument,
  { kind, name, spec }: ReadDocument,
): void {
  if (kind === undefined || name === undefined) return;
  documents.set(key, documents.get(key) ?? { action: view.action, calls });
  if (isFaulty(view.action) || spec === undefined) return;
  const known = valid.get(kind.kind);
  if (known === undefined) valid.set(kind.kind, [{ name, spec }]);
  else known.push({ name, spec });
}

const isFaulty = (action: Action) => action === 'error' || action === 'would-409';

type There = ReadonlyMap<string, { items: ReadonlyMap<string, Item>; faults: readonly ItemFault[] }>;

/** What is there of each kind, in one look for all of its documents. */
async function thereOf(documents: readonly ReadDocument[], reader: Reader): Promise<There> {
  const found = new Map<string, { items: Map<string, Item>; faults: ItemFault[] }>();
  const kinds = new Map(documents.flatMap(({ kind }) => (kind === undefined ? [] : [[kind.kind, kind] as const])));
  for (const kind of kinds.values()) {
    const names = documents.flatMap((one) => (one.kind === kind && one.name !== undefined ? [one.name] : []));
    try {
      const items = await listed(kind, reader, [...new Set(names)]);
      found.set(kind.kind, { items: new Map(items.map((item) => [item.name, item])), faults: [] });
    } catch (error) {
      found.set(kind.kind, { items: new Map(), faults: faultsOf(error) });
    }
  }
  return found;
}

interface One {
  asked: PlanRequest;
  index: number;
  document: ReadDocument;
  there: There;
  seen: Seen;
}

async function planOne(one: One): Promise<PlannedDocument> {
  const { document, there, seen } = one;
  const { kind, name, spec } = document;
  const key = `${kind?.kind}/${name}`;
  const faults = [...document.faults, ...(there.get(kind?.kind ?? '')?.faults ?? [])];
  if (kind !== undefined && name !== undefined && seen.documents.has(key))
    faults.push({
      code: 'document_doubled',
      pointer: '/metadata/name',
      detail: 'An earlier document has this kind and name.',
    });
  if (faults.length > 0 || kind === undefined || name === undefined || spec === undefined)
    return outcome(one, { key, faults });
  try {
    const item = there.get(kind.kind)?.items.get(name);
    const { reader, tenant } = one.asked;
    const stored = item === undefined ? undefined : await kind.stored(item, { reader, tenant });
    if (stored?.blocked !== undefined) return outcome(one, { key, faults: [stored.blocked] });
    return outcome(one, { key, stored, ...(await wantedOf(one, kind, stored)) });
  } catch (error) {
    return outcome(one, { key, faults: faultsOf(error) });
  }
}

async function wantedOf({ asked, document, seen }: One, kind: ApplyKind, stored: Stored | undefined) {
  const { name = '', spec = {} } = document;
  const { tenant, principal, reader, allowDeprecate, liveOntology, signal } = asked;
  const earlier = seen.valid.get(kind.kind) ?? [];
  const self: string | Ref = stored?.id ?? refTo(kind.kind, name);
  const planned = (of: string, as: string) => seen.documents.get(`${of}/${as}`);
  const caller = { tenant, principal, reader, allowDeprecate, liveOntology, signal };
  const wanted = await kind.plan({ ...caller, name, spec, stored, self, earlier, planned });
  const sets = (wanted.set ?? []).map((pointer): ChangeView => ({ pointer, change: 'set' }));
  const compared = differences(wanted.before ?? {}, wanted.after);
  return { wanted, faults: wanted.faults ?? [], changes: [...compared, ...sets] };
}

interface Found {
  key: string;
  faults: readonly ItemFault[];
  stored?: Stored | undefined;
  wanted?: Wanted;
  changes?: readonly ChangeView[];
}

function outcome({ index, document }: One, found: Found): PlannedDocument {
  const { key, faults, stored, wanted, changes = [] } = found;
  const hasError = faults.some(({ conflict }) => conflict !== true);
  const isAsWanted = stored !== undefined && changes.length === 0;
  const action: Action =
    faults.length > 0
      ? hasError
        ? 'error'
        : 'would-409'
      : isAsWanted
        ? 'noop'
        : stored === undefined
          ? 'create'
          : 'patch';
  const calls = action === 'create' || action === 'patch' ? (wanted?.calls(changes) ?? []) : [];
  const shown = isFaulty(action) ? [] : changes;
  const named = { kind: document.kind?.kind ?? null, name: document.name ?? null };
  const errors = faults.map(({ code, pointer, detail }) => ({ code, pointer, detail }));
  const callsShown = calls.map(callView);
  const facts = { streams: wanted?.streams, errors: errors.length === 0 ? undefined : errors };
  const view = { index, ...named, action, changes: [...shown], ...given(facts), calls: callsShown };
  const onlySets = shown.every(({ change }) => change === 'set');
  return {
    key,
    id: stored?.id,
    calls,
    view,
    makes: wanted?.makes ?? [],
    needs: wanted?.needs ?? [],
    printed: {
      action,
      ...named,
      onlySets,
      stored: [stored?.etag ?? null, wanted?.before ?? null],
      wanted: [wanted?.after ?? null, wanted?.set ?? [], callsShown, errors.map(({ code }) => code)],
    },
  };
}

/** A call as people read it; an id that is not known yet is its place. */
export function callView({ endpoint, params = {} }: PlannedCall): { method: string; path: string } {
  const path = fullPath(endpoint).replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    return typeof value === 'string' ? encodeURIComponent(value) : `{${name}}`;
  });
  return { method: endpoint.method, path };
}
