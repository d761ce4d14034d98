import { type DraftState, type PipelineStatus, pipelineProblems } from '../contract.ts';
import type { Noted } from './entities.ts';

/** What decides the state of a pipeline. */
export interface Standing {
  /** Of the steps as they are now. */
  fingerprint: string;
  validated?: Noted | null | undefined;
  /** Fingerprints that were rehearsed with success. */
  rehearsed: readonly string[];
  activeVersion?: number | null | undefined;
  activeFingerprint?: string | null | undefined;
  paused?: object | null | undefined;
}

/** How far the steps as they are now have come. */
export function draftStateOf({ fingerprint, validated, rehearsed, activeFingerprint }: Standing): DraftState {
  if (activeFingerprint === fingerprint) return 'same_as_active';
  if (rehearsed.includes(fingerprint)) return 'sandboxed';
  return validated?.fingerprint === fingerprint ? 'validated' : 'draft';
}

/** The states that follow from what a pipeline has been through. */
export function statesOf(standing: Standing): { status: PipelineStatus; draftState: DraftState } {
  const draftState = draftStateOf(standing);
  if (standing.paused) return { status: 'paused', draftState };
  if (standing.activeVersion) return { status: 'activated', draftState };
  return { status: draftState === 'same_as_active' ? 'sandboxed' : draftState, draftState };
}

/** Throws `pipeline_not_validated` for steps that have not been validated as they are. */
export function assertValidated(standing: Standing): void {
  if (draftStateOf(standing) === 'draft') throw pipelineProblems.pipelineNotValidated();
}

/** Whether steps of this fingerprint, those as they are now unless given, were rehearsed; those that are active were. */
export const isRehearsed = (
  { rehearsed, activeFingerprint, ...standing }: Standing,
  of = standing.fingerprint,
): boolean => rehearsed.includes(of) || activeFingerprint === of;

/** Throws `pipeline_not_sandboxed` for steps of this fingerprint that were not rehearsed. */
export function assertRehearsed(standing: Standing, fingerprint: string): void {
  if (!isRehearsed(standing, fingerprint)) throw pipelineProblems.pipelineNotSandboxed();
}

/** Throws `pipeline_not_activated` where no version is active, `pipeline_paused` for one that is paused. */
export function assertRunnable({ activeVersion, paused }: Standing): void {
  if (!activeVersion) throw pipelineProblems.pipelineNotActivated();
  if (paused) throw pipelineProblems.pipelinePaused();
}

/** Throws `pipeline_not_activated` unless a version is active and the pipeline is not paused. */
export function assertPausable({ activeVersion, paused }: Standing): void {
  if (!activeVersion || paused) throw pipelineProblems.pipelineNotActivated();
}
