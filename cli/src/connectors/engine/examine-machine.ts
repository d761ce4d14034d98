import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { checksOf, type EngineCheck } from './engine-check.ts';
import type { RolePlace } from './engine-role.ts';
import { examineFence } from './examine-fence.ts';

const HOST_SOCKETS = ['/var/run/docker.sock', '/run/containerd/containerd.sock'];
const COMMAND_TIMEOUT_MS = 10_000;
const UNIT = 'weir-connector-engine.service';

/** What is the same for all roles: the fence, the unit, and that no other engine is within reach. */
export async function examineMachine(places: readonly RolePlace[]): Promise<EngineCheck[]> {
  return [await examineFence(places), await unitCheck(), await hostSocketCheck()];
}

const check = checksOf('machine');

/** The unit that operators start, and the manager of the engine's user in which the daemon runs: both end with the fence. */
async function unitCheck(): Promise<EngineCheck> {
  const engine = await shown(UNIT);
  if (engine === undefined) {
    return check('unit', 'unknown', 'no service manager answers here', 'run this on the machine of the engine');
  }
  const name = /user@\d+\.service/.exec(engine.Wants ?? '')?.[0];
  const manager = name === undefined ? undefined : await shown(name);
  const isBound = [engine, manager].every((unit) => /weir-connector-fence/.test(unit?.BindsTo ?? ''));
  const isSound = engine.ActiveState === 'active' && manager?.ActiveState === 'active' && isBound;
  const found = `${engine.ActiveState}, ${name ?? 'no manager of its user'} ${manager?.ActiveState ?? ''}, ${isBound ? '' : 'not '}bound to the fence`;
  const next =
    'deploy/connector-engine/install, then systemctl daemon-reload and systemctl enable --now weir-connector-engine';
  return check('unit', isSound, found, next);
}

async function shown(unit: string): Promise<Record<string, string> | undefined> {
  const text = (await said('systemctl', ['show', unit, '--property=ActiveState,BindsTo,Wants']))?.trim();
  if (!text) return undefined;
  return Object.fromEntries(text.split('\n').map((line) => line.split('=', 2) as [string, string]));
}

/** A worker gets one socket; any other that it could use would be a way around. Root may use every one, and is no worker. */
async function hostSocketCheck(): Promise<EngineCheck> {
  if (process.getuid?.() === 0) {
    return check('no other engine', 'unknown', 'root may use any', 'run this as the user of the worker');
  }
  const usable = [];
  for (const file of HOST_SOCKETS) {
    const may = await access(file, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (may) usable.push(file);
  }
  const next = 'take the user of the worker out of the groups of other engines';
  return check('no other engine', usable.length === 0, usable.join(' ') || 'none within reach', next);
}

function said(command: string, args: readonly string[]): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  execFile(command, args, { timeout: COMMAND_TIMEOUT_MS }, (fault, stdout) => resolve(fault ? undefined : stdout));
  return promise;
}
