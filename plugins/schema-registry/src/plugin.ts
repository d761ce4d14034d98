import { definePlugin, Platform } from '@weir/kernel';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { routes } from './api/routes.ts';
import { schemaProblems } from './contract/problems.ts';
import { SchemaVersionEntity, SubjectEntity } from './model/entities.ts';
import { checkService } from './service/checks.ts';
import { discoverService } from './service/discover.ts';
import { libraryService } from './service/libraries.ts';
import { libraryFolder, libraryStore } from './service/library-store.ts';
import { registering } from './service/registry.ts';
import { datasetRows } from './service/rows.ts';
import { subjectService } from './service/subjects.ts';
import { schemaThreads } from './service/threads.ts';
import { settings } from './settings.ts';

/** Schemas to agree on: libraries that come with the release, and a registry of the tenant's own. */
export default definePlugin({
  id: 'schema-registry',
  settings,
  entities: [SubjectEntity, SchemaVersionEntity],
  problems: {
    ...schemaProblems,
    invalidDatasetId: datasetProblems.invalidDatasetId,
    datasetNotReadable: datasetProblems.datasetNotReadable,
  },
  setup(kernel) {
    const threads = schemaThreads();
    const subjects = subjectService({ kernel, threads }, registering({ kernel, threads }));
    const { sql } = kernel.use(Platform);
    const libraries = libraryService(sql);
    const folder = libraryFolder(kernel.settings.WEIR_PLATFORM, kernel.settings.WEIR_SCHEMA_LIBRARIES);
    const store = libraryStore({ sql, log: kernel.log, folder });
    const datasets = datasetRows(kernel);
    const checks = checkService({
      threads,
      datasets,
      sources: { subject: subjects.version, library: libraries.byFullId },
    });
    return {
      routes: routes({ subjects, checks, libraries, store, discover: discoverService({ datasets, subjects }) }),
      serve: () => store.loadAll(),
      stop: () => threads.stop(),
    };
  },
});
