import {
  type ContainerRuntime,
  containerRuntime,
  type ImageReference,
  parseImageReference,
  platformFailure,
  type RunImage,
  readAnswer,
} from '@weir/connector-runtime';
import type { RunLogsService } from '@weir/plugin-platform/contract';
import { type Failure, type LeasedRun, RunFailed, run, type WorkKit } from '@weir/work';
import type { SourceFailureCode } from '../../contract/failures.ts';
import { type SeenFailure, scrubbedFailure, sourceFailure, verdictFailure } from '../../model/failure/failure.ts';
import { isAllowedRegistry } from '../../model/inspection/allowed-registry.ts';
import { childLog } from '../../model/log/child-log.ts';
import { readSpecDocument, type SpecDocument, type SpecFault } from '../../model/pattern/spec-document.ts';
import { INSPECTION_KIND } from '../../model/run-kinds.ts';
import { attemptScrubbers } from '../../model/scrub/attempt-scrubbers.ts';
import { keepFound, readInspection } from '../../service/inspection/rows.ts';
import { settingsOf } from '../../settings.ts';
import { pullTeller } from '../discovery/ask-connector.ts';
import { lastUnlessOurs } from '../discovery/run-discovery.ts';
import { tellPhase } from '../discovery/tell-phase.ts';
import type { RoleEngine } from '../runtime/role-engine.ts';

const MS_PER_SECOND = 1_000;
const BYTES_PER_MIB = 1024 ** 2;

/** Failures of an image that is no connector: it does not answer `spec`. */
const NOT_A_CONNECTOR: readonly string[] = [
  ...['connector_no_answer', 'connector_usage', 'connector_failed', 'connector_crashed'],
  ...['connector_never_spoke', 'connector_silent', 'connector_run_too_long', 'protocol_violation'],
];

const SPEC_FAILURES = {
  destination: 'connector_is_destination',
  too_large: 'spec_too_large',
} as const satisfies Partial<Record<SpecFault, SourceFailureCode>>;

interface InspectionDeps extends WorkKit {
  engine: RoleEngine;
  runLogs: RunLogsService;
}

/** A look at one image, which keeps what it says of its configuration. */
export const inspecting = run<InspectionDeps>(INSPECTION_KIND, (given, deps) =>
  inspected(deps, given).catch(lastUnlessOurs),
);

async function inspected(deps: InspectionDeps, given: LeasedRun): Promise<void> {
  const { kernel, tenant, run, leaseEpoch, signal, log, beat } = given;
  const { runId } = run;
  const settings = settingsOf(kernel);
  const phase = tellPhase(kernel, { tenant, runId, leaseEpoch }, 'inspection');
  phase.enter('preparing');
  try {
    const row = await kernel.db(tenant).transaction((tx) => readInspection(tx.sql, runId));
    if (row === undefined) throw new RunFailed(sourceFailure('run_failed'));
    const choice = await deps.engine.prepare();
    if (choice.kind === 'process') throw new RunFailed(sourceFailure('connector_engine_absent'));
    const runtime = containerRuntime({ ...choice, mode: kernel.mode, isProven: true });
    const asked = parseImageReference(row.image);
    const { pull, onPull } = pullTeller({ log, phase, beat });
    const image = await runtime.resolve({
      ...{ image: row.image, signal, onPull },
      mayPull: isAllowedRegistry(asked.repository, settings.WEIR_CONNECTOR_REGISTRIES),
      maxPullBytes: settings.WEIR_CONNECTOR_MAX_IMAGE_MIB * BYTES_PER_MIB,
    });
    pull.runs(image);
    phase.enter('describing');
    const reference = pinnedReference(asked, image);
    const document = row.givenSpec ?? (await askSpec(deps, given, { runtime, reference, image }));
    await kernel.db(tenant).transaction(async (tx) => {
      await kernel.runs.assertLease(tx, runId, leaseEpoch);
      await keepFound(tx, runId, { reference, document });
    });
    log.write({ level: 'info', step: 'spec', message: `the image is one of a source connector: ${reference}` });
  } finally {
    await phase.told();
    await deps.engine.endAttempt({ execution: runId, attempt: String(leaseEpoch) });
  }
}

/** The image with its digest, and with the tag that it was asked for by. */
function pinnedReference({ repository, tag, digest }: ImageReference, image: RunImage): string {
  const said = tag ?? (digest === undefined ? 'latest' : undefined);
  return `${repository}${said === undefined ? '' : `:${said}`}@${image.digest}`;
}

/** Runs `spec` as a discovery would, without any configuration. */
async function askSpec(
  { runLogs }: InspectionDeps,
  { kernel, tenant, run, leaseEpoch, signal, log }: LeasedRun,
  { runtime, reference, image }: { runtime: ContainerRuntime; reference: string; image: RunImage },
): Promise<SpecDocument> {
  const said = childLog({ secrets: [], maxLines: runLogs.maxLines, send: (lines) => log.take(lines).then(said.taken) });
  const { runId } = run;
  try {
    const connector = await runtime.run({
      ...{ image: reference, pinned: image.id, mayPull: false, verb: 'spec', role: 'discovery', signal },
      labels: { tenant: tenant.tenantId, source: runId, execution: runId, attempt: String(leaseEpoch) },
      onStderr: said.stderr,
    });
    const ms = settingsOf(kernel).WEIR_CHECK_MAX_SECONDS * MS_PER_SECOND;
    const deadlines = { firstMessageMs: ms, inactivityMs: ms, runMs: ms };
    const answer = await readAnswer(connector, 'SPEC', { deadlines, onSaid: said.said });
    if (!answer.ok) throw new RunFailed(refusal(verdictFailure(answer.failure)));
    const document = readSpecDocument(answer.message);
    if (typeof document !== 'string') return document;
    throw new RunFailed(specFailure(document));
  } finally {
    await said.end();
  }
}

function specFailure(fault: SpecFault): Failure {
  if (fault === 'destination' || fault === 'too_large') return sourceFailure(SPEC_FAILURES[fault]);
  return verdictFailure(platformFailure('connector_spec_invalid'));
}

/** What an image failed with, in the words of who wanted a connector. */
function refusal(failure: SeenFailure): Failure {
  const { text } = attemptScrubbers([]);
  if (!NOT_A_CONNECTOR.includes(failure.code)) return scrubbedFailure(failure, text);
  const { said } = failure;
  return scrubbedFailure({ ...sourceFailure('not_a_connector'), ...(said === undefined ? {} : { said }) }, text);
}
