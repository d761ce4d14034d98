import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePorts, supervise, untilReady } from '@weir/embedded';
import { PATIENT_MS } from '../until.ts';

/** Limits of a tenant that a test sets; Loki's own otherwise (limits_config). */
export type LokiLimits = Readonly<Record<string, string | number | boolean>>;

/** A Loki that runs. */
export interface RunningLoki {
  url: string;
  stop(): Promise<void>;
}

/** One process, everything in a folder, a tenant by its header; lines can be deleted, and soon are. */
const configuration = (folder: string, [http, grpc]: readonly number[], limits: LokiLimits) => `
auth_enabled: true
analytics: { reporting_enabled: false }
server:
  http_listen_address: 127.0.0.1
  http_listen_port: ${http}
  grpc_listen_address: 127.0.0.1
  grpc_listen_port: ${grpc}
  log_level: warn
common:
  path_prefix: ${folder}
  instance_addr: 127.0.0.1
  replication_factor: 1
  ring: { kvstore: { store: inmemory } }
  storage: { filesystem: { chunks_directory: ${folder}/chunks, rules_directory: ${folder}/rules } }
schema_config:
  configs:
    - { from: 2024-01-01, store: tsdb, object_store: filesystem, schema: v13, index: { prefix: index_, period: 24h } }
compactor:
  { retention_enabled: true, delete_request_store: filesystem, compaction_interval: 1s, delete_request_cancel_period: 1s }
limits_config: ${JSON.stringify(limits)}
`;

/** Starts Loki on 127.0.0.1 with its data in `folder`, and waits until it takes and answers. */
export async function startLoki({
  program,
  folder,
  limits = {},
}: {
  program: string;
  folder: string;
  limits?: LokiLimits;
}): Promise<RunningLoki> {
  const ports = await freePorts(2);
  const file = path.join(folder, 'loki.yaml');
  await writeFile(file, configuration(folder, ports, limits));
  const url = `http://127.0.0.1:${ports[0]}`;
  const child = await supervise({
    name: 'Loki',
    command: program,
    args: [`-config.file=${file}`, '-target=all'],
    cwd: folder,
    logFile: path.join(folder, 'loki.log'),
  });
  await untilReady('Loki', child, async () => (await fetch(`${url}/ready`)).ok, PATIENT_MS);
  return { url, stop: async () => void (await child.stop('SIGTERM')) };
}
