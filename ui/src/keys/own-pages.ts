import { useHasPlugin } from '../session/with-plugin.tsx';
import { PAGES } from './pages.ts';

/** The pages that the tenant has: those of opt-in plugins only where it has the plugin. */
export function useOwnPages(): readonly (typeof PAGES)[number][] {
  const has = useHasPlugin();
  return PAGES.filter((page) => !('plugin' in page) || has(page.plugin) === true);
}
