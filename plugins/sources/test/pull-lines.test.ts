import type { RunLogEntry } from '@weir/plugin-platform/contract';
import t from 'tap';
import { pullLines } from '../src/model/log/pull-lines.ts';

const MIB = 1024 * 1024;
const image = 'registry/weir/files:1';

t.test('a pull is told of when it begins, every ten seconds, and when its image is there', async (t) => {
  let now = 0;
  const told: string[] = [];
  const lines = pullLines(
    ({ step, message }: RunLogEntry) => told.push(`${step}: ${message}`),
    () => now,
  );
  for (now = 0; now <= 25_000; now += 500)
    lines.progress({ image, bytes: (now / 1_000) * MIB, totalBytes: now === 0 ? 0 : 40 * MIB });
  lines.runs({ digest: 'sha256:1' });
  t.strictSame(told, [
    'pull: the image is pulled: registry/weir/files:1',
    'pull: pulled 10.0 of 40.0 MiB of the layers known so far',
    'pull: pulled 20.0 of 40.0 MiB of the layers known so far',
    'pull: the image is here: sha256:1',
  ]);
});

t.test('an image that was there is told of by nobody', async (t) => {
  const told: RunLogEntry[] = [];
  pullLines((line) => told.push(line)).runs({ digest: 'sha256:1' });
  t.strictSame(told, []);
});
