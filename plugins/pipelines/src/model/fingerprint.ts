import { canonicalSha256 } from '@weir/kernel';
import type { PipelinePublish } from '../contract.ts';

/** A step with what it carries out. */
interface Carried {
  step_id: string;
  transform_id: string;
  artifact_id: string | null;
  after: readonly string[];
}

/** SHA-256 over what runs of these steps would do; the order in which they are listed changes nothing. */
export function fingerprintOf(steps: readonly Carried[], publish: PipelinePublish): string {
  const carried = steps.map(({ step_id, transform_id, artifact_id, after }) => {
    return { step_id, transform_id, artifact_id, after: after.toSorted() };
  });
  return canonicalSha256({ publish, steps: carried.toSorted((a, b) => (a.step_id < b.step_id ? -1 : 1)) });
}
