import {
  deleteSchedule,
  getSchedule,
  pauseSchedule,
  putSchedule,
  resumeSchedule,
  type ScheduleView,
  type SourceView,
  triggerSchedule,
} from '@weir/plugin-sources/contract';
import { useChange, useRead } from '../../api/queries.ts';
import { Region } from '../../parts/region.tsx';
import { type ScheduleActions, SchedulePanel } from '../../schedule/schedule-panel.tsx';
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
  const actions = useActions(source.source_id, schedule?.etag);
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

/** Changes go to the schedule that is shown: one that somebody changed meanwhile is not overwritten. */
function useActions(source_id: string, etag: string | undefined): ScheduleActions {
  const params = { source_id };
  const headers: Record<string, string> = etag === undefined ? {} : { 'if-match': `"${etag}"` };
  const put = useChange(putSchedule);
  const pause = useChange(pauseSchedule);
  const resume = useChange(resumeSchedule);
  const trigger = useChange(triggerSchedule);
  const remove = useChange(deleteSchedule);
  const all = [put, pause, resume, trigger, remove];
  const anew = () => {
    for (const one of all) one.reset();
  };
  const begin = <T,>(work: () => Promise<T>) => {
    anew();
    return work();
  };
  return {
    put: (body) => begin(() => put.mutateAsync({ params, body, headers })),
    pause: (reason) => begin(() => pause.mutateAsync({ params, body: reason === '' ? {} : { reason }, headers })),
    resume: () => begin(() => resume.mutateAsync({ params, headers })),
    trigger: () => begin(() => trigger.mutateAsync({ params })),
    remove: () => begin(() => remove.mutateAsync({ params, headers })),
    isPending: all.some(({ isPending }) => isPending),
    error: all.map(({ error }) => error).find((error) => error !== null) ?? null,
  };
}
