import { SEGMENT_OFFER } from '@weir/connector-sdk';
import type { ContainerCreateOptions } from 'dockerode';
import type { ConnectorLabels, ConnectorLimits, ConnectorRun } from '../connector-runtime.ts';

/** Where a connector finds its inputs, and puts its segments. */
export const INPUTS_TARGET = '/weir/inputs';
export const SEGMENTS_TARGET = '/weir/segments';
const TMP_TARGET = '/tmp';
const HOME_TARGET = '/home/connector';

/** The own network of connectors, in which none reaches another. */
export const NETWORK = 'weir-connectors';

/** What a connector gets whose pattern asks for nothing. Stock ones end themselves near a bound below 512 MiB. */
export const DEFAULT_LIMITS: Required<ConnectorLimits> = { memoryMiB: 1024, cpus: 1, pids: 256, tmpMiB: 256 };

const MEBIBYTE = 1024 * 1024;
const NANOS = 1e9;
const MAX_OPEN_FILES = 4096;
const STOP_SECONDS = 10;

/** The labels by which a container is known to be ours, and whose run it is. */
export const LABEL = {
  role: 'weir.role',
  tenant: 'weir.tenant',
  source: 'weir.source',
  execution: 'weir.execution',
  attempt: 'weir.attempt',
  worker: 'weir.worker',
  workspace: 'weir.workspace',
  deadline: 'weir.deadline',
} as const;

/** The user of the image in numbers; what it writes to must be its own. */
export type ImageUser = { readonly uid: number; readonly gid: number };

export type ContainerPlan = {
  readonly name: string;
  readonly imageId: string;
  readonly user: ImageUser;
  readonly command: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly limits: ConnectorLimits;
  /** The folder of the inputs, and the one for segments where they are offered, as the engine sees them. */
  readonly inputs: string | undefined;
  readonly segments: string | undefined;
  /** What the operator tells every connector. */
  readonly environment: Readonly<Record<string, string>>;
};

/** `workspace` tells the installations of one engine apart; `deadline` is in milliseconds since 1970. */
export type LabelFacts = { readonly worker: string; readonly workspace: string; readonly deadline: number };

/** The labels of a run. */
export function labelsOf(run: Pick<ConnectorRun, 'labels' | 'role'>, { worker, workspace, deadline }: LabelFacts) {
  const { tenant, source, execution, attempt }: ConnectorLabels = run.labels;
  const values = { role: run.role, tenant, source, execution, attempt, worker, workspace, deadline: String(deadline) };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [LABEL[key as keyof typeof LABEL], value]));
}

/**
 * The whole of what a connector may be and see. Everything that is not named is the engine's own default, and was looked
 * through: the default seccomp profile, own mount, network, process and host name spaces.
 */
export function createOptions(plan: ContainerPlan): ContainerCreateOptions {
  const limits = { ...DEFAULT_LIMITS, ...plan.limits };
  return {
    name: plan.name,
    Image: plan.imageId,
    Cmd: [...plan.command],
    Labels: { ...plan.labels },
    Env: Object.entries(environmentOf(plan, limits)).map(([name, value]) => `${name}=${value}`),
    AttachStdin: false,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: false,
    Tty: false,
    StopTimeout: STOP_SECONDS,
    HostConfig: { ...isolation(), ...bounds(limits), Tmpfs: tmpfs(plan.user, limits), Mounts: mounts(plan) },
  };
}

function isolation() {
  return {
    NetworkMode: NETWORK,
    Privileged: false,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges:true'],
    ReadonlyRootfs: true,
    IpcMode: 'private',
    CgroupnsMode: 'private' as const,
    // PID 1 of ours hands signals on: a connector that is PID 1 itself would not hear them.
    Init: true,
    // The inputs are readable for the engine's group, which is the group 0 of its containers.
    GroupAdd: ['0'],
    // The output is read from the attach stream alone; any other driver writes it to the disk a second time.
    LogConfig: { Type: 'none', Config: {} },
    RestartPolicy: { Name: 'no' },
    AutoRemove: false,
    PublishAllPorts: false,
  };
}

function bounds({ memoryMiB, cpus, pids }: Required<ConnectorLimits>) {
  return {
    Memory: memoryMiB * MEBIBYTE,
    // The same as the memory: no swap.
    MemorySwap: memoryMiB * MEBIBYTE,
    NanoCpus: Math.round(cpus * NANOS),
    PidsLimit: pids,
    Ulimits: [
      { Name: 'nofile', Soft: MAX_OPEN_FILES, Hard: MAX_OPEN_FILES },
      { Name: 'core', Soft: 0, Hard: 0 },
    ],
  };
}

/** A mode alone is overridden by that of the image's own folder: the owner is said too. */
function tmpfs({ uid, gid }: ImageUser, { tmpMiB }: Required<ConnectorLimits>): Record<string, string> {
  const flags = `rw,noexec,nosuid,nodev,size=${tmpMiB}m,mode=1777,uid=${uid},gid=${gid}`;
  return { [TMP_TARGET]: flags, [HOME_TARGET]: flags };
}

/** Mounts, not binds: a source that is missing is an error, and is not made. */
function mounts({ inputs, segments }: ContainerPlan) {
  const bind = (Source: string, Target: string, ReadOnly: boolean) => {
    return { Type: 'bind' as const, Source, Target, ReadOnly, BindOptions: { Propagation: 'rprivate' as const } };
  };
  return [
    ...(inputs === undefined ? [] : [bind(inputs, INPUTS_TARGET, true)]),
    ...(segments === undefined ? [] : [bind(segments, SEGMENTS_TARGET, false)]),
  ];
}

/** No secret is ever in the environment, which every inspection shows. */
function environmentOf({ environment, segments }: ContainerPlan, { memoryMiB }: Required<ConnectorLimits>) {
  const { channel, channelVariable, folderVariable, formats, formatsVariable } = SEGMENT_OFFER;
  const offer = { [channelVariable]: channel, [folderVariable]: SEGMENTS_TARGET, [formatsVariable]: formats };
  return {
    ...environment,
    HOME: HOME_TARGET,
    TMPDIR: TMP_TARGET,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    DATA_CHANNEL_MEDIUM: 'STDIO',
    DATA_CHANNEL_FORMAT: 'JSONL',
    WEIR_CONNECTOR_MEMORY_MIB: String(memoryMiB),
    ...(segments === undefined ? {} : offer),
  };
}
