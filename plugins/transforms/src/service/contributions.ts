import { contribute, type Kernel } from '@weir/kernel';
import { HealthChecks, ReadinessChecks, RunChanges, RunDrops } from '@weir/kernel/contract';
import { ApplyKinds } from '@weir/plugin-apply/contract';
import { Inputs, TableDeclarations, Tables } from '@weir/plugin-datasets/contract';
import { LineageGivers } from '@weir/plugin-lineage/contract';
import { RunLogs } from '@weir/plugin-platform/contract';
import { RunSubjectNames } from '@weir/plugin-runs/contract';
import { ScheduleSubjects, SubjectSchedules } from '@weir/plugin-schedules/contract';
import { GroupKinds } from '../contract.ts';
import { TransformEntity } from '../model/entities.ts';
import { MATERIALIZATION_KIND, TRANSFORM_KIND } from '../model/run-kinds.ts';
import { dropGroups } from './groups.ts';
import { readinessChecks } from './readiness.ts';
import { followStatus } from './runs.ts';
import { scheduledTransforms } from './schedule-subject.ts';
import { boundChecks } from './select/bound-checks.ts';
import { transformStart } from './starts.ts';
import { declaredOutputs } from './transform/declared-outputs.ts';
import { transformDocuments } from './transform/document-kind.ts';
import { lineageOfTransforms } from './transform/lineage-giver.ts';
import { hasWorker } from './workers.ts';

/** What this plugin adds to points of the kernel and of other plugins. */
export function contributions(kernel: Kernel) {
  const deps = { kernel, inputs: kernel.use(Inputs), tables: kernel.use(Tables), logs: kernel.use(RunLogs) };
  return [
    ...readinessChecks(deps).map((check) => contribute(ReadinessChecks, check)),
    contribute(HealthChecks, { name: 'transform_worker', degrades: true, check: () => hasWorker(kernel) }),
    ...boundChecks().map((check) => contribute(HealthChecks, check)),
    contribute(RunChanges, followStatus),
    contribute(RunDrops, dropGroups),
    contribute(GroupKinds, MATERIALIZATION_KIND),
    transformStart(kernel),
    contribute(TableDeclarations, declaredOutputs(kernel)),
    contribute(ScheduleSubjects, scheduledTransforms(kernel)),
    contribute(ApplyKinds, transformDocuments({ kernel, schedules: kernel.use(SubjectSchedules) })),
    contribute(LineageGivers, lineageOfTransforms(kernel)),
    contribute(RunSubjectNames, {
      subject: 'transform',
      kinds: [TRANSFORM_KIND, MATERIALIZATION_KIND],
      speaks: 'parts',
      async names(tenant, ids) {
        const where = { transformId: { $in: [...ids] } };
        const rows = await kernel.db(tenant).transaction((tx) => tx.find(TransformEntity, where));
        return new Map(rows.map(({ transformId, name }) => [transformId, name]));
      },
    }),
  ];
}
