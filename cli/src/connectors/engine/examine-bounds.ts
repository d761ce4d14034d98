import { access, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { checksOf, type EngineCheck } from './engine-check.ts';
import type { EngineRole } from './engine-role.ts';

const CONTROLLERS = ['cpu', 'memory', 'pids'];
const BUS_UNITS = ['usr/lib/systemd/user/dbus.socket', 'lib/systemd/user/dbus.socket'];
const START = 'systemctl restart weir-connector-engine';

export interface EngineOwner {
  readonly uid: number;
  readonly name: string;
}

/**
 * What a rootless engine needs for the bounds of its containers, and the first of it that is missing: cgroup v2, and the
 * service manager of the engine's user, with its bus, three controllers and a stay of its own. All of it may be seen by
 * everybody. `root` is the machine's `/`.
 */
export async function examineBounds(role: EngineRole, owner: EngineOwner, root = '/'): Promise<EngineCheck> {
  const missing = await firstMissing(owner, root);
  const check = checksOf(role);
  if (missing === undefined) return check('control groups', true, `${CONTROLLERS.join(' ')} of user@${owner.uid}`, '');
  return check('control groups', false, ...missing);
}

async function firstMissing({ uid, name }: EngineOwner, root: string): Promise<[string, string] | undefined> {
  const at = (file: string) => path.join(root, file);
  const isThere = (file: string) =>
    access(at(file)).then(
      () => true,
      () => false,
    );
  if (!(await isThere('sys/fs/cgroup/cgroup.controllers'))) {
    return ['cgroup v1', 'boot with cgroup v2: systemd.unified_cgroup_hierarchy=1 for the kernel'];
  }
  const hasBus = (await Promise.all(BUS_UNITS.map(isThere))).includes(true);
  if (!hasBus) return ['no bus for a user', `install dbus-user-session, then ${START}`];
  const manager = `sys/fs/cgroup/user.slice/user-${uid}.slice/user@${uid}.service`;
  if (!(await isThere(manager))) {
    return [`user@${uid}.service does not run`, `${START}; the engine is a service of that manager`];
  }
  const delegated = (await readFile(at(`${manager}/cgroup.controllers`), 'utf8').catch(() => '')).trim().split(/\s+/);
  const absent = CONTROLLERS.filter((controller) => !delegated.includes(controller));
  if (absent.length > 0) {
    const next = `Delegate=${CONTROLLERS.join(' ')} in user@${uid}.service: deploy/connector-engine/install, then systemctl daemon-reload and ${START}`;
    return [`user@${uid}.service has no ${absent.join(' ')}`, next];
  }
  const staying = await readdir(at('var/lib/systemd/linger')).catch(() => [] as string[]);
  if (!staying.includes(name)) return [`${name} does not stay`, `loginctl enable-linger ${name}`];
  return undefined;
}
