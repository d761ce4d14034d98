import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  kernelProblems,
  Nullable,
  OneOf,
  Page,
  paging,
  sorting,
  Timestamp,
} from '@weir/kernel/contract';
import { readOntology, writeOntology } from './access.ts';
import { Code, GivenVersion, STORABLE } from './documents.ts';
import { include, ontologyOff, typeParams } from './entity-types.ts';
import { ontologyProblems } from './problems.ts';

export const VERDICTS = ['compatible', 'breaking'] as const;
export type TypeVerdict = (typeof VERDICTS)[number];
const Verdict = OneOf(VERDICTS, { description: 'Whether readers of the version before can read this one' });

/** One thing that a version changes. */
export const TypeChange = Type.Object({
  pointer: Type.String({ description: 'Properties and relationships are named by their codes' }),
  change: Type.String(),
  breaking: Type.Boolean(),
});
export type TypeChangeView = Static<typeof TypeChange>;

const EntityTypeVersion = Type.Object({
  version: Type.Integer(),
  fingerprint: Type.String(),
  verdict: Nullable(Verdict),
  changes: Type.Array(TypeChange, { description: 'Against the version before' }),
  note: Nullable(Type.String()),
  created_by: Type.String(),
  created_at: Timestamp,
});
export type EntityTypeVersionView = Static<typeof EntityTypeVersion>;

/** `GET /ontology/entity-types/{code}/versions` */
export const listEntityTypeVersions = endpoint({
  id: 'ontology.list_entity_type_versions',
  method: 'GET',
  path: '/ontology/entity-types/:code/versions',
  summary: 'List the versions of an entity type with what each changed',
  access: readOntology,
  params: typeParams,
  query: Closed({ ...paging(), order: sorting(['-version', 'version']), include }),
  response: Page(EntityTypeVersion),
  errors: [kernelProblems.notFound, kernelProblems.invalidPageToken, ontologyOff],
  cli: {
    words: 'ontology types versions',
    columns: ['version', 'verdict', 'note', 'created_by', 'created_at as age'],
  },
});

/** `POST /ontology/entity-types/{code}/versions` */
export const createEntityTypeVersion = endpoint({
  id: 'ontology.create_entity_type_version',
  method: 'POST',
  path: '/ontology/entity-types/:code/versions',
  summary: 'Create a version of an entity type, if it breaks no reader or that is allowed',
  description:
    'Names, descriptions and units are labels: they belong to the type and not to a version. A document that says what the newest version says answers 200 with that version, and only its labels are kept. A dry run answers 200 with the verdict, also of a version that breaks readers.',
  access: writeOntology,
  params: typeParams,
  body: Closed({
    document: GivenVersion,
    base_version: Type.Integer({ minimum: 1, description: 'The newest version that you know' }),
    allow_breaking: Type.Optional(Type.Boolean({ description: 'Store it although it breaks readers' })),
    dry_run: Type.Optional(Type.Boolean({ description: 'Answer what it changes, and store nothing' })),
    note: Type.Optional(Type.String({ maxLength: 500, pattern: STORABLE })),
  }),
  example: {
    document: {
      properties: [
        { code: 'vin', value_type: 'string', required: true, constraints: { max_length: 17 } },
        { code: 'speed', value_type: 'double', unit: 'km/h' },
        { code: 'country', value_type: 'string', indexed: true },
        { code: 'wheels', value_type: 'integer' },
      ],
      primary_key: ['vin'],
      title_property: 'vin',
    },
    base_version: 1,
    note: 'Wheels are counted',
  },
  declarative: true,
  status: 201,
  unchanged: true,
  response: Type.Object({
    code: Code,
    version: Type.Integer(),
    fingerprint: Type.String(),
    verdict: Verdict,
    changes: Type.Array(TypeChange),
  }),
  errors: [
    kernelProblems.notFound,
    ontologyProblems.entityTypeInvalid,
    ontologyProblems.versionConflict,
    ontologyProblems.incompatibleVersion,
    ontologyProblems.entityTypeLimit,
    ontologyProblems.bindingMissing,
    ontologyProblems.ontologyRefused,
    ontologyOff,
  ],
  cli: {
    words: 'ontology types add-version',
    columns: ['code', 'version', 'verdict'],
    examples: [
      ['From a file', 'weir ontology types add-version Vehicle --file version.yaml'],
      ['What it would break', 'weir ontology types add-version Vehicle --file version.yaml --dry-run'],
    ],
  },
});

/** `GET /ontology/entity-types/{code}/versions/{version}/difference` */
export const differEntityTypeVersions = endpoint({
  id: 'ontology.differ_entity_type_versions',
  method: 'GET',
  path: '/ontology/entity-types/:code/versions/:version/difference',
  summary: 'Show what another version of an entity type changes, and what of it breaks readers',
  access: readOntology,
  params: Closed({
    code: Code,
    version: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'The version to read from' }),
  }),
  query: Closed({
    to: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'The newest unless given' })),
    include,
  }),
  response: Type.Object({
    code: Type.String(),
    from: Type.Integer(),
    to: Type.Integer(),
    verdict: Verdict,
    changes: Type.Array(TypeChange),
  }),
  errors: [kernelProblems.notFound, ontologyOff],
  cli: 'ontology types diff',
});
