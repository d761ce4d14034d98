import { type Static, Type } from '@sinclair/typebox';
import { canonicalJson } from '@weir/documents';
import { Closed, Nullable, OneOf } from '@weir/kernel/contract';
import type { ApplyKind, Asked, ItemFault, Json, PlannedCall } from '@weir/plugin-apply/contract';
import {
  Code,
  Description,
  Icon,
  type PropertyDocument,
  type RelationshipDocument,
  TypeName,
  type VersionDocumentView,
  versionMembers,
} from '../contract/documents.ts';
import {
  changeEntityType,
  createEntityType,
  type EntityTypeView,
  getEntityType,
  listEntityTypes,
} from '../contract/entity-types.ts';
import { ontologyProblems } from '../contract/problems.ts';
import { createEntityTypeVersion } from '../contract/type-versions.ts';
import { compareVersions, verdictOf } from '../model/type/compare.ts';
import { CARRIERS, wholeDocument } from '../model/type/document.ts';
import { documentFaults } from '../model/type/faults.ts';
import { NEXT_STATUSES } from './types.ts';

const Spec = Closed({
  code: Type.Optional(Code),
  name: Type.Optional(TypeName),
  description: Type.Optional(Nullable(Description)),
  icon: Type.Optional(Nullable(Icon)),
  status: Type.Optional(OneOf(['draft', 'active', 'deprecated'])),
  ...versionMembers,
});
type TypeSpec = Static<typeof Spec>;

/**
 * Documents of entity types. Names of documents are in lower case, and codes are unique whatever their case: the name is the code
 * in lower case. What breaks readers needs `allow_deprecate`, as what retires something does; a retired type comes back by its status.
 */
export const entityTypeDocuments: ApplyKind = {
  kind: 'EntityType',
  order: 35,
  spec: Spec,
  list: listEntityTypes,
  alsoListed: [{ status: 'retired' }],
  nameOf: ({ code }) => String(code).toLowerCase(),
  async stored({ name, code }, { reader }) {
    const id = String(code);
    const view = await reader.get<EntityTypeView>(getEntityType, { code: id }, { include: 'retired' });
    return { name, id, etag: view.etag, spec: specOf(view), view };
  },
  async plan(asked) {
    const spec = asked.spec as TypeSpec;
    const view = asked.stored?.view as EntityTypeView | undefined;
    const { code = view?.code ?? asked.name, properties, primary_key, title_property, relationships } = spec;
    const given = { properties, primary_key, title_property, relationships } as Parameters<typeof wholeDocument>[0];
    const document = wholeDocument(given);
    const labels = {
      name: spec.name ?? view?.name ?? code,
      description: spec.description ?? null,
      icon: spec.icon ?? null,
      status: spec.status ?? view?.status ?? 'draft',
    };
    const faults = [
      ...documentFaults(given, '/spec').map(({ pointer, message = '' }) => fault(pointer, `This ${message}.`)),
      ...nameFaults(asked, code, view),
      ...(view === undefined ? [] : changeFaults(asked, { view, document, status: labels.status })),
    ];
    return {
      faults,
      before: view && { ...labelsIn(view), ...wholeOf(view) },
      after: { ...labels, ...document } as Json,
      calls: () =>
        view === undefined ? createCalls(code, labels, given) : changeCalls(asked, { view, labels, given, document }),
    };
  },
};

type Labels = { name: string; description: string | null; icon: string | null; status: string };
type Given = Parameters<typeof wholeDocument>[0];

const fault = (pointer: string, detail: string, code = ontologyProblems.entityTypeInvalid.entry.code): ItemFault => ({
  code,
  pointer,
  detail,
});
const RETIRED = fault(
  '/spec/status',
  'The type is retired: `status: active` brings it back.',
  ontologyProblems.statusRefused.entry.code,
);

const wholeOf = ({
  properties,
  primary_key,
  title_property,
  relationships,
}: VersionDocumentView): VersionDocumentView => ({
  properties,
  primary_key,
  title_property,
  relationships,
});
const labelsIn = ({ name, description, icon, status }: EntityTypeView): Labels => ({ name, description, icon, status });

