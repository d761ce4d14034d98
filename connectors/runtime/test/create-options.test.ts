import t from 'tap';
import { createOptions, labelsOf } from '../src/container/create-options.ts';

t.test('the engine is told exactly this, and nothing else', (t) => {
  const run = { role: 'source', labels: { tenant: 't', source: 's', execution: 'e', attempt: '2' } };
  const options = createOptions({
    name: 'weir-source-read-1',
    imageId: 'sha256:1',
    user: { uid: 1000, gid: 1001 },
    command: ['read', '--config', '/weir/inputs/config.json'],
    labels: labelsOf(run, { worker: 'w', workspace: 'k', deadline: 5 }),
    limits: { memoryMiB: 512, cpus: 0.5 },
    inputs: '/work/run',
    segments: '/work/out',
    environment: { WEIR_EGRESS_ALLOW: '10.0.0.0/8', HOME: '/elsewhere' },
  });
  const flags = 'rw,noexec,nosuid,nodev,size=256m,mode=1777,uid=1000,gid=1001';
  const bind = { Type: 'bind', BindOptions: { Propagation: 'rprivate' } };
  t.strictSame(options, {
    name: 'weir-source-read-1',
    Image: 'sha256:1',
    Cmd: ['read', '--config', '/weir/inputs/config.json'],
    Labels: {
      'weir.role': 'source',
      'weir.tenant': 't',
      'weir.source': 's',
      'weir.execution': 'e',
      'weir.attempt': '2',
      'weir.worker': 'w',
      'weir.workspace': 'k',
      'weir.deadline': '5',
    },
    Env: [
      'WEIR_EGRESS_ALLOW=10.0.0.0/8',
      'HOME=/home/connector',
      'TMPDIR=/tmp',
      'LANG=C.UTF-8',
      'TZ=UTC',
      'DATA_CHANNEL_MEDIUM=STDIO',
      'DATA_CHANNEL_FORMAT=JSONL',
      'WEIR_CONNECTOR_MEMORY_MIB=512',
      'WEIR_DATA_CHANNEL=segment-file/1',
      ...['WEIR_SEGMENT_DIR=/weir/segments', 'WEIR_SEGMENT_FORMATS=parquet,jsonl'],
    ],
    AttachStdin: false,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: false,
    Tty: false,
    StopTimeout: 10,
    HostConfig: {
      NetworkMode: 'weir-connectors',
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      ReadonlyRootfs: true,
      IpcMode: 'private',
      CgroupnsMode: 'private',
      Init: true,
      GroupAdd: ['0'],
      LogConfig: { Type: 'none', Config: {} },
      RestartPolicy: { Name: 'no' },
      AutoRemove: false,
      PublishAllPorts: false,
      Memory: 512 * 1024 * 1024,
      MemorySwap: 512 * 1024 * 1024,
      NanoCpus: 500_000_000,
      PidsLimit: 256,
      Ulimits: [
        { Name: 'nofile', Soft: 4096, Hard: 4096 },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      Tmpfs: { '/tmp': flags, '/home/connector': flags },
      Mounts: [
        { ...bind, Source: '/work/run', Target: '/weir/inputs', ReadOnly: true },
        { ...bind, Source: '/work/out', Target: '/weir/segments', ReadOnly: false },
      ],
    },
  });
  t.end();
});
