import type { Input } from '@weir/kernel/contract';
import { createPolicy } from '../../identity/src/contract.ts';
import { createPipeline } from '../../pipelines/src/contract.ts';
import { bulkStreams, createSource, pauseSchedule, putSchedule } from '../../sources/src/contract.ts';
import { createTransform, putTransformSchedule } from '../../transforms/src/contract.ts';
import { changeWebhook, createWebhook } from '../../webhooks/src/contract.ts';
import { bodyOf, policy, URL, type World } from './kit.ts';

type Call = Awaited<ReturnType<World['as']>>;

export const SCHEMA = { type: 'object', properties: { id: { type: 'integer' }, Größe: { type: 'string' } } };

/** A source of every shape that a document has: streams, settings, a paused schedule. */
export async function furnishSource(call: Call, name: string, path: string): Promise<string> {
  const body = { name, pattern_id: 'files', source_config: { path } };
  const { source_id } = bodyOf(await call(createSource, { body }));
  const params = { source_id };
  const streams: Input<typeof bulkStreams>['body']['streams'] = [
    { name: 'Müller & Söhne', schema: SCHEMA, enabled: true, write_mode: 'append' },
    { name: 'orders', schema: SCHEMA, primary_key: [['id']], write_mode: 'merge', sync_mode: 'full_refresh' },
  ];
  bodyOf(await call(bulkStreams, { params, body: { streams } }));
  const times = { cron: ['0  6 * * mon-fri'], timezone: 'Europe/Kyiv', overlap: 'buffer_one' as const };
  bodyOf(await call(putSchedule, { params, body: times }));
  bodyOf(await call(pauseSchedule, { params, body: {} }));
  return source_id;
}

/** Transforms by statement and by pattern, policies and a webhook. */
export async function furnishRest(call: Call, scope: string): Promise<void> {
  const sql = `select id, 'bronze.${scope}.x' as note -- bronze.${scope}.y
from bronze.${scope}.shop__orders o join "silver"."${scope}".b using (id)`;
  const daily = {
    name: 'daily',
    sql,
    output: `gold.${scope}.daily`,
    materialization: 'merge' as const,
    key: ['id'],
    description: 'Orders by day',
    tags: ['shop'],
    checks: [
      { name: 'known', kind: 'relationship' as const, column: 'id', to: `silver.${scope}.b`, to_column: 'id' },
      { name: 'few', kind: 'sql' as const, sql: `select * from result where id in (select id from bronze.${scope}.z)` },
    ],
  };
  const { transform_id } = bodyOf(await call(createTransform, { body: daily }));
  bodyOf(await call(putTransformSchedule, { params: { transform_id }, body: { interval_seconds: 3_600 } }));
  const parameters = { input: `bronze.${scope}.shop__orders`, key: ['id'], order_by: [{ column: 'id' }] };
  const once = { name: 'once', pattern_id: 'deduplicate', parameters, output: `silver.${scope}.once` };
  const { transform_id: deduplicated } = bodyOf(await call(createTransform, { body: once }));
  const steps = [
    { step_id: 'only-once', transform_id: deduplicated, after: ['daily'] },
    { step_id: 'daily', transform_id },
  ];
  const pipeline = { name: 'both', description: 'Müller & Söhne', steps, publish: 'each' as const };
  bodyOf(await call(createPipeline, { body: pipeline }));
  const { document } = policy('x').spec as { document: { cedar: string } };
  bodyOf(await call(createPolicy, { body: { name: 'careful', kind: 'access', document, status: 'active' } }));
  const hook = { name: 'pager', url: URL, events: ['run.recovered' as const, 'run.failed' as const] };
  const { webhook_id } = bodyOf(await call(createWebhook, { body: hook }));
  bodyOf(await call(changeWebhook, { params: { webhook_id }, body: { status: 'paused' } }));
}
