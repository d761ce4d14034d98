import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ConfiguredCatalog,
  MAX_SEGMENT_BYTES,
  MAX_UNACKNOWLEDGED_SEGMENTS,
  SEGMENT_OFFER,
  type SegmentFacts,
} from './protocol.ts';
import { type Invocation, invoke, keyOf, type Line } from './testing-invoke.ts';

const MAGIC = 'PAR1';

/**
 * Reads with and without the offer of segments: without it there are none; with it, there are some, each the file that its
 * line says, never more than may wait, and both reads have as many records of each stream, with STATEs that count them.
 */
export async function checkSegments(
  command: Invocation['command'],
  inputs: { readonly config: unknown; readonly catalog: ConfiguredCatalog },
): Promise<void> {
  const plain = await invoke({ command, verb: 'read', inputs });
  assert.ok(!plain.lines.some((line) => line.type === 'SEGMENT'), 'a segment that nobody asked for');

  const folder = await mkdtemp(join(tmpdir(), 'connector-segments-'));
  try {
    const environment = {
      [SEGMENT_OFFER.channelVariable]: SEGMENT_OFFER.channel,
      [SEGMENT_OFFER.folderVariable]: folder,
    };
    const waiting: string[] = [];
    const onLine = async (line: Line) => {
      if (line.type !== 'SEGMENT') return;
      const path = await checkFile(folder, line.segment);
      waiting.push(path);
      // Taken as late as may be, so that a connector which does not wait is seen.
      if (waiting.length === MAX_UNACKNOWLEDGED_SEGMENTS) await rm(waiting.shift() ?? '');
    };
    const offered = await invoke({ command, verb: 'read', inputs, environment, onLine });
    assert.equal(offered.code, 0);
    assert.ok(
      offered.lines.some((line) => line.type === 'SEGMENT'),
      'segments were offered and none was sent',
    );
    assert.deepEqual(countRecords(offered.lines), countRecords(plain.lines));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkFile(folder: string, segment: SegmentFacts): Promise<string> {
  // The one that is being written is there beside those that wait.
  assert.ok((await readdir(folder)).length <= MAX_UNACKNOWLEDGED_SEGMENTS + 1, 'more segments than may wait');
  const path = join(folder, segment.file);
  const facts = await lstat(path);
  const content = await readFile(path);
  assert.ok(facts.isFile() && facts.nlink === 1);
  assert.equal(segment.format, 'parquet');
  assert.ok(segment.rows > 0);
  assert.ok(segment.bytes <= MAX_SEGMENT_BYTES);
  assert.equal(content.length, segment.bytes);
  assert.equal(createHash('sha256').update(content).digest('hex'), segment.sha256);
  assert.equal(content.toString('latin1', 0, MAGIC.length), MAGIC);
  return path;
}

/** The records of each stream; every STATE must count those since the one before. */
function countRecords(lines: readonly Line[]): Map<string, number> {
  const records = new Map<string, number>();
  const counted = new Map<string, number>();
  const add = (key: string, count: number) => records.set(key, (records.get(key) ?? 0) + count);
  for (const line of lines) {
    if (line.type === 'RECORD') add(keyOf({ name: line.record.stream, namespace: line.record.namespace ?? null }), 1);
    if (line.type === 'SEGMENT') {
      add(keyOf({ name: line.segment.stream, namespace: line.segment.namespace ?? null }), line.segment.rows);
    }
    if (line.type !== 'STATE' || line.state.stream === undefined) continue;
    const key = keyOf(line.state.stream.stream_descriptor);
    assert.equal(line.state.sourceStats?.recordCount, (records.get(key) ?? 0) - (counted.get(key) ?? 0));
    counted.set(key, records.get(key) ?? 0);
  }
  return records;
}
