import type { ChildRegistry, Kernel } from '@weir/kernel';
import type { Settings } from './settings.ts';

export type { ChildRegistry };

/** What the worker program gives the activities of a role. */
export interface WorkerDeps {
  /** The kernel as this plugin's `setup` got it. */
  kernel: Kernel;
  children: ChildRegistry;
  /** Folder for scratch files. */
  workDir: string;
  /** Processor cores that staging may keep busy; all of them unless given. */
  cores?: number;
}

/** The settings of this plugin, as the kernel read them. */
export function settingsOf(kernel: Pick<Kernel, 'settings'>): Settings {
  return kernel.settings as unknown as Settings;
}
