import type { Proof } from '../proof.ts';

interface OpenApi {
  paths: Record<string, Record<string, { 'x-access'?: unknown }>>;
}

/** Streams of events never end; they are read by their place in the database. */
const ENDLESS = new Set(['/api/v1/events']);
const CALLERS = ['admin', 'operator'] as const;

/**
 * Reads every GET route of the API description with what ids there are, so that a route of a later plugin is read by
 * being declared. What is answered does not matter, but for an error of the server.
 */
export async function readEverything({ platform, effort, fault }: Proof): Promise<void> {
  const { body } = await platform.call({ method: 'GET', path: '//openapi.json' });
  const { paths = {} } = body as unknown as OpenApi;
  const ids = await knownIds(platform);
  for (const [route, methods] of Object.entries(paths)) {
    if (methods.get === undefined || ENDLESS.has(route)) continue;
    for (const names of route.includes('{') ? ids : ids.slice(0, 1))
      for (const who of effort === 'short' ? CALLERS.slice(0, 1) : CALLERS) {
        const path = route.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'none');
        const { status } = await platform.call({ method: 'GET', path: `/${path}`, label: route, who });
        if (status === 500) fault(`GET ${route} was answered 500`);
      }
  }
}

/** For a source of each pattern what its routes are named by. */
async function knownIds(platform: Proof['platform']): Promise<Record<string, string>[]> {
  const rows = await platform.sql(
    `select distinct on (s.pattern_id) s.source_id, s.pattern_id, (select run_id from kernel.run r where r.subject_id = s.source_id
       order by run_id desc limit 1) as run_id,
     (select stream_id from sources.stream t where t.source_id = s.source_id limit 1) as stream_id
     from sources.source s order by s.pattern_id, s.created_at`,
  );
  return rows.map((row) => {
    const text = (name: string) => String(row[name] ?? 'none');
    const run = text('run_id');
    return {
      ...{ source_id: text('source_id'), pattern_id: text('pattern_id'), stream_id: text('stream_id') },
      ...{ run_id: run, sync_run_id: run, workflow_id: run, replay_run_id: run, table: 'none', code: 'not_found' },
      ...{ dataset_id: 'bronze.acme.none', alias: 'acme', file: 'explorer.js' },
    };
  });
}
