import type { Segment, SegmentIndex } from '../files/segment.ts';

/** An index that is gone with its process. */
export function memoryIndex(): SegmentIndex {
  const runs = new Map<string, Map<number, Segment>>();
  return {
    async put({ tenantId, runId }, segment) {
      const key = `${tenantId}/${runId}`;
      const known = runs.get(key) ?? new Map<number, Segment>();
      runs.set(key, known.set(segment.firstSeq, segment));
    },
    list: async ({ tenantId, runId }) => [...(runs.get(`${tenantId}/${runId}`)?.values() ?? [])],
    remove: async ({ tenantId, runId }) => void runs.delete(`${tenantId}/${runId}`),
  };
}
