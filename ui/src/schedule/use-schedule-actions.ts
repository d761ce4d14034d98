import type { ScheduleEndpoints } from '@weir/plugin-schedules/contract';
import { useChange } from '../api/queries.ts';
import type { ScheduleActions } from './schedule-panel.tsx';

/** Changes go to the schedule that is shown: one that somebody changed meanwhile is not overwritten. */
export function useScheduleActions<K extends string>(
  endpoints: ScheduleEndpoints<K>,
  id: Record<`${K}_id`, string>,
  etag: string | undefined,
): ScheduleActions {
  // Which member of the address has the id does not matter here.
  const every = endpoints as unknown as ScheduleEndpoints;
  const params: Record<`${string}_id`, string> = id;
  const headers: Record<string, string> = etag === undefined ? {} : { 'if-match': `"${etag}"` };
  const put = useChange(every.put);
  const pause = useChange(every.pause);
  const resume = useChange(every.resume);
  const trigger = useChange(every.trigger);
  const remove = useChange(every.remove);
  const all = [put, pause, resume, trigger, remove];
  const begin = <T>(work: () => Promise<T>) => {
    for (const one of all) one.reset();
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