function nameFaults({ name }: Asked, code: string, view: EntityTypeView | undefined): ItemFault[] {
  const isOther = code.toLowerCase() !== name || (view !== undefined && view.code !== code);
  return isOther
    ? [fault('/spec/code', 'The name of the document is the code in lower case, and a code never changes.')]
    : [];
}

function changeFaults(
  { allowDeprecate }: Asked,
  { view, document, status }: { view: EntityTypeView; document: VersionDocumentView; status: string },
): ItemFault[] {
  const { code: statusCode } = ontologyProblems.statusRefused.entry;
  const { code: breakingCode } = ontologyProblems.incompatibleVersion.entry;
  if (status === 'retired') return [RETIRED];
  const isReached = status === view.status || (NEXT_STATUSES[view.status] as readonly string[]).includes(status);
  const breaks = compareVersions(wholeOf(view), document).filter(({ breaking }) => breaking);
  return [
    ...(isReached ? [] : [fault('/spec/status', ontologyProblems.statusRefused.entry.detail, statusCode)]),
    ...(allowDeprecate ? [] : breaks).map(({ pointer, change }) => ({
      ...fault(
        `/spec${pointer}`,
        `This breaks readers: ${change.replaceAll('_', ' ')}. Allow it with \`allow_deprecate\`.`,
        breakingCode,
      ),
      conflict: true as const,
    })),
  ];
}

function createCalls(code: string, { status, ...labels }: Labels, given: Given): PlannedCall[] {
  const first = status === 'draft' ? 'draft' : 'active';
  const body = { code, ...labels, status: first, ...given };
  const made: PlannedCall = { endpoint: createEntityType, body, id: 'code' };
  const deprecated: PlannedCall = { endpoint: changeEntityType, params: { code }, body: { status } };
  return status === first ? [made] : [made, deprecated];
}

function changeCalls(
  { self, stored, allowDeprecate }: Asked,
  {
    view,
    labels,
    given,
    document,
  }: { view: EntityTypeView; labels: Labels; given: Given; document: VersionDocumentView },
): PlannedCall[] {
  const params = { code: self };
  const was = labelsIn(view);
  const changed = Object.entries(labels).filter(([name, value]) => value !== was[name as keyof Labels]);
  const isOther = canonicalJson(wholeOf(view)) !== canonicalJson(document);
  const breaks = verdictOf(compareVersions(wholeOf(view), document)) === 'breaking' && allowDeprecate;
  const body = { document: given, base_version: view.version, ...(breaks && { allow_breaking: true }) };
  return [
    ...(changed.length === 0
      ? []
      : [{ endpoint: changeEntityType, params, body: Object.fromEntries(changed), ifMatch: stored?.etag }]),
    ...(isOther ? [{ endpoint: createEntityTypeVersion, params, body }] : []),
  ];
}

/** What export writes: members that have their defaults are left out. */
function specOf(view: EntityTypeView): Json {
  const { code, name, description, icon, status, primary_key, title_property } = view;
  const relationships = view.relationships.map(shortRelationship);
  const labels = without({ name, description, icon }, { name: code, description: null, icon: null });
  return {
    code,
    ...labels,
    status,
    properties: view.properties.map(shortProperty),
    primary_key,
    ...without({ title_property, relationships }, { title_property: null, relationships: [] }),
  };
}

const without = (members: Json, defaults: Json): Json =>
  Object.fromEntries(
    Object.entries(members).filter(([name, value]) => canonicalJson(value) !== canonicalJson(defaults[name] ?? null)),
  );

const shortProperty = ({ code, value_type, ...facts }: PropertyDocument): Json => {
  const [whole] = wholeDocument({ properties: [{ code, value_type }], primary_key: [] }).properties;
  return { code, value_type, ...without(facts, { ...whole, carrier_type: CARRIERS[value_type][0] }) };
};

const shortRelationship = ({ code, target_type, target_key, cardinality, ...facts }: RelationshipDocument): Json => {
  const given = { code, target_type, target_key, cardinality };
  const [whole] = wholeDocument({ properties: [], primary_key: [], relationships: [given] }).relationships;
  return { ...given, ...without(facts, { ...whole }) };
};
