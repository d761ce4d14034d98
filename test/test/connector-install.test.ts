import { type ExecFileException, execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Test, test } from 'tap';

const FILES = path.resolve(import.meta.dirname, '../../deploy/connector-engine');
const IS_ROOT = process.getuid?.() === 0 && process.platform === 'linux';
const NO_COPY = 99;

/**
 * This machine with a layer over it that is gone afterwards, and a /run and /tmp of its own: what an operator does as root is
 * done here, and nothing of the machine changes.
 */
const IN_A_COPY = `
mount -t tmpfs tmpfs "$1" && mkdir "$1/up" "$1/work" "$1/all" &&
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/up,workdir=$1/work" "$1/all" &&
mount -t tmpfs -o mode=755 tmpfs "$1/all/run" && mount -t tmpfs -o mode=1777 tmpfs "$1/all/tmp" &&
mount --bind /proc "$1/all/proc" && mount --rbind /dev "$1/all/dev" || exit ${NO_COPY}
cp -r "$2" "$1/all/opt/connector-engine"
exec chroot "$1/all" /bin/sh -ec "$3"`;

type Outcome = { readonly code: number; readonly text: string };

async function inACopy(t: Test, script: string): Promise<Outcome> {
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-install-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const words = ['--mount', '--propagation', 'private', 'sh', '-c', IN_A_COPY, 'sh', folder, FILES, script];
  execFile('unshare', words, (fault: ExecFileException | null, stdout, stderr) =>
    resolve({ code: fault === null ? 0 : Number(fault.code), text: fault === null ? stdout : `${stdout}${stderr}` }),
  );
  return promise;
}

test('after the installation, and without a restart of the machine, each folder is there for whom it is, and the units know the manager of the engine', async (t) => {
  if (!IS_ROOT) return t.plan(0, 'the files of the connector engine are for root');
  const script = `
command -v systemd-tmpfiles >/dev/null || exit ${NO_COPY}
for time in first second; do /opt/connector-engine/install >/dev/null 2>&1; done
stat -c '%n %a %U %G' /var/lib/weir-engine /run/weir-connector-engine /run/weir-connectors /run/weir-connectors/*
unit() { sed -n "s/^\\(BindsTo\\|PartOf\\|Delegate\\|Wants\\)=/$1 \\1=/p" "/usr/lib/systemd/system/$1.service.d/"*.conf; }
uid=$(id -u weir-engine)
{ unit "user@$uid"; unit weir-connector-engine; } | sed "s/@$uid/@ENGINE/g"
readlink -f /usr/lib/systemd/user/default.target.wants/weir-connector-daemon.service
for kind in uid gid; do sed -n "s/^weir-engine:/sub$kind /p" /etc/sub$kind; done`;
  const { code, text } = await inACopy(t, script);
  if (code === NO_COPY || text.startsWith('unshare:')) return t.plan(0, `no copy of this machine can be made: ${text}`);
  const lines = text.trim().split('\n');
  const ids = lines.splice(-2).map((line) => line.split(' '));
  t.strictSame(
    { code, lines },
    {
      code: 0,
      lines: [
        '/var/lib/weir-engine 700 weir-engine weir-engine',
        '/run/weir-connector-engine 750 weir-engine weir-connectors',
        '/run/weir-connectors 711 root root',
        '/run/weir-connectors/discovery 2750 weir-discovery weir-engine',
        '/run/weir-connectors/source 2750 weir-source weir-engine',
        'user@ENGINE BindsTo=weir-connector-fence.service',
        'user@ENGINE PartOf=weir-connector-engine.service',
        'user@ENGINE Delegate=cpu memory pids',
        'weir-connector-engine Wants=user@ENGINE.service',
        '/usr/lib/systemd/user/weir-connector-daemon.service',
      ],
    },
  );
  t.strictSame(
    ids.map(([kind]) => kind),
    ['subuid', 'subgid'],
  );
  t.equal(ids[0]?.[1], ids[1]?.[1], 'the same range of users and of groups');
});
