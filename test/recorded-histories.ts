import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { payloadConverterPath } from '@weir/kernel/boot';
import type { Test } from 'tap';
import { workflowBundle } from '../workers/src/bundle/workflow-bundle.ts';
import { WORKFLOW_CACHE } from './workflow-cache.ts';

/** What the history of a run has that went this way. */
const WAYS = {
  succeeded: /ACTIVITY_TASK_COMPLETED/,
  skipped: /ACTIVITY_TASK_COMPLETED/,
  waited: /TIMER_FIRED/,
  failed: /"attempt":[2-9].*ACTIVITY_TASK_FAILED/s,
  'failed-at-once': /ACTIVITY_TASK_FAILED/,
  cancelled: /ACTIVITY_TASK_CANCELED/,
  'cancelled-while-it-waited': /TIMER_FIRED.*CANCEL_REQUESTED/s,
} as const;
export type Way = keyof typeof WAYS;

interface Recorded {
  /** Holds a folder for each workflow, and in it a file for each way that a run of it went. */
  folder: string;
  workflowsPath: string;
  /** The workflows of the role, and the ways that each can go. */
  ways: Readonly<Record<string, readonly Way[]>>;
}

/**
 * Reads a history as the engine's command line writes it. The client's own reader refuses every message where its packages have
 * not one copy in common of the library that reads them, as here: so this is that of the package that has the messages.
 */
const readHistory: (json: unknown) => unknown = (() => {
  const ofWorker = createRequire(createRequire(import.meta.url).resolve('@temporalio/worker'));
  const ofMessages = createRequire(ofWorker.resolve('@temporalio/proto'));
  const { patchProtobufRoot } = ofWorker('@temporalio/proto/lib/patch-protobuf-root');
  const type = patchProtobufRoot(ofWorker('@temporalio/proto')).lookupType('temporal.api.history.v1.History');
  const { fromJson } = ofMessages('protobufjs/ext/protojson');
  return (json) => fromJson(type, json, { ignoreUnknownFields: true });
})();

/** Replays histories in the code that workers run, and gives what was found of each: a word, or nothing. */
async function replayed(
  texts: ReadonlyMap<string, string>,
  workflowsPath: string,
  change = (text: string) => text,
): Promise<Map<string, string | undefined>> {
  const options = { workflowBundle: await workflowBundle([workflowsPath], WORKFLOW_CACHE) };
  const histories = [...texts].map(([workflowId, text]) => ({
    workflowId,
    history: readHistory(JSON.parse(change(text))),
  }));
  const found = new Map<string, string | undefined>();
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { ...options, dataConverter: { payloadConverterPath } },
    histories,
  )) {
    found.set(workflowId, error?.name);
  }
  return found;
}

/** Tests that every workflow of a role goes the way of all its runs that were recorded. */
export async function testRecordedRuns(t: Test, { folder, workflowsPath, ways }: Recorded): Promise<void> {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: 'OFF' } },
  });
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
  const texts = new Map<string, string>();
  for (const file of files) texts.set(file, await readFile(join(folder, file), 'utf8'));

  t.test('runs of every workflow are recorded, each way that they can go', async (t) => {
    const wanted = Object.entries(ways).flatMap(([type, all]) => all.map((way) => `${type}/${way}.json`));
    t.strictSame(files, wanted.sort());
    const workflows = Object.keys(await import(workflowsPath));
    t.strictSame(Object.keys(ways).sort(), workflows.sort());
    for (const [file, text] of texts) {
      const { events } = JSON.parse(text);
      t.equal(events[0].workflowExecutionStartedEventAttributes.workflowType.name, dirname(file), file);
      t.match(text, WAYS[basename(file, '.json') as Way], file);
      t.match(events.at(-1).eventType, 'EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED', file);
      t.notMatch(text, /"identity":"(?!worker")|"stackTrace":"[^"]/, `${file} names no machine`);
    }
  });

  t.test('every workflow goes the way of all its runs that were recorded', async (t) => {
    const found = await replayed(texts, workflowsPath);
    t.strictSame([...found.keys()], files);
    for (const [file, error] of found) t.equal(error, undefined, file);
  });

  t.test('another command than the recorded one is found', async (t) => {
    const other = (text: string) => text.replaceAll(/("activityType":\{"name":")\w+"/g, '$1another"');
    const found = await replayed(texts, workflowsPath, other);
    t.strictSame([...found.keys()], files);
    for (const [file, error] of found) t.equal(error, 'DeterminismViolationError', file);
  });
}
