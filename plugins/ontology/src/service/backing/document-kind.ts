import { createHash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { canonicalJson } from '@weir/documents';
import type { Kernel } from '@weir/kernel';
import { Closed, type FieldFault, Name } from '@weir/kernel/contract';
import type { ApplyKind, Asked, ItemFault, Json, PlannedCall, Reader } from '@weir/plugin-apply/contract';
import {
  type BackingDatasetView,
  changeBackingDataset,
  createBackingDataset,
  getBackingDataset,
  listBackingDatasets,
  OntologyTenantMember,
} from '../../contract/backing/backing-datasets.ts';
import {
  BackingDocument,
  type BackingDocumentView,
  BackingName,
  backingMembers,
  type GivenBackingBody,
  specOf,
  wholeBacking,
} from '../../contract/backing/document.ts';
import { backingProblems } from '../../contract/backing/problems.ts';
import type { VersionDocumentView } from '../../contract/documents.ts';
import { createEntityType } from '../../contract/entity-types.ts';
import { createEntityTypeVersion } from '../../contract/type-versions.ts';
import { liveFaults } from '../../model/backing/live-faults.ts';
import { wholeDocument } from '../../model/type/document.ts';
import type { OntologyTenants } from '../bindings.ts';
import { LiveFault, type LiveOntology, type LiveView } from '../store/live-ontology.ts';
import { assertFitting, assertOwned, type JudgeDeps } from './judge.ts';

const { name: _, ...members } = backingMembers;
const Spec = Closed({
  name: Type.Optional({ ...BackingName, description: 'For people; the name of the document unless given' }),
  ontology_tenant: OntologyTenantMember,
  ...members,
});
type BackingSpec = Static<typeof Spec>;

export interface BackingDocumentsDeps extends JudgeDeps {
  kernel: Pick<Kernel, 'db'>;
  tenants: OntologyTenants;
  /** The service that keeps the entities; undefined where they are in the database, with the types. */
  live: LiveOntology | undefined;
}

/**
 * Documents of backing datasets. What a mapping must fit is judged as the API does, with types of earlier documents; with
 * `live_ontology` also by what the ontology service has.
 */
export function backingDocuments(deps: BackingDocumentsDeps): ApplyKind {
  const look = oncePerPlan(deps.live);
  return {
    kind: 'BackingDataset',
    order: 36,
    spec: Spec,
    list: listBackingDatasets,
    checksLive: true,
    nameOf: ({ name }) => documentName(String(name)),
    async stored({ name, backing_dataset_id }, { reader }) {
      const id = String(backing_dataset_id);
      const view = await reader.get<BackingDatasetView>(getBackingDataset, { backing_dataset_id: id });
      const document = documentIn(view);
      return { name, id, etag: view.etag, spec: shortened(name, document), view: document };
    },
    scoped: (spec, from, to) => ({ ...spec, dataset_id: scopedId(spec.dataset_id, from, to) }),
    async plan(asked) {
      const { ontology_tenant, name = asked.name, ...given } = asked.spec as BackingSpec;
      const { tenant, principal, stored, liveOntology, signal } = asked;
      const document = wholeBacking({ name, ...given });
      const before = stored?.view as BackingDocumentView | undefined;
      const ontologyTenant = deps.tenants.boundTenant(tenant, principal, ontology_tenant);
      const judged = { spec: specOf(document), backingDatasetId: stored?.id };
      const isOther = before === undefined || canonicalJson(specOf(before)) !== canonicalJson(judged.spec);
      const faults = documentName(name) === asked.name ? [] : [otherName(name)];
      if (isOther || liveOntology) {
        const { type } = await assertFitting(deps, tenant, { ...judged, signal, planned: plannedVersions(asked) });
        if (isOther) await deps.kernel.db(tenant).transaction((tx) => assertOwned(tx, judged, type));
        if (liveOntology) faults.push(...(await look(asked.reader, { ontologyTenant, spec: judged.spec, type })));
      }
      return {
        faults,
        before: before as Json | undefined,
        after: document as Json,
        needs: [document.dataset_id],
        calls: () => [callFor(asked, { ontology_tenant, name, ...given }, { before, document })],
      };
    },
  };
}

/** The document of a name for people: the name itself where documents can have it, else one that only this name has. */
function documentName(name: string): string {
  if (new RegExp(Name.pattern as string).test(name)) return name;
  const folded = name.toLowerCase();
  const words = folded
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 50);
  const mark = createHash('sha256').update(folded).digest('hex').slice(0, 8);
  return `${words === '' ? 'backing' : words}-${mark}`;
}

const otherName = (name: string): ItemFault => ({
  code: backingProblems.backingInvalid.entry.code,
  pointer: '/metadata/name',
  detail: `The document of a backing dataset of this name is called ${documentName(name)}.`,
});

