import type { HostileDocument } from '../test/corpora/hostile-document.ts';
import { hostileJson } from '../test/corpora/hostile-json.ts';
import { hostileYaml } from '../test/corpora/hostile-yaml.ts';
import { rawRequest } from '../test/raw-request.ts';
import type { BenchResult } from './bench-result.ts';
import { type PlatformProcess, withPlatform } from './platform-process.ts';

const ROUNDS = 5;
const SHOWN = 5;
const CANARY = 'zz-canary-7f3a';

/**
 * How long one hostile body keeps the API's event loop from its other work: each document is sent alone, in rounds, and
 * counts with the median of its longest blocks. Rows: the worst documents of each corpus.
 */
export async function hostile(): Promise<BenchResult> {
  return withPlatform(async (platform) => ({
    suite: 'hostile',
    cases: [
      {
        case: `json, worst of ${hostileJson.length}`,
        marks_ms: await worst(platform, 'application/json', hostileJson),
      },
      {
        case: `yaml, worst of ${hostileYaml.length}`,
        marks_ms: await worst(platform, 'application/yaml', hostileYaml),
      },
    ],
  }));
}

async function worst(
  { api, caller }: PlatformProcess,
  type: string,
  documents: readonly HostileDocument[],
): Promise<Record<string, number>> {
  const headers = Object.entries({ ...caller, 'content-type': type }).map(([name, value]) => `${name}: ${value}`);
  const blocks = new Map<string, number[]>(documents.map(({ what }) => [what, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { what, body } of documents) {
      await api.loopDelay();
      await rawRequest(new URL('/api/v1/sources', api.url), 'POST', headers, Buffer.from(body(CANARY) as string));
      // The first round warms the compiler, as the first requests of a real server do.
      if (round > 0) blocks.get(what)?.push(await api.loopDelay());
    }
  }
  const medians = [...blocks].map(([what, values]) => [what, values.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0] as const);
  return Object.fromEntries(medians.sort(([, a], [, b]) => b - a).slice(0, SHOWN));
}
