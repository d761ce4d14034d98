import type { Kernel, RunRecord, Tenant } from '@weir/kernel';
import type { InputsService, TableRef, TablesService } from '@weir/plugin-datasets/contract';
import type { WorkLog } from '@weir/work';
import type { ArtifactContent } from '../model/artifact-content.ts';
import type { TransformRunRow } from '../model/entities.ts';
import type { Selects } from '../service/select/selects.ts';
import type { StepPlace } from './step-place.ts';

export interface CarryOutDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  inputs: InputsService;
  tables: TablesService;
  selects: Selects;
}

/** An attempt of a run of a transform, which holds the run's lease. */
export interface TransformAttempt {
  tenant: Tenant;
  run: RunRecord;
  leaseEpoch: number;
  signal: AbortSignal;
  log: WorkLog;
}

/** What the attempt is about, as the run's row and its artifact say. */
export interface Job extends TransformAttempt {
  row: TransformRunRow;
  content: ArtifactContent;
  artifactId: string;
  place: StepPlace;
  ref: TableRef;
  /** Under which the last commit keeps what it stood on. */
  key: string;
}
