import { type Static, Type } from '@sinclair/typebox';
import {
  Accepted,
  Closed,
  endpoint,
  Id,
  kernelProblems,
  Nullable,
  OneOf,
  RunWorker,
  runFacts,
  runProblems,
} from '@weir/kernel/contract';
import { addPatterns } from '../access.ts';
import { DISCOVERY_PHASES } from '../discovery/discovery.ts';
import { sourceProblems } from '../problems.ts';
import { GivenPattern, PatternId } from '../source/pattern-file.ts';
import { PatternChange } from '../source/patterns.ts';
import { Pull, startQuery } from '../sync/syncs.ts';
import { inspectionProblems } from './inspection-problems.ts';

const MAX_IMAGE_CHARS = 400;
const MAX_POINTERS = 1_000;
const Pointers = (description: string) => Type.Array(Type.String(), { maxItems: MAX_POINTERS, description });

const Alias = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$',
  description: 'Alias of the tenant whose run this is; the pattern is for all tenants',
});

/** What a laptop with Docker needs before the development platform can run images of others. */
export const LAPTOP_LINES = [
  'sudo install -d -o "$(id -u)" -g root -m 2750 /var/lib/weir-connectors',
  'SOURCE_SOCKET_DIR=/var/run DISCOVERY_SOCKET_DIR=/var/run WEIR_SOURCE_WORKSPACE_DIR=/var/lib/weir-connectors WEIR_DISCOVERY_WORKSPACE_DIR=/var/lib/weir-connectors WEIR_ENGINE_WAIVERS=rootful WEIR_CONNECTOR_REGISTRIES=docker.io npm start',
] as const;

/** `POST /patterns/inspections` */
export const inspectImage = endpoint({
  id: 'sources.inspect_image',
  method: 'POST',
  path: '/patterns/inspections',
  summary: 'Ask a connector image how it is configured, before a pattern is made of it',
  description:
    'A worker takes the image that the container engine has, or pulls it where WEIR_CONNECTOR_REGISTRIES allows its registry, and runs its command spec in a hardened container. A tenant has one inspection at a time; the run is cancelled as every run is.',
  access: addPatterns,
  query: startQuery,
  body: Closed({
    tenant: Alias,
    image: Type.String({ minLength: 1, maxLength: MAX_IMAGE_CHARS, description: 'registry/path:tag, or a part of it' }),
    spec: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'What the image prints for spec: the SPEC message, its spec, or the JSON Schema in it. The image is then not run, only pinned',
      }),
    ),
  }),
  example: { tenant: 'demo', image: 'airbyte/source-faker:7.2.1' },
  response: Accepted,
  status: 202,
  location: '/patterns/inspections/:run_id',
  errors: [
    kernelProblems.notFound,
    runProblems.runAlreadyActive,
    runProblems.noWorker,
    inspectionProblems.imageReferenceInvalid,
    inspectionProblems.specDocumentInvalid,
  ],
});

/** How an inspection stands, and what it found. */
export const Inspection = Type.Object({
  ...runFacts,
  tenant: Type.String({ description: 'Alias of the tenant whose run this is' }),
  image: Type.String({ description: 'The image as it was asked for' }),
  phase: OneOf(DISCOVERY_PHASES, {
    description: 'pulling: the image is not in the engine yet, see pull; describing: it is asked for its specification',
  }),
  pull: Nullable(Pull),
  worker: Nullable(RunWorker),
  found: Nullable(
    Type.Object({
      image: Type.String({ description: 'The image pinned by its digest; by its id if it came from no registry' }),
      pattern_id: PatternId,
      name: Type.String({ description: 'What the connector calls itself' }),
      docs: Nullable(Type.String()),
      spec: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the configuration' }),
      credential_fields: Pointers('Pointers of fields that the image calls secret'),
      asked_fields: Pointers(
        'Pointers of fields that are named like secrets but that the image does not call so: they become credentials unless not_credentials lists them',
      ),
      place_fields: Pointers('Pointers of fields that say where the connector goes'),
    }),
  ),
});
export type InspectionView = Static<typeof Inspection>;

const params = Closed({ run_id: Id });

/** `GET /patterns/inspections/{run_id}` */
export const getInspection = endpoint({
  id: 'sources.get_inspection',
  method: 'GET',
  path: '/patterns/inspections/:run_id',
  summary: 'Read how the inspection of an image stands and what it found',
  access: addPatterns,
  params,
  response: Inspection,
  errors: [kernelProblems.notFound],
  cli: 'connectors inspection',
});

/** `POST /patterns/inspections/{run_id}/register` */
export const registerInspected = endpoint({
  id: 'sources.register_inspected',
  method: 'POST',
  path: '/patterns/inspections/:run_id/register',
  summary: 'Register a connector pattern for an inspected image; the same again changes nothing',
  description:
    'The image is pinned by its digest. Without a version it is the tag where that is one and is newer than the version in force, else the next one.',
  access: addPatterns,
  params,
  query: Closed({
    dry_run: Type.Optional(
      Type.Boolean({ description: 'Show the pattern and what would become of it; change nothing' }),
    ),
  }),
  body: Closed({
    pattern_id: Type.Optional({
      ...PatternId,
      description: 'Id of the pattern; from the name of the image unless given',
    }),
    name: Type.Optional({ ...GivenPattern.properties.display.properties.name }),
    version: Type.Optional({ ...GivenPattern.properties.version }),
    not_credentials: Type.Optional(Pointers('Those of asked_fields that everybody may see')),
  }),
  example: { pattern_id: 'faker' },
  response: Type.Composite([
    PatternChange,
    Type.Object({
      dry_run: Type.Boolean(),
      pattern: Type.Record(Type.String(), Type.Unknown(), { description: 'The pattern, as a pattern.json has it' }),
    }),
  ]),
  errors: [
    kernelProblems.notFound,
    inspectionProblems.inspectionNotDone,
    inspectionProblems.patternIdTaken,
    sourceProblems.patternInvalid,
    sourceProblems.patternVersionTaken,
    sourceProblems.credentialFieldsRemoved,
  ],
});
