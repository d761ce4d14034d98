import { lstat } from 'node:fs/promises';
import { askEngine } from '@weir/connector-images/proof';
import { ConnectorError, containerRuntime } from '@weir/connector-runtime';
import { checksOf, type EngineCheck } from './engine-check.ts';
import type { RolePlace } from './engine-role.ts';
import { examineBounds } from './examine-bounds.ts';
import { userName } from './examine-socket.ts';

const ROOTLESS = 'the socket of a rootless engine is needed: deploy/connector-engine';

/** The workspace has another owner, as it must for root. */
const OF_THE_WORKER = 'workspace_of_others';

interface Info {
  SecurityOptions?: string[];
  CgroupVersion?: string;
  MemoryLimit?: boolean;
  PidsLimit?: boolean;
  CpuCfsQuota?: boolean;
}

/**
 * The engine behind a role's socket: that it answers, what it says of itself, and what a container proves of it that
 * breaks its bounds. The last is the worker's own condition; what an engine says of its limits is known to be untrue.
 */
export async function examineEngine(place: RolePlace): Promise<EngineCheck[]> {
  const check = checksOf(place.role);
  const answers = async (what: string) => {
    const { status, text } = await askEngine(place.socketPath, { path: what });
    if (status !== 200) throw new Error(`${status}`);
    return JSON.parse(text);
  };
  const version = (await answers('/version').catch(() => undefined)) as { Version?: string } | undefined;
  if (version === undefined) {
    const next = 'journalctl _SYSTEMD_USER_UNIT=weir-connector-daemon.service says, to root, why it does not run';
    return [check('engine answers', false, 'no engine answers through this socket', next)];
  }
  const info = (await answers('/info').catch(() => ({}))) as Info;
  const options = info.SecurityOptions ?? [];
  const has = (name: string) => options.some((option) => option.startsWith(`name=${name}`));
  const uid = (await lstat(place.socketPath)).uid;
  const groups = await examineBounds(place.role, { uid, name: await userName(uid) });
  const bounds = groups.next_step ?? 'the engine is not a service of the manager of its user: deploy/connector-engine';
  const word = (value: boolean | undefined) => (value === true ? 'yes' : 'no');
  return [
    check('engine answers', true, `version ${version.Version}`, ''),
    check('rootless', has('rootless'), options.join(' '), ROOTLESS),
    check('seccomp', has('seccomp'), options.join(' '), 'the engine must have the default seccomp profile'),
    groups,
    check('cgroup version', info.CgroupVersion === '2', info.CgroupVersion ?? 'not said', bounds),
    check('memory limits', info.MemoryLimit === true, word(info.MemoryLimit), bounds),
    check('process limits', info.PidsLimit === true, word(info.PidsLimit), bounds),
    check('CPU limits', info.CpuCfsQuota === true, word(info.CpuCfsQuota), bounds),
    await provenCheck(place),
  ];
}

async function provenCheck({ role, socketPath, workspaceRoot }: RolePlace): Promise<EngineCheck> {
  const check = checksOf(role);
  const next = 'a worker takes no run while this does not hold; look at the points above';
  try {
    const socketGid = (await lstat(socketPath)).gid;
    await containerRuntime({ socketPath, socketGid, workspaceRoot, role, mode: 'production' }).ready();
    const found = 'limits hold under a container that breaks them, and inputs can be read';
    return check('ready for connectors', true, found, '');
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    if (error.reason === OF_THE_WORKER && process.getuid?.() === 0) {
      return check(
        'ready for connectors',
        'unknown',
        'the workspace is not of root',
        'run this as the user of the worker',
      );
    }
    return check('ready for connectors', false, error.reason ?? error.code, next);
  }
}
