import { Closed, endpoint, idOf, kernelProblems, Readiness } from '@weir/kernel/contract';
import { readSources } from './access.ts';

/** `GET /sources/{source_id}/readiness` (ours): the list that also decides whether a sync may start. */
export const getSourceReadiness = endpoint({
  id: 'sources.get_readiness',
  method: 'GET',
  path: '/sources/:source_id/readiness',
  summary: 'Check whether a source is ready to sync, and what blocks it',
  access: readSources,
  params: Closed({ source_id: idOf('source') }),
  response: Readiness,
  errors: [kernelProblems.notFound],
  cli: 'sources readiness',
});
