/** Door "./testing": the rules that every ConnectorRuntime keeps, as cases for any test runner. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SEGMENT_OFFER } from '@weir/connector-sdk';
import { ConnectorError, type ConnectorErrorCode } from './connector-error.ts';
import type { ConnectorProcess, ConnectorRun, ConnectorRuntime } from './connector-runtime.ts';
import { STDERR_TAIL_BYTES } from './connector-runtime.ts';
import type { Deadlines } from './deadlines.ts';
import { type AnswerType, readAnswer } from './read-answer.ts';

/** What the test connector does; its program is `testing-connector.ts`. */
export const HABITS = [
  'inputs',
  'writes-a-segment',
  'good',
  'says-nothing',
  'stops-on-request',
  'ignores-sigterm',
  'leaves-a-child',
  'flood',
  'noisy',
  'exits-3',
] as const;
export type Habit = (typeof HABITS)[number];

export type RuntimeHarness = {
  readonly runtime: ConnectorRuntime;
  /** The image of the test connector with this habit. */
  readonly image: (habit: Habit) => string;
  /** An image that this runtime cannot have, and by which code it says so. */
  readonly unknown?: { readonly image: string; readonly code: ConnectorErrorCode };
  /** The texts of all files that exist in workspaces now. */
  readonly leftInputs: () => Promise<readonly string[]>;
  /** Whether the engine still has something of a run; without it the process of the connector is looked for. */
  readonly hasLeft?: (execution: string) => Promise<boolean>;
};

export type RuntimeCase = { readonly name: string; readonly run: () => Promise<void> };

const CANARY = 'canary-3f1c';
/** How long something that must happen soon is waited for; a hang limit, not a measure. */
const HANG_MS = 30_000;
const POLL_MS = 20;

/** A run of the test connector, to be spread over. */
export function testRun(image: string, more: Partial<ConnectorRun> = {}): ConnectorRun {
  const labels = { tenant: 'tenant', source: 'source', execution: randomUUID(), attempt: '1' };
  return { image, role: 'source', labels, verb: 'read', ...more };
}

type Start = (habit: Habit, more?: Partial<ConnectorRun>) => Promise<ConnectorProcess>;

/** The cases; each is on its own. */
export function runtimeConformance(harness: RuntimeHarness): RuntimeCase[] {
  const { runtime, image, unknown = { image: 'weir/nobody:1', code: 'connector_image_unknown' } } = harness;
  const started: ConnectorProcess[] = [];
  const start: Start = async (habit, more) => {
    const connector = await runtime.run(testRun(image(habit), more));
    started.push(connector);
    return connector;
  };
  // Output that a case has not read would hold the container back for its reader.
  const cleanUp = async () => {
    for (const { stdout, removed } of started.splice(0)) {
      stdout.destroy();
      await removed;
    }
  };
  const cases = [
    ...outputCases(start),
    ...inputCases(start, harness),
    ...segmentCases(start),
    ...stopCases(start),
    ...deadlineCases(harness),
    {
      name: 'an image that is not known is refused by its code',
      run: () => assert.rejects(runtime.run(testRun(unknown.image)), isCode(unknown.code)),
    },
  ];
  return cases.map(({ name, run }) => ({ name, run: () => run().finally(cleanUp) }));
}

function outputCases(start: Start): RuntimeCase[] {
  return [
    {
      name: 'stdout arrives whole and the exit code with it',
      async run() {
        const connector = await start('good');
        const stdout = await text(connector.stdout);
        assert.equal(stdout.trimEnd().split('\n').length, 7);
        assert.deepEqual(await connector.exit, { code: 0, signal: undefined, oomKilled: false, stopped: false });
      },
    },
    {
      name: 'what a connector said is there, whole, for one who reads only after it has ended',
      async run() {
        const connector = await start('good');
        await connector.exit;
        await sleep(100);
        assert.equal((await text(connector.stdout)).trimEnd().split('\n').length, 7);
      },
    },
    { name: 'an exit code is passed on', run: async () => assert.equal((await ended(await start('exits-3'))).code, 3) },
    {
      name: 'the end of stderr is kept and no more than its limit',
      async run() {
        const connector = await start('noisy');
        await ended(connector);
        await until('the end of stderr is missing', () => connector.stderrTail().endsWith('the end\n'));
        assert.ok(Buffer.byteLength(connector.stderrTail()) <= STDERR_TAIL_BYTES);
      },
    },
    {
      name: 'an unread stdout holds the connector back',
      async run() {
        const connector = await start('flood');
        await firstBytes(connector);
        let over = false;
        void connector.exit.then(() => {
          over = true;
        });
        await sleep(500);
        assert.equal(over, false);
        await connector.stop();
      },
    },
  ];
}

