import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'tap';
import { examineBounds } from '../src/connectors/engine/examine-bounds.ts';

test('what a rootless engine lacks for the bounds of its containers is named, one thing after the other', async (t) => {
  const root = await mkdtemp(path.join(tmpdir(), 'weir-bounds-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const put = async (file: string, text = '') => {
    await mkdir(path.join(root, path.dirname(file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  };
  const judge = () => examineBounds('source', { uid: 995, name: 'weir-engine' }, root);
  const manager = 'sys/fs/cgroup/user.slice/user-995.slice/user@995.service/cgroup.controllers';
  t.match(await judge(), { status: 'fault', found: 'cgroup v1', next_step: /cgroup v2/ });
  await put('sys/fs/cgroup/cgroup.controllers', 'cpu memory pids');
  t.match(await judge(), { status: 'fault', next_step: /install dbus-user-session/ });
  await put('usr/lib/systemd/user/dbus.socket');
  t.match(await judge(), { status: 'fault', found: 'user@995.service does not run' });
  await put(manager, 'memory pids\n');
  t.match(await judge(), { found: 'user@995.service has no cpu', next_step: /^Delegate=cpu memory pids in user@995/ });
  await put(manager, 'cpuset cpu io memory pids\n');
  t.match(await judge(), { status: 'fault', next_step: 'loginctl enable-linger weir-engine' });
  await put('var/lib/systemd/linger/weir-engine');
  t.strictSame(await judge(), {
    role: 'source',
    check: 'control groups',
    status: 'ok',
    found: 'cpu memory pids of user@995',
  });
});
