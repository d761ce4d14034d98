import { isSchema, type Schema } from '@weir/json-schemas';
import type { LibraryFile, LibraryFileSchema } from './library.ts';

/** One attribute of a model, as the table of the package has it. */
export interface ModelAttribute {
  id: string;
  parentId?: string;
  property: string;
  dataModel: string;
  repoName: string;
  license: string;
  schemaVersion: string;
  type?: unknown;
  typeNGSI?: string;
  model?: string;
  units?: unknown;
  format?: string;
  description?: string;
  enum?: unknown;
}

/** What the package says of a model as a whole. */
export interface ModelFacts {
  subject: string;
  dataModel: string;
  title?: string;
  description?: string;
  jsonSchemaUrl?: string;
  derivedFrom?: string;
  required?: unknown;
}

export interface ModelPackage {
  version: string;
  attributes: readonly ModelAttribute[];
  models: readonly ModelFacts[];
}

const PREFIX = 'dataModel.';
const TYPES = ['string', 'array', 'object', 'number', 'boolean', 'integer'];
const FORMATS = ['date-time', 'date', 'time', 'uri', 'email', 'uuid', 'duration', 'hostname'];
const MAX_LEVELS = 8;

/** A library of the models of these subjects; each keeps its version, licence and origin. */
export function smartDataModels(
  { version, attributes, models }: ModelPackage,
  subjects: readonly string[],
): LibraryFile {
  const asked = new Set(subjects.map((subject) => `${PREFIX}${subject}`));
  const byModel = Map.groupBy(
    attributes.filter(({ repoName }) => asked.has(repoName)),
    ({ repoName, dataModel }) => `${repoName} ${dataModel}`,
  );
  const facts = new Map(models.map((one) => [`${one.subject} ${one.dataModel}`, one]));
  return {
    library_id: 'sdm',
    name: 'Smart Data Models',
    version,
    license: 'See each model',
    source: `https://pypi.org/project/pysmartdatamodels/${version}/`,
    attribution: 'Smart Data Models, https://smartdatamodels.org',
    schemas: [...byModel]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, rows]) => modelOf(rows, facts.get(key))),
  };
}

function modelOf(rows: readonly ModelAttribute[], facts: ModelFacts | undefined): LibraryFileSchema {
  const [first] = rows;
  const { dataModel = '', repoName = '', license = '', schemaVersion = '' } = first ?? {};
  const children = Map.groupBy(rows, ({ parentId }) => parentId ?? '');
  const properties = membersOf(children, '', MAX_LEVELS);
  const needed = Array.isArray(facts?.required)
    ? facts.required.filter((name) => Object.hasOwn(properties, String(name)))
    : [];
  const origin = facts?.jsonSchemaUrl ?? `https://github.com/smart-data-models/${repoName}/tree/master/${dataModel}`;
  const derived = facts?.derivedFrom ? `, derived from ${facts.derivedFrom}` : '';
  return {
    domain: repoName.slice(PREFIX.length),
    name: dataModel,
    version: schemaVersion,
    license,
    attribution: `Smart Data Models, ${origin}${derived}`,
    json_schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: facts?.title ?? dataModel,
      description: facts?.description ?? '',
      type: 'object',
      properties,
      ...(needed.length > 0 && { required: needed }),
    },
  };
}

type Children = ReadonlyMap<string, readonly ModelAttribute[]>;

function membersOf(children: Children, parent: string, levels: number): Schema {
  const rows = levels === 0 ? [] : (children.get(parent) ?? []);
  return Object.fromEntries(rows.map((row) => [row.property, memberOf(children, row, levels)]));
}

function memberOf(children: Children, row: ModelAttribute, levels: number): Schema {
  const { id, type, format = '', description, typeNGSI, model, units, enum: listed } = row;
  const inner = membersOf(children, id, levels - 1);
  const hasInner = Object.keys(inner).length > 0;
  const named = TYPES.includes(String(type)) ? String(type) : hasInner ? 'object' : undefined;
  const ngsi = Object.fromEntries(Object.entries({ type: typeNGSI, model, units }).filter(([, value]) => value));
  const ofItems = hasInner && named === 'array' && { items: { type: 'object', properties: inner } };
  return {
    ...(named !== undefined && { type: named }),
    ...(description && { description }),
    ...(named === 'string' && FORMATS.includes(format) && { format }),
    ...(isList(listed) && named !== 'array' && { enum: [...new Set(listed)] }),
    ...(hasInner && named === 'object' && { properties: inner }),
    ...ofItems,
    ...(Object.keys(ngsi).length > 0 && { 'x-ngsi': ngsi }),
  };
}

const isList = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => !isSchema(one) && !Array.isArray(one));
