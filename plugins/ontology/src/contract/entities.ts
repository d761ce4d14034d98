import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  paging,
  Timestamp,
} from '@weir/kernel/contract';
import { readOntology } from './access.ts';
import { Code } from './documents.ts';
import { ontologyOff, typeParams } from './entity-types.ts';
import { ontologyProblems } from './problems.ts';

/** Bytes of UTF-8. */
export const MAX_KEY_BYTES = 256;

const Key = Type.String({
  minLength: 1,
  maxLength: MAX_KEY_BYTES,
  description:
    'The value of the primary key; of several properties a JSON array of their values. Write ~. for the key . and ~.. for the key .., which clients take out of addresses; ~~. is the key ~. then',
});

const DOTS = /^~*\.{1,2}$/;
/** A key as a path holds it: clients of HTTP resolve segments of one or two dots, however they are encoded. */
export const keyInPath = (key: string): string => (DOTS.test(key) ? `~${key}` : key);
/** The key that a segment of a path means. */
export const keyOfPath = (segment: string): string =>
  segment.startsWith('~') && DOTS.test(segment) ? segment.slice(1) : segment;

const Entity = Type.Object({
  key: Type.String(),
  title: Type.String({ description: 'For people: the value of the title property, or the key' }),
  type_version: Type.Integer({ description: 'The version of the type that it was written by' }),
  properties: Type.Record(Type.String(), Type.Unknown()),
  run_id: Type.String({ description: 'The run that wrote it' }),
  updated_at: Timestamp,
});
export type EntityView = Static<typeof Entity>;

const entityErrors = [kernelProblems.notFound, ontologyProblems.bindingMissing, ontologyOff];

/** `GET /ontology/entity-types/{code}/entities` */
export const listEntities = endpoint({
  id: 'ontology.list_entities',
  method: 'GET',
  path: '/ontology/entity-types/:code/entities',
  summary: 'List the entities of a type by their keys, or find them by indexed properties',
  description: 'An entity that was written before a property became indexed is found by it after its next sync.',
  access: readOntology,
  params: typeParams,
  query: listQuery(['key'], {
    filter: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'Values of indexed properties as in the query of an address: country=DE&kind=car',
      }),
    ),
  }),
  response: Page(Entity),
  errors: [...entityErrors, ontologyProblems.propertyNotIndexed, kernelProblems.invalidPageToken],
  cli: {
    words: 'ontology entities list',
    columns: ['key', 'title', 'type_version', 'updated_at as age'],
    examples: [['By an indexed property', "weir ontology entities list Vehicle --filter 'country=DE'"]],
  },
});

const entityParams = Closed({ code: Code, key: Key });

/** `GET /ontology/entity-types/{code}/entities/{key}` */
export const getEntity = endpoint({
  id: 'ontology.get_entity',
  method: 'GET',
  path: '/ontology/entity-types/:code/entities/:key',
  summary: 'Read an entity, and count its links',
  access: readOntology,
  params: entityParams,
  response: Type.Object({
    ...Entity.properties,
    links: Type.Array(
      Type.Object({
        relationship: Type.String(),
        direction: OneOf(['out', 'in']),
        type_code: Type.String({ description: 'The type at the other end' }),
        count: Type.Integer(),
      }),
    ),
  }),
  errors: entityErrors,
  cli: 'ontology entities get',
});

const EntityLink = Type.Object({
  type_code: Type.String(),
  key: Type.String(),
  exists: Type.Boolean({ description: 'Whether an entity of this key is there' }),
  title: Nullable(Type.String()),
});
export type EntityLinkView = Static<typeof EntityLink>;

/** `GET /ontology/entity-types/{code}/entities/{key}/links/{relationship}` */
export const listEntityLinks = endpoint({
  id: 'ontology.list_entity_links',
  method: 'GET',
  path: '/ontology/entity-types/:code/entities/:key/links/:relationship',
  summary: 'List the entities that an entity is linked with',
  access: readOntology,
  params: Closed({ code: Code, key: Key, relationship: { ...Code, description: 'Code of the relationship' } }),
  query: Closed({
    ...paging(),
    direction: Type.Optional(
      OneOf(['out', 'in'], {
        description: 'in: the entities of any type whose relationship leads here; out unless given',
      }),
    ),
  }),
  response: Page(EntityLink),
  errors: [...entityErrors, kernelProblems.invalidPageToken],
  cli: { words: 'ontology entities links', columns: ['type_code', 'key', 'title', 'exists'] },
});
