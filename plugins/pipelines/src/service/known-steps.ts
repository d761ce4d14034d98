import type { TenantTransaction } from '@weir/kernel';
import type { ArtifactFacts, FactsService, TransformFacts } from '@weir/plugin-transforms/contract';
import type { PipelinePublish } from '../contract.ts';
import type { Step } from '../model/entities.ts';
import { fingerprintOf } from '../model/fingerprint.ts';
import type { StepToJudge } from '../model/validate.ts';

/** A step with the transform and the artifact in force; undefined where it is missing. */
export interface KnownStep extends Step {
  transform: TransformFacts | undefined;
  artifact: ArtifactFacts | undefined;
}

/** What is known of the steps of several pipelines, read at once. With `lock` none of their transforms changes meanwhile. */
export async function knownSteps(
  facts: FactsService,
  tx: TenantTransaction,
  lists: readonly (readonly Step[])[],
  options?: { lock: boolean },
): Promise<KnownStep[][]> {
  const transformIds = lists.flatMap((steps) => steps.map(({ transform_id }) => transform_id));
  const { transforms, artifacts } = await facts.read(tx, { transformIds, ...options });
  return lists.map((steps) =>
    steps.map((step) => {
      const transform = transforms.get(step.transform_id);
      return { ...step, transform, artifact: artifacts.get(transform?.artifactId ?? '') };
    }),
  );
}

/** The fingerprint of steps with the artifacts in force. */
export const fingerprintNow = (steps: readonly KnownStep[], publish: PipelinePublish): string =>
  fingerprintOf(
    steps.map(({ artifact, ...step }) => ({ ...step, artifact_id: artifact?.artifactId ?? null })),
    publish,
  );

export const toJudge = ({ step_id, after, transform, artifact }: KnownStep): StepToJudge => ({
  stepId: step_id,
  after,
  transform,
  artifact,
});
