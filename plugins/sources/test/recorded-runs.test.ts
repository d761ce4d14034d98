import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { payloadConverterPath } from '@weir/kernel/boot';
import t from 'tap';
import { compiledWorkflows } from '../../../test/compiled-workflows.ts';
import * as workflows from '../src/work/workflows/index.ts';

/** A folder for each workflow, a file for each way that a run of it went. */
const HISTORIES = join(import.meta.dirname, 'fixtures/histories');

/** What the history of a run has that went this way. */
const WAYS = {
  succeeded: /ACTIVITY_TASK_COMPLETED/,
  waited: /TIMER_FIRED/,
  failed: /"attempt":[2-9].*ACTIVITY_TASK_FAILED/s,
  cancelled: /ACTIVITY_TASK_CANCELED/,
  'cancelled-while-it-waited': /TIMER_FIRED.*CANCEL_REQUESTED/s,
} as const;

/** All ways that a workflow can go. */
const SYNC: readonly (keyof typeof WAYS)[] = [
  'cancelled',
  'cancelled-while-it-waited',
  'failed',
  'succeeded',
  'waited',
];
const RECORDED: Record<keyof typeof workflows, readonly (keyof typeof WAYS)[]> = {
  QuarantineReplayWorkflow: ['succeeded'],
  SourceDiscoveryWorkflow: ['cancelled', 'failed', 'succeeded'],
  SourceSyncWorkflow: SYNC,
  SyncVerifyWorkflow: ['succeeded'],
};

const files = (await readdir(HISTORIES, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
const texts = new Map<string, string>();
for (const file of files) texts.set(file, await readFile(join(HISTORIES, file), 'utf8'));

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
async function replayed(change = (text: string) => text): Promise<Map<string, string | undefined>> {
  const options = { workflowBundle: await compiledWorkflows() };
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

Runtime.install({
  logger: new DefaultLogger('ERROR', () => undefined),
  telemetryOptions: { logging: { filter: 'OFF' } },
});

t.test('runs of every workflow are recorded, each way that they can go', async (t) => {
  const wanted = Object.entries(RECORDED).flatMap(([type, ways]) => ways.map((way) => `${type}/${way}.json`));
  t.strictSame(files, wanted.sort());
  t.strictSame(Object.keys(RECORDED).sort(), Object.keys(workflows).sort());
  for (const [file, text] of texts) {
    const { events } = JSON.parse(text);
    t.equal(events[0].workflowExecutionStartedEventAttributes.workflowType.name, dirname(file), file);
    t.match(text, WAYS[basename(file, '.json') as keyof typeof WAYS], file);
    t.match(events.at(-1).eventType, 'EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED', file);
    t.notMatch(text, /"identity":"(?!worker")|"stackTrace":"[^"]/, `${file} names no machine`);
  }
});

t.test('every workflow goes the way of all its runs that were recorded', async (t) => {
  const found = await replayed();
  t.strictSame([...found.keys()], files);
  for (const [file, error] of found) t.equal(error, undefined, file);
});

t.test('another command than the recorded one is found', async (t) => {
  const found = await replayed((text) => text.replaceAll(/"name":"(end\w+)"/g, '"name":"another"'));
  t.strictSame([...found.keys()], files);
  for (const [file, error] of found) t.equal(error, 'DeterminismViolationError', file);
});
