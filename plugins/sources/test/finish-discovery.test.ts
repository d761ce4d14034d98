import { Producers } from '@weir/plugin-datasets/contract';
import type { RunLogEntry } from '@weir/plugin-platform/contract';
import t from 'tap';
import { DiscoveryEntity } from '../src/discovery/entity.ts';
import { finishDiscovery } from '../src/discovery/run-discovery.ts';
import type { Pattern } from '../src/pattern/pattern-file.ts';
import { DISCOVERY_KIND } from '../src/run-kinds.ts';
import { sharedStatesWorld } from './shared-states-world.ts';

const FOUND = {
  ...{ name: 'rows', namespace: null, schema: {}, supported_sync_modes: ['full_refresh' as const], discovered: {} },
  ...{ source_defined_cursor: false, default_cursor_field: null, source_defined_primary_key: null },
};

t.test('a discovery whose streams cannot be stored has failed, and its log says nothing else on the way', async (t) => {
  const { kernel, tenant, source, database, tables } = await sharedStatesWorld(t);
  const sourceId = await source('shop', []);
  const { kind } = DISCOVERY_KIND;
  const begun = async () => {
    await database.peek("update sources.source set status = 'discovering'");
    const run = { kind, subjectId: sourceId, requestedBy: 'test', admitted: { kind, warning: null } };
    const runId = await kernel.db(tenant).transaction(async (tx) => {
      const { run_id: runId } = await kernel.runs.start(tx, run);
      const own = { runId, discoveryId: sourceId, sourceId, patternId: 'files', createdAt: new Date() };
      await tx.insert(DiscoveryEntity, { ...own, applies: true, phase: 'waiting', streams: [FOUND] });
      return runId;
    });
    await kernel.runs.begin(tenant, runId);
    return runId;
  };
  /** The end of a discovery whose attempt went well, and the lines that were told of it meanwhile. */
  const ended = async (runId: string) => {
    const told: unknown[] = [];
    const write = ({ step, fields }: RunLogEntry) => void told.push([step, fields?.status]);
    const runLogs = { open: () => ({ write, take: async () => undefined, close: async () => undefined }) };
    const services = { tables, producers: kernel.use(Producers) };
    const patterns = { of: async () => ({ stream_defaults: { write_mode: 'append' } }) as Pattern };
    await finishDiscovery({ kernel, services, patterns, runLogs }, tenant, runId, { status: 'succeeded' });
    const run = await kernel.runs.find(tenant, runId);
    return { told, status: run?.status, code: run?.failure?.code };
  };

  await database.peek('alter table sources.stream add constraint none_is_stored check (false) not valid');
  const failed = await begun();
  t.match(await ended(failed), { told: [['end', 'failed']], status: 'failed', code: 'run_failed' });
  t.match(await ended(failed), { told: [], status: 'failed' }, 'a run that has ended is told of no more');
  await database.peek('alter table sources.stream drop constraint none_is_stored');
  t.match(await ended(await begun()), { told: [['end', 'succeeded']], status: 'succeeded', code: undefined });
  const stored = await database.peek('select name, enabled, sync_mode, write_mode from sources.stream');
  const wanted = { name: 'rows', enabled: false, sync_mode: 'full_refresh', write_mode: 'append' };
  t.strictSame(stored, [wanted], 'as its pattern wants new streams to be');
});
