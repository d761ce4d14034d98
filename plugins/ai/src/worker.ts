import type { Kernel } from '@weir/kernel';
import { workerDoor } from '@weir/work';
import { aiServices } from './service/services.ts';
import type { AiSettings } from './settings.ts';
import { aiRuns } from './work/carry-out.ts';

/** The worker side: pipelines are composed and schemas matched by the role for general work. */
export const worker = workerDoor({
  at: import.meta.url,
  runs: aiRuns,
  kit: ({ kernel }) => ({ kernel, ...aiServices(kernel as Kernel<AiSettings>) }),
});
