import { delimiter } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { LOOK_OFFER } from '@weir/connector-sdk';
import { type Kernel, type Mode, SecretSetting } from '@weir/kernel';
import { OneOf } from '@weir/kernel/contract';
import { egressVariables } from '@weir/plugin-platform/contract';

/** Absolute folders, separated as in `PATH`. */
const FOLDERS = '^(?:/[^:]*(?::/[^:]*)*)?$';

/** Environment variables of this plugin. */
export const settings = Type.Object({
  WEIR_PLATFORM: Type.String({
    default: 'platform.json',
    description: 'The deployment manifest; names the pattern folders',
  }),
  WEIR_SYNC_COMMIT_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 3600,
    default: 60,
    description: 'A stream that has a STATE is committed when this much time has gone by',
  }),
  WEIR_SYNC_MAX_REJECTED_ROWS: Type.Integer({
    minimum: 0,
    default: 10_000,
    description: 'A stream fails when more of its lines than this go to quarantine in one sync',
  }),
  WEIR_SYNC_MAX_SILENT_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 3600,
    description:
      'A connector that sends no record and no state for longer is stopped, as is one that has not said a word after 5 minutes, or after this where it is less',
  }),
  WEIR_DISCOVERY_MAX_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 3000,
    default: 1200,
    description:
      'A connector that takes longer to describe its source is stopped, as is one that is silent for half of it, or for a quarter before its first word',
  }),
  WEIR_CHECK_MAX_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 3000,
    default: 60,
    description: 'A connector that takes longer to say whether it can work with its configuration is stopped',
  }),
  WEIR_CONNECTOR_REGISTRIES: Type.String({
    pattern: '^[a-z0-9._:/-]*(?:[ ,]+[a-z0-9._:/-]+)*$',
    default: '',
    description:
      'Registries from which images of added connectors are pulled, separated by spaces, each with or without the beginning of a path, such as docker.io/airbyte; empty: only images that are in the engine already are added',
  }),
  WEIR_CONNECTOR_MAX_IMAGE_MIB: Type.Integer({
    minimum: 1,
    maximum: 1_048_576,
    default: 4_096,
    description: 'What the layers of the image of an added connector may take together while they are pulled, MiB',
  }),
  WEIR_PATTERN_FAULTS: OneOf(['block', 'tolerate'], {
    default: 'block',
    description: 'Whether a pattern file that cannot be used keeps the platform from being ready',
  }),
  PATTERN_WEBHOOK_SECRET: Type.Optional(
    SecretSetting({ minLength: 16, description: 'Signs POST /patterns/register; without it the route is closed' }),
  ),
  PATTERN_ADMIN_SECRET: Type.Optional(
    SecretSetting({ minLength: 16, description: 'Signs POST /patterns/reconcile; without it the route is closed' }),
  ),
  WEIR_SYNC_LANES_PER_TENANT: Type.Integer({
    minimum: 0,
    maximum: 1000,
    default: 0,
    description:
      'Syncs of one tenant that are carried out at once; more wait their turn. 0: as many as there are slots',
  }),
  ...egressVariables,
  WEIR_FILES_ROOTS: Type.String({
    pattern: FOLDERS,
    default: '',
    description:
      'Absolute folders, separated by colons, below which the files connector may read in development, but for names that begin with a dot; empty: wherever the worker may. `weir dev up` takes the folder that it is started in',
  }),
  WEIR_FILES_REFUSED: Type.String({
    pattern: FOLDERS,
    default: '',
    description:
      'Absolute folders, separated by colons, that it never reads, whatever is open; the data folder of `weir dev up` and `WEIR_WORK_DIR` are always among them',
  }),
  WEIR_UPLOAD_DIR: Type.Optional(
    Type.String({
      pattern: '^/[^:]*$',
      format: 'folder',
      description:
        'Absolute folder of files that callers bring, the same for API and workers; without it none are taken',
    }),
  ),
  WEIR_UPLOAD_QUOTA_MIB: Type.Integer({
    minimum: 1,
    maximum: 1_048_576,
    default: 10_240,
    description: 'What the uploads of one tenant may hold, MiB',
  }),
  SOURCE_SOCKET_DIR: Type.Optional(
    Type.String({
      minLength: 1,
      format: 'folder',
      description: 'Folder of the docker.sock of the engine that runs connectors of syncs',
    }),
  ),
  WEIR_SOURCE_WORKSPACE_DIR: Type.Optional(
    Type.String({
      minLength: 1,
      format: 'folder',
      description: 'Where inputs of those connectors are put, as the engine sees it too',
    }),
  ),
  DISCOVERY_SOCKET_DIR: Type.Optional(
    Type.String({
      minLength: 1,
      format: 'folder',
      description: 'Folder of the docker.sock of the engine that runs discoveries',
    }),
  ),
  WEIR_DISCOVERY_WORKSPACE_DIR: Type.Optional(
    Type.String({
      minLength: 1,
      format: 'folder',
      description: 'Where inputs of discoveries are put, as the engine sees it too',
    }),
  ),
  WEIR_ENGINE_WAIVERS: Type.String({
    pattern: '^(?:rootful|limits|[ ,])*$',
    default: '',
    description: 'Conditions of the engine that a test does without: rootful, limits; refused outside of development',
  }),
});
export type Settings = Static<typeof settings>;

/** The settings of this plugin, as the kernel read them. */
export function settingsOf(kernel: Pick<Kernel, 'settings'>): Settings {
  return kernel.settings as unknown as Settings;
}

export interface ConnectorPlace {
  kind: 'process' | 'container';
  /** Whether the image is one of this project; others know the fence of their engine alone. */
  isOwnImage: boolean;
  /** Whether a person wants to see what there is, before a source is made of it. */
  isLooked?: boolean;
}

/** Folders that sources may read where connectors are processes; null for all of them, none where they run in containers. */
export function fileRoots(
  { SOURCE_SOCKET_DIR: engine, WEIR_FILES_ROOTS: roots }: Settings,
  mode: Mode,
): string[] | null {
  if (mode !== 'development' || engine !== undefined) return [];
  return roots === '' ? null : roots.split(delimiter).filter((root) => root !== '');
}

/** What the operator sets for connectors of this project; one that is a process also has the bounds of local folders. */
export function connectorEnvironment(
  settings: Settings,
  { kind, isOwnImage, isLooked = false }: ConnectorPlace,
  workDir: string,
  uploaded?: string,
): Record<string, string> {
  if (!isOwnImage) return {};
  const { WEIR_EGRESS_ALLOW, WEIR_EGRESS_PORTS, WEIR_FILES_ROOTS, WEIR_FILES_REFUSED } = settings;
  const offer = isLooked ? { [LOOK_OFFER.variable]: LOOK_OFFER.value } : {};
  const network = { ...offer, WEIR_EGRESS_ALLOW, WEIR_EGRESS_PORTS };
  if (kind !== 'process') return network;
  // The source reads its upload, in a folder that is otherwise refused, and nothing else.
  if (uploaded !== undefined) return { ...network, WEIR_FILES_ROOTS: uploaded, WEIR_FILES_REFUSED: '' };
  const refused = [WEIR_FILES_REFUSED, workDir, settings.WEIR_UPLOAD_DIR].filter(Boolean);
  return { ...network, WEIR_FILES_ROOTS, WEIR_FILES_REFUSED: refused.join(delimiter) };
}
