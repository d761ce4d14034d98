import type { Kernel, Tenant } from '@weir/kernel';
import type { Output } from '@weir/kernel/contract';
import { type getTransformDetail, TRANSFORM_SUBJECT, type TransformView } from '../../contract.ts';
import { ArtifactEntity } from '../../model/entities.ts';

export interface DetailDeps {
  kernel: Pick<Kernel, 'db' | 'readiness'>;
  transforms: { get(tenant: Tenant, transformId: string): Promise<TransformView> };
}

/** A transform with all that decides whether it can run. */
export function detailService({ kernel, transforms }: DetailDeps) {
  return {
    async get(tenant: Tenant, transformId: string): Promise<Output<typeof getTransformDetail>> {
      const transform = await transforms.get(tenant, transformId);
      const { artifact_id: artifactId } = transform;
      const artifact =
        artifactId === null
          ? undefined
          : await kernel.db(tenant).transaction((tx) => tx.findOne(ArtifactEntity, { artifactId }));
      const readiness = await kernel.readiness(tenant, TRANSFORM_SUBJECT, transformId);
      const can_run_now = readiness.checks.every(({ status }) => status !== 'fail');
      return { ...transform, can_run_now, readiness, artifact: artifact?.content ?? null };
    },
  };
}
