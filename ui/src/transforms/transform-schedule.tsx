import type { TransformScheduleView, TransformView } from '@weir/plugin-transforms/contract';
import { listTransformSchedules, putTransformSchedule, transformSchedules } from '@weir/plugin-transforms/contract';
import { useRead } from '../api/queries.ts';
import { Region } from '../parts/region.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { SchedulePanel } from '../schedule/schedule-panel.tsx';
import { useScheduleActions } from '../schedule/use-schedule-actions.ts';
import { useMay } from '../session/person.ts';

/** The schedule of a transform, found by the list: most have none, and that is no error. */
export function TransformSchedule({ transform }: { transform: TransformView }) {
  const query = useRead(listTransformSchedules, { query: { transform_id: transform.transform_id } });
  return (
    <Region query={query}>{({ items: [schedule] }) => <Panel transform={transform} schedule={schedule} />}</Region>
  );
}

interface PanelProps {
  transform: TransformView;
  schedule: TransformScheduleView | undefined;
}

function Panel({ transform, schedule }: PanelProps) {
  const mayChange = useMay(putTransformSchedule) && !transform.archived;
  const actions = useScheduleActions(transformSchedules, { transform_id: transform.transform_id }, schedule?.etag);
  return (
    <SchedulePanel
      key={transform.transform_id}
      schedule={schedule}
      subject={`transform ${transform.name}`}
      actions={mayChange ? actions : undefined}
      runLink={(runId) => <RunLink runId={runId} />}
    />
  );
}
