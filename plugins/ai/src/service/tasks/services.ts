import type { DefinitionsService } from '@weir/plugin-transforms/contract';
import type { Assistance } from '../assist.ts';
import type { DatasetSight } from '../sight/datasets.ts';

/** What tasks are carried out with. */
export interface TaskDeps {
  assist: Assistance;
  datasets: DatasetSight;
  definitions: Pick<DefinitionsService, 'validate'>;
}
