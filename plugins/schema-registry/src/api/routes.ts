import { type AnyRoute, handle, unchanged } from '@weir/kernel';
import { subjectOf } from '@weir/kernel/contract';
import * as endpoints from '../contract.ts';
import type { Checks } from '../service/checks.ts';
import type { discoverService } from '../service/discover.ts';
import type { Libraries } from '../service/libraries.ts';
import type { LibraryStore } from '../service/library-store.ts';
import { searchIndex } from '../service/search.ts';
import { incompatible, type Subjects } from '../service/subjects.ts';

export interface RouteServices {
  subjects: Subjects;
  checks: Checks;
  libraries: Libraries;
  store: LibraryStore;
  discover: ReturnType<typeof discoverService>;
}

const FIELD_NAMES: Readonly<Record<string, string>> = { id: 'subject' };

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes(services: RouteServices): AnyRoute[] {
  return [...libraryRoutes(services), ...registryRoutes(services)];
}

function libraryRoutes({ libraries, store, checks }: RouteServices): AnyRoute[] {
  return [
    handle(endpoints.listLibraries, () => libraries.list()),
    handle(endpoints.listDomains, ({ params }) => libraries.domains(params.library_id)),
    handle(endpoints.listDomainSchemas, ({ params, query }) =>
      libraries.schemas(params.library_id, params.domain, query),
    ),
    handle(endpoints.getLibrarySchema, ({ params }) => libraries.get(params.library_id, params.schema_id)),
    handle(endpoints.getSchemaByFullId, ({ params }) => libraries.byFullId(params.full_id)),
    handle(endpoints.searchLibraries, ({ query }) => libraries.search(query)),
    handle(endpoints.validateByLibrary, ({ params, body, signal }) => checks.byLibrary(params.full_id, body, signal)),
    handle(endpoints.getSmartDataModels, () => libraries.smartDataModels()),
    handle(endpoints.syncCatalog, ({ body: { library_id, mode, prune = false } }) =>
      store.sync(library_id, mode, prune),
    ),
  ];
}

function registryRoutes({ subjects, checks, discover }: RouteServices): AnyRoute[] {
  return [
    handle(endpoints.listSubjects, ({ tenant, query }) => subjects.list(tenant, query)),
    handle(endpoints.registerSchema, async ({ tenant, principal, body: { dry_run, ...body } }) => {
      if (dry_run) return unchanged((await subjects.plan(tenant, body)).registered);
      const planned = await subjects.register(tenant, subjectOf(principal), body);
      if (planned.result === 'incompatible') throw incompatible(planned.registered);
      return planned.result === 'created' ? planned.registered : unchanged(planned.registered);
    }),
    handle(endpoints.bulkRegister, ({ tenant, principal, body }) => subjects.bulk(tenant, subjectOf(principal), body)),
    handle(endpoints.discoverAndRegister, async ({ tenant, principal, body, call }) => {
      const { answer, isMade } = await discover(tenant, subjectOf(principal), body, call);
      return isMade ? answer : unchanged(answer);
    }),
    handle(endpoints.listSchemaVersions, ({ tenant, params, query }) =>
      subjects.versions(tenant, params.subject, query),
    ),
    handle(endpoints.getSchemaVersion, ({ tenant, params }) =>
      subjects.version(tenant, params.subject, params.version),
    ),
    handle(endpoints.changeSchemaVersion, ({ tenant, params, body, ifMatch }) =>
      subjects.change(tenant, params, { ...body, ifMatch }),
    ),
    handle(endpoints.differSchemaVersions, ({ tenant, params, query }) =>
      subjects.difference(tenant, params, query?.to),
    ),
    handle(endpoints.searchRegistry, async ({ tenant, body: { q, subject = '', fields, limit = 20 } }) => {
      const heads = (await subjects.heads(tenant)).filter((head) => head.subject.startsWith(subject));
      const byId = new Map(heads.map((head) => [head.subject, head]));
      const items = heads.map(({ subject: id, title, words }) => ({ id, title, words }));
      const asked = fields?.map((field) => (field === 'subject' ? 'id' : field));
      const hits = (await searchIndex(items)).find(q, { limit, ...(asked && { fields: asked }) });
      return {
        items: hits.flatMap(({ id, score, highlights }) => {
          const head = byId.get(id);
          if (head === undefined) return [];
          const { latest: version, title, status } = head;
          const shown = highlights.map(({ field, text }) => ({ field: FIELD_NAMES[field] ?? field, text }));
          return [{ subject: id, version, title, status, score, highlights: shown }];
        }),
      };
    }),
    handle(endpoints.validateSchema, ({ tenant, body, signal }) => checks.check(tenant, body, signal)),
  ];
}
