import type { Kernel, Repetition } from '@weir/kernel';
import { refuseCredentials } from './credential/refuse-credentials.ts';
import { startCredentialSweeper } from './credential/sweep-credentials.ts';
import { startRotationWriter } from './credential/write-rotated.ts';
import { startConfigSweeper } from './discovery/sweep-configs.ts';
import type { Sql } from './pattern/catalog.ts';
import type { LoadedPatterns } from './pattern/load-patterns.ts';
import { storeFiles } from './pattern/store-files.ts';
import { startUploadSweeper } from './upload/upload-service.ts';

interface Deps {
  kernel: Kernel;
  sql: Sql;
  loaded: LoadedPatterns;
}

/** What the plugin does beside answering calls, from its start to its stop. */
export function background({ kernel, sql, loaded }: Deps) {
  const sweepers: Repetition[] = [];
  const serving: Pick<Repetition, 'stop'>[] = [];
  return {
    async start() {
      await refuseCredentials(kernel);
      await storeFiles(kernel, loaded);
      sweepers.push(startConfigSweeper(kernel), startCredentialSweeper(kernel));
    },
    async serve() {
      serving.push(startUploadSweeper(kernel));
      if (kernel.vault.store !== undefined) serving.push(startRotationWriter(kernel, sql));
    },
    async drain() {
      for (const repeated of serving) await repeated.stop();
    },
    async stop() {
      for (const sweeper of sweepers) await sweeper.stop();
    },
  };
}
