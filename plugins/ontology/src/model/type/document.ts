import { canonicalSha256 } from '@weir/documents';
import type {
  CarrierType,
  GivenPropertyBody,
  GivenVersionBody,
  PropertyDocument,
  RelationshipDocument,
  ValueType,
  VersionDocumentView,
} from '../../contract/documents.ts';

/** How the values of a type travel: 64-bit integers and decimals as text, so that none passes through a double. */
export const CARRIERS: Readonly<Record<ValueType, readonly [CarrierType, ...CarrierType[]]>> = {
  string: ['string'],
  text: ['string'],
  uuid: ['string'],
  uri: ['string'],
  email: ['string'],
  boolean: ['boolean'],
  integer: ['number'],
  long: ['string'],
  double: ['number'],
  decimal: ['string'],
  date: ['string'],
  timestamp: ['string'],
  timestamptz: ['string'],
  geometry: ['object'],
  json: ['object', 'array'],
  list: ['array'],
};

/** Words for people, which belong to the type and not to a version. */
interface Labels {
  name: string;
  description: string | null;
  unit?: string | null;
}

/** The labels of properties and relationships, by their codes. */
export type TypeLabels = Readonly<Record<string, Labels>>;

const wholeProperty = ({ renamed_from: _, ...given }: GivenPropertyBody): PropertyDocument => ({
  carrier_type: CARRIERS[given.value_type][0],
  name: given.code,
  description: null,
  item_type: null,
  required: false,
  unique: false,
  indexed: false,
  enum: null,
  constraints: {},
  sensitive: false,
  status: 'active',
  unit: null,
  ...given,
});

const wholeRelationship = (given: NonNullable<GivenVersionBody['relationships']>[number]): RelationshipDocument => ({
  name: given.code,
  description: null,
  required: false,
  inverse_code: null,
  on_missing_target: 'allow',
  ...given,
});

/** The document with every member; what is left out has its default. */
export const wholeDocument = (given: GivenVersionBody): VersionDocumentView => ({
  properties: given.properties.map(wholeProperty),
  primary_key: given.primary_key,
  title_property: given.title_property ?? null,
  relationships: (given.relationships ?? []).map(wholeRelationship),
});

/** The labels that a document gives. */
export const labelsOf = ({ properties, relationships }: VersionDocumentView): TypeLabels => ({
  ...Object.fromEntries(properties.map(({ code, name, description, unit }) => [code, { name, description, unit }])),
  ...Object.fromEntries(relationships.map(({ code, name, description }) => [code, { name, description }])),
});

/** A version with the labels of today. */
export const labelled = (document: VersionDocumentView, labels: TypeLabels): VersionDocumentView => ({
  ...document,
  properties: document.properties.map((one) => ({ ...one, ...labels[one.code] })),
  relationships: document.relationships.map((one) => ({ ...one, ...labels[one.code] })),
});

const byText = (a: string, b: string) => (a < b ? -1 : 1);
const byCode = (a: { code: string }, b: { code: string }) => byText(a.code, b.code);

/** What a version says: no label, no order that means nothing. */
const semanticPart = ({ properties, relationships, ...document }: VersionDocumentView) => ({
  ...document,
  properties: properties.toSorted(byCode).map(({ name: _n, description: _d, unit: _u, enum: values, ...facts }) => ({
    ...facts,
    enum: values?.toSorted((a, b) => byText(JSON.stringify(a), JSON.stringify(b))) ?? null,
  })),
  relationships: relationships.toSorted(byCode).map(({ name: _n, description: _d, ...facts }) => facts),
});

/** `v1:` and the SHA-256 of what the version says, in hex. */
export const typeFingerprint = (document: VersionDocumentView): string =>
  `v1:${canonicalSha256(semanticPart(document))}`;
