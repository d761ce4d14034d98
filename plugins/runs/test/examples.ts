import {
  cancelRun,
  completeRun,
  createRun,
  downloadLog,
  failRun,
  getRun,
  readLog,
  startRun,
} from '@weir/plugin-runs/contract';
import { type Examples, example } from '../../../test/examples.ts';

const unreached = { why: 'services alone call it, and the fuzzer is a person' };
const body = { orchestrator_run_id: 'x' };

export const examples: Examples = {
  meant: [{ of: [getRun, startRun, completeRun, failRun, cancelRun, readLog, downloadLog], name: 'id', as: 'run_id' }],
  calls: [
    { of: createRun, unreached },
    example(startRun, { body, unreached }),
    example(completeRun, { body, unreached }),
    example(failRun, { body: { ...body, detail: 'x' }, unreached }),
    { of: downloadLog, headers: { accept: 'text/plain' } },
  ],
  seed: async ({ running }) => ({ calls: [{ of: cancelRun, params: { id: (await running()).run_id } }] }),
};
