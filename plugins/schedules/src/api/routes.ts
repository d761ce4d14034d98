import type { CallContext } from '@weir/kernel';
import { type Endpoint, subjectOf as nameOf } from '@weir/kernel/contract';
import { kindWord, type ScheduleRoute, type SubjectSchedulesService } from '../contract.ts';
import { type SubjectScheduleDeps, scheduleService } from '../service/schedules.ts';
import { subjectOf } from '../service/subjects.ts';

type Service = ReturnType<typeof scheduleService>;

/** A call of any of the routes; which members it has is the endpoint's business. */
interface Call extends CallContext {
  params: Readonly<Record<string, string>>;
  query: Parameters<Service['list']>[1] & Readonly<Record<string, string>> & { queue?: boolean };
  body: Parameters<Service['put']>[1] & { reason?: string };
}

/** The routes that were declared for a kind of subjects, answered by its schedules. */
export function scheduleRoutes(
  deps: SubjectScheduleDeps,
  endpoints: Parameters<SubjectSchedulesService['routes']>[0],
): ScheduleRoute[] {
  const { kind } = endpoints;
  // The plugin of the kind contributes it after it has asked for its routes.
  const service = () => scheduleService(deps, subjectOf(deps, kind));
  const idOf = ({ params }: Call) => params[`${kindWord(kind)}_id`] ?? '';
  const from = (call: Call) => ({ subjectId: idOf(call), by: nameOf(call.principal), ifMatch: call.ifMatch });
  const route = (endpoint: Endpoint, run: (call: Call) => Promise<unknown>): ScheduleRoute => ({ endpoint, run });
  return [
    route(endpoints.get, (call) => service().get(call.tenant, idOf(call))),
    route(endpoints.put, (call) => service().put(call.tenant, call.body, from(call))),
    route(endpoints.remove, (call) => service().remove(call.tenant, idOf(call), call.ifMatch)),
    route(endpoints.pause, (call) => service().pause(call.tenant, call.body.reason, from(call))),
    route(endpoints.resume, (call) => service().resume(call.tenant, from(call))),
    route(endpoints.trigger, (call) =>
      service().trigger(call.tenant, idOf(call), { requestedBy: nameOf(call.principal), queue: call.query.queue }),
    ),
    route(endpoints.list, ({ tenant, query }) => {
      const { [`${kindWord(kind)}_id`]: subjectId, ...request } = query;
      return service().list(tenant, { ...request, subjectId } as Parameters<Service['list']>[1]);
    }),
  ];
}
