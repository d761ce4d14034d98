import type { TestPlatform } from '../../platform.ts';
import { GENERATED, plain, table } from './markdown.ts';

const MS_PER_SECOND = 1_000;

/** `docs/reference/metrics.md`: every metric that an API process registers, and the duties that one of them counts. */
export async function metricsPage({ metrics, duties }: TestPlatform['platform']): Promise<string> {
  const all = [...(await metrics.counted()), ...(await metrics.gauges())];
  const rows = all
    .map(({ name, type, help }) => [`\`${name}\``, String(type), plain(help)])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const done = duties
    .map(({ name, everyMs, where }) => [`\`${name}\``, `${everyMs / MS_PER_SECOND} s`, where])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return `# Metrics

${GENERATED} [GET /api/v1/metrics](api.md#get-apiv1metrics) and \`weir ops metrics\` show them, summed over all processes. No label
names a tenant. Workers add metrics of their own.

${table(['metric', 'type', 'meaning'], rows)}

## Duties

A duty serves every tenant at an interval, in one API process at a time. A tenant that fails is logged with its id and the name of
the duty, at most once an hour, and holds up no other: \`weir_duty_tenants_total\` counts it with \`outcome="failed"\`.

${table(['duty', 'every', 'role'], done)}

A deployment with a secret store also has \`sources.rotations\`, every second.
`;
}
