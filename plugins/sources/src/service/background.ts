import type { Kernel } from '@weir/kernel';
import { checkSeals, refuseCredentials } from './credential/refuse-credentials.ts';
import { credentialSweep } from './credential/sweep-credentials.ts';
import { rotationWriter } from './credential/write-rotated.ts';
import { configSweep } from './discovery/sweep-configs.ts';
import type { Sql } from './pattern/catalog.ts';
import type { LoadedPatterns } from './pattern/load-patterns.ts';
import { storeFiles } from './pattern/store-files.ts';
import { uploadSweep } from './upload/upload-service.ts';

interface Deps {
  kernel: Kernel;
  sql: Sql;
  loaded: LoadedPatterns;
}

/** What the plugin does beside answering calls. */
export function background({ kernel, sql, loaded }: Deps) {
  return {
    duties: [
      configSweep(kernel),
      credentialSweep(kernel),
      checkSeals(kernel),
      uploadSweep(kernel),
      ...(kernel.vault.store === undefined ? [] : [rotationWriter(kernel, sql)]),
    ],
    async start() {
      await refuseCredentials(kernel, sql);
      await storeFiles(kernel, loaded);
    },
  };
}
