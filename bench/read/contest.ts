import type { Teardown } from '@weir/kernel/testing';
import { testIssuer } from '@weir/kernel/testing';
import { apiProcess } from '../../test/api-process.ts';
import { platformEnvironment } from '../../test/platform.ts';
import type { Lake } from '../lake.ts';
import { columnCounter, type ReadContest } from './read-shapes.ts';

const DATASET = 'bronze.acme.people';

/** The API as a process of its own over the lake's database and files, and its caller in this one. */
export async function contestOf(
  lake: Lake,
  t: Teardown,
  {
    rows,
    metadataLocation,
    environment,
  }: { rows: number; metadataLocation: string; environment: Record<string, string> },
): Promise<ReadContest> {
  const issuer = await testIssuer(t);
  const own = platformEnvironment({ database: lake.database, issuer, folder: lake.folder });
  const api = await apiProcess(t, { ...own, ...environment });
  const token = await issuer.userToken({ organizations: ['acme'], roles: ['viewer'] });
  const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': 'acme' };
  const counter = columnCounter(metadataLocation);
  t.teardown(() => counter.close());
  return {
    rows,
    countBy: counter.countBy,
    async page(query) {
      const url = new URL(`/api/v1/datasets/${DATASET}/preview?${new URLSearchParams([...query])}`, api.url);
      const answer = await fetch(url, { headers });
      if (!answer.ok) throw new Error(`the preview answered ${answer.status}: ${await answer.text()}`);
      return ((await answer.json()) as { rows: unknown[] }).rows.length;
    },
  };
}
