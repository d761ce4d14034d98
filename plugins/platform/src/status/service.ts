import type { Kernel, PlatformService } from '@weir/kernel';
import type { PlatformStatusView, ServiceHealthView } from '../contract.ts';
import type { HealthMonitor } from './health.ts';

export interface StatusDeps {
  mode: Kernel['mode'];
  platform: Pick<PlatformService, 'version' | 'release' | 'startedAt' | 'manifests'>;
  health: HealthMonitor;
  /** Whether new runs are taken. */
  isOpen(): Promise<boolean>;
}

/** The platform as a whole; names and states only, never where a part is or why it is down. */
export function statusService({ mode, platform, health, isOpen }: StatusDeps) {
  return {
    async status(): Promise<PlatformStatusView> {
      const [parts, open] = await Promise.all([health.parts(), isOpen()]);
      return {
        version: platform.version,
        release_sha: platform.release.sha,
        mode,
        started_at: platform.startedAt.toISOString(),
        uptime_seconds: Math.floor((Date.now() - platform.startedAt.getTime()) / 1000),
        ready: allUp(parts),
        parts: Object.fromEntries(parts.map(({ name, status }) => [name, status])),
        admission: open ? 'open' : 'closed',
        plugins: platform.manifests().length,
      };
    },
    async services(): Promise<{ healthy: boolean; items: ServiceHealthView[] }> {
      const items = await health.parts();
      return { healthy: allUp(items), items };
    },
  };
}

const allUp = (parts: readonly ServiceHealthView[]) => parts.every(({ status }) => status === 'up');