function inputCases(start: Start, { leftInputs }: RuntimeHarness): RuntimeCase[] {
  return [
    {
      name: 'a connector reads its inputs from files and finds none of our environment',
      async run() {
        process.env.WEIR_TEST_LEAK = CANARY;
        const connector = await start('inputs', { inputs: { config: `{"secret":"${CANARY}"}` } });
        const said = JSON.parse(JSON.parse(await text(connector.stdout)).log.message);
        await connector.exit;
        delete process.env.WEIR_TEST_LEAK;
        assert.equal(said.verb, 'read');
        assert.equal(said.text, `{"secret":"${CANARY}"}`);
        assert.ok(!said.env.includes('WEIR_TEST_LEAK'));
      },
    },
    {
      name: 'the inputs are destroyed when the run has ended',
      async run() {
        const connector = await start('inputs', { inputs: { config: CANARY, state: CANARY } });
        connector.stdout.resume();
        await connector.exit;
        assert.ok(!(await leftInputs()).some((file) => file.includes(CANARY)));
      },
    },
  ];
}

function segmentCases(start: Start): RuntimeCase[] {
  const said = async (connector: ConnectorProcess) => JSON.parse(JSON.parse(await text(connector.stdout)).log.message);
  return [
    {
      name: 'segments are offered where they are asked for, and stay for the reader when the connector has ended',
      async run() {
        const connector = await start('writes-a-segment', { segments: true });
        assert.deepEqual(await said(connector), { channel: SEGMENT_OFFER.channel, offered: true });
        await connector.exit;
        const folder = connector.segments?.path ?? '';
        assert.deepEqual(await readdir(folder), ['1.parquet']);
        await connector.segments?.destroy();
        await assert.rejects(readdir(folder));
      },
    },
    {
      name: 'segments are not offered where nobody asks',
      async run() {
        const connector = await start('writes-a-segment');
        assert.deepEqual(await said(connector), { offered: false });
        assert.equal(connector.segments, undefined);
      },
    },
  ];
}

function stopCases(start: Start): RuntimeCase[] {
  return [
    {
      name: 'stop lets a connector end by itself',
      async run() {
        const connector = await start('stops-on-request');
        await firstBytes(connector);
        assert.deepEqual(await connector.stop(), { code: 143, signal: undefined, oomKilled: false, stopped: true });
      },
    },
    {
      name: 'stop kills a connector that does not listen, and a second stop does no harm',
      async run() {
        const connector = await start('ignores-sigterm');
        await firstBytes(connector);
        const [exit] = await Promise.all([connector.stop(), connector.stop()]);
        assert.equal(exit.stopped, true);
        assert.ok(exit.signal === 'SIGKILL' || exit.code === 137);
      },
    },
    {
      name: 'aborting the signal stops the connector',
      async run() {
        const abort = new AbortController();
        const connector = await start('stops-on-request', { signal: abort.signal });
        await firstBytes(connector);
        abort.abort();
        assert.equal((await connector.exit).stopped, true);
      },
    },
  ];
}

const ANSWERS = { spec: 'SPEC', check: 'CONNECTION_STATUS', discover: 'CATALOG' } as const satisfies Record<
  string,
  AnswerType
>;
/** Deadlines that pass at once, and one that never does. */
const SHORT_MS = 50;
const NEVER_MS = 3_600_000;

function deadlineCases({ runtime, image, hasLeft }: RuntimeHarness): RuntimeCase[] {
  const table = [
    ['says-nothing', 'firstMessageMs', 'connector_never_spoke'],
    ['stops-on-request', 'inactivityMs', 'connector_silent'],
    ['stops-on-request', 'runMs', 'connector_run_too_long'],
  ] as const satisfies [Habit, keyof Deadlines, ConnectorErrorCode][];
  return Object.entries(ANSWERS).map(([verb, type], at) => ({
    name: `a connector that hangs in ${verb} is ended, it is said how it hung, and nothing of it is left`,
    async run() {
      const [habit, deadline, code] = table[at] ?? table[0];
      const request = testRun(image(habit), { verb: verb as keyof typeof ANSWERS });
      const connector = await runtime.run(request);
      const deadlines = { firstMessageMs: NEVER_MS, inactivityMs: NEVER_MS, runMs: NEVER_MS, [deadline]: SHORT_MS };
      const answer = await readAnswer(connector, type, { deadlines });
      assert.equal(answer.ok ? 'an answer' : answer.failure.code, code);
      const { pid } = connector;
      if (pid !== undefined) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
      const { execution } = request.labels;
      await until('a container is left', async () => (await hasLeft?.(execution)) !== true);
    },
  }));
}

async function ended(connector: ConnectorProcess) {
  connector.stdout.resume();
  return connector.exit;
}

async function firstBytes(connector: ConnectorProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    connector.stdout.once('readable', resolve);
  });
}

async function until(fault: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await holds()); waited += POLL_MS) {
    assert.ok(waited < HANG_MS, fault);
    await sleep(POLL_MS);
  }
}

/** A check on the code of a ConnectorError. */
function isCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof ConnectorError && error.code === code;
}
