import type { RunLogEntry } from '@weir/plugin-platform/contract';
import t from 'tap';
import { childLog } from '../src/model/log/child-log.ts';

const SECRET = 'd-7Q/token';
const MAX_NAME_CHARS = 255;

const status = (name: string) => ({
  type: 'TRACE',
  trace: { type: 'STREAM_STATUS', stream_status: { status: 'STARTED', stream_descriptor: { name } } },
});

async function namesOf(...streams: string[]) {
  const lines: RunLogEntry[] = [];
  const log = childLog({ secrets: [SECRET], maxLines: 100, send: async (sent) => void lines.push(...sent) });
  for (const stream of streams) log.said(status(stream));
  await log.end();
  return lines.map(({ stream }) => stream);
}

t.test('a stream whose name ends as a credential begins → the whole name in the run log', async (t) => {
  t.strictSame(await namesOf('odd', `of ${SECRET}`), ['odd', 'of [secret]']);
});

t.test('a name that is cut within a credential → no part of the credential in the run log', async (t) => {
  const start = `${'.'.repeat(MAX_NAME_CHARS - 5)} `;
  t.strictSame(await namesOf(`${start}${SECRET}`), [start]);
});

t.test('a credential that is learnt while a line of stderr waits → masked in that line', async (t) => {
  const lines: RunLogEntry[] = [];
  const log = childLog({ secrets: [SECRET], maxLines: 100, send: async (sent) => void lines.push(...sent) });
  log.stderr(Buffer.from(`token ${SECRET}, next r-5K/token\n`));
  log.learn(['r-5K/token']);
  await log.end();
  t.strictSame(
    lines.map(({ message }) => message),
    ['token [secret], next [secret]'],
  );
});