const MEMBERS = Object.keys(BackingDocument.properties);
const documentIn = (view: BackingDatasetView): BackingDocumentView =>
  Object.fromEntries(Object.entries(view).filter(([name]) => MEMBERS.includes(name))) as BackingDocumentView;

/** What export writes: members that have their defaults are left out. */
function shortened(documentNamed: string, document: BackingDocumentView): Json {
  const { name, dataset_id, entity_type_code, entity_type_version, property_mappings, primary_key_mapping } = document;
  const required = { dataset_id, entity_type_code, entity_type_version, property_mappings, primary_key_mapping };
  const defaults: Json = wholeBacking({ name, ...required });
  const relationship_mappings = document.relationship_mappings.map(({ many, ...one }) =>
    many === null ? one : { ...one, many },
  );
  const further = Object.entries({ ...document, relationship_mappings }).filter(
    ([member, value]) => !(member in required) && canonicalJson(value) !== canonicalJson(defaults[member]),
  );
  const labelled = name === documentNamed ? {} : { name };
  return { ...labelled, ...required, ...Object.fromEntries(further) };
}

function scopedId(datasetId: unknown, from: string, to: string): unknown {
  if (typeof datasetId !== 'string') return datasetId;
  const [namespace, scope, ...table] = datasetId.split('.');
  return scope === from ? [namespace, to, ...table].join('.') : datasetId;
}

/** Versions of entity types that earlier documents make, by code. */
function plannedVersions({ planned }: Pick<Asked, 'planned'>) {
  return (code: string): ReadonlyMap<number, VersionDocumentView> => {
    const calls = planned('EntityType', code.toLowerCase())?.calls ?? [];
    return new Map(calls.flatMap((call) => plannedVersion(call, code)));
  };
}

type GivenDocument = Parameters<typeof wholeDocument>[0];

function plannedVersion({ endpoint, params, body }: PlannedCall, code: string): [number, VersionDocumentView][] {
  if (endpoint.id === createEntityType.id) {
    const given = body as GivenDocument & { code: string };
    return given.code === code ? [[1, wholeDocument(given)]] : [];
  }
  if (endpoint.id !== createEntityTypeVersion.id || params?.code !== code) return [];
  const { document, base_version } = body as { document: GivenDocument; base_version: number };
  return [[base_version + 1, wholeDocument(document)]];
}

function callFor(
  { stored, self }: Asked,
  { ontology_tenant, ...given }: GivenBackingBody & { ontology_tenant?: string | undefined },
  { before, document }: { before: BackingDocumentView | undefined; document: BackingDocumentView },
): PlannedCall {
  const declared = ontology_tenant === undefined ? {} : { ontology_tenant };
  if (stored === undefined || before === undefined)
    return { endpoint: createBackingDataset, body: { ...given, ...declared }, id: 'backing_dataset_id' };
  const was: Json = before;
  const changed = Object.entries(document).filter(([name, value]) => canonicalJson(value) !== canonicalJson(was[name]));
  const body = { ...Object.fromEntries(changed), ...declared };
  return { endpoint: changeBackingDataset, params: { backing_dataset_id: self }, body, ifMatch: stored.etag };
}

interface Preflight {
  ontologyTenant: string;
  spec: ReturnType<typeof specOf>;
  type: VersionDocumentView;
}

/** Looks at the service once for each type of a plan; one that did not answer is not asked again for that plan. */
function oncePerPlan(live: LiveOntology | undefined) {
  const plans = new WeakMap<Reader, Map<string, Promise<LiveView>>>();
  return async (reader: Reader, { ontologyTenant, spec, type }: Preflight): Promise<ItemFault[]> => {
    if (live === undefined) return [];
    const known = plans.get(reader) ?? new Map<string, Promise<LiveView>>();
    plans.set(reader, known);
    const { entity_type_code: code, entity_type_version: version } = spec;
    const key = JSON.stringify([ontologyTenant, code, version]);
    const looking = known.get('failed') ?? known.get(key) ?? live.look(ontologyTenant, { code, version });
    known.set(key, looking);
    try {
      return liveFaults(spec, type, await looking).map(itemFault);
    } catch (error) {
      if (!(error instanceof LiveFault)) throw error;
      known.set('failed', looking);
      return [{ code: error.code, pointer: '/spec', detail: LIVE_FAULTS[error.code] }];
    }
  };
}

const LIVE_FAULTS: Readonly<Record<LiveFault['code'], string>> = {
  ontology_unauthorized:
    'The ontology service refused the key of this deployment, so the document was not checked there.',
  ontology_unreachable: 'The ontology service gave no answer that can be used, so the document was not checked there.',
};

const itemFault = ({ pointer, code, message }: FieldFault): ItemFault => {
  const place = pointer.slice(1).replaceAll('/', '.');
  return { code, pointer: `/spec${pointer}`, detail: `\`${place === '' ? 'spec' : place}\` ${message}.` };
};
