import {
  getSchedule,
  putSchedule,
  type ScheduleView,
  type SourceView,
  sourceSchedules,
} from '@weir/plugin-sources/contract';
import { useRead } from '../../api/queries.ts';
import { Region } from '../../parts/region.tsx';
import { SchedulePanel } from '../../schedule/schedule-panel.tsx';
import { useScheduleActions } from '../../schedule/use-schedule-actions.ts';
import { useMay } from '../../session/person.ts';
import { LogLink } from './live-sync.tsx';

/** The schedule of a source. */
export function SourceSchedule({ source }: { source: SourceView }) {
  const query = useRead(
    getSchedule,
    { params: { source_id: source.source_id } },
    { enabled: source.schedule !== null },
  );
  if (source.schedule === null) return <Panel source={source} schedule={undefined} />;
  return <Region query={query}>{(schedule) => <Panel source={source} schedule={schedule} />}</Region>;
}

function Panel({ source, schedule }: { source: SourceView; schedule: ScheduleView | undefined }) {
  const mayChange = useMay(putSchedule);
  const actions = useScheduleActions(sourceSchedules, { source_id: source.source_id }, schedule?.etag);
  return (
    <SchedulePanel
      key={source.source_id}
      schedule={schedule}
      subject={`source ${source.name}`}
      actions={mayChange ? actions : undefined}
      runLink={(runId) => <LogLink sourceId={source.source_id} runId={runId} />}
    />
  );
}
