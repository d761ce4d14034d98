import { until } from '../../../test/until.ts';
import { cancelSync, getSyncStatus, startSync } from '../src/contract.ts';
import { type Api, ended, ok } from './platform.ts';

interface Test {
  match(found: unknown, wanted: unknown, message: string): unknown;
}

/** The run of a sync that fails; one that would be tried again is cancelled behind its first attempt. */
export async function firstFailure(t: Test, api: Api, source_id: string) {
  const { run_id } = ok(await api(startSync, { params: { source_id } }));
  const query = { run_id };
  const failed = await until('a failure', async () => {
    const { run } = ok(await api(getSyncStatus, { params: { source_id }, query }));
    return run?.is_terminal || run?.streams[0]?.failure != null ? run : undefined;
  });
  if (failed.is_terminal) t.match(failed.failure, failed.streams[0]?.failure ?? {}, 'the run fails as its stream');
  else {
    await api(cancelSync, { params: { sync_run_id: run_id } });
    await ended(api, source_id, run_id);
  }
  return failed;
}
