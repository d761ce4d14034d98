import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type Kernel, Refusal } from '@weir/kernel';
import { fileStore, lokiStore, type RunLogStore } from '@weir/run-logs';
import type { PlatformSettings } from '../settings.ts';
import { segmentIndex } from './segment-index.ts';

type LogSettings = Pick<PlatformSettings, 'LOG_STORE_URL' | 'LOG_STORE_AUTH_TOKEN' | 'WEIR_RUN_LOG_DIR'>;

/**
 * The log store that the settings name: a Loki-compatible one by its address, else files. Throws a `Refusal` for settings
 * that do not fit each other; outside of development a folder must be named, as one for temporary files is no place for logs.
 */
export function openStore(kernel: Pick<Kernel, 'db' | 'mode'>, settings: LogSettings): RunLogStore {
  const { LOG_STORE_URL: url, LOG_STORE_AUTH_TOKEN: token, WEIR_RUN_LOG_DIR: root } = settings;
  const faults = [
    ...(url === undefined && token !== undefined ? ['LOG_STORE_AUTH_TOKEN needs a LOG_STORE_URL'] : []),
    ...(url === undefined || isBase(url)
      ? []
      : ['LOG_STORE_URL must be an http or https URL without credentials, query and fragment']),
    ...(root === undefined || isAbsolute(root) ? [] : ['WEIR_RUN_LOG_DIR must be an absolute path']),
    ...(url === undefined && root === undefined && kernel.mode !== 'development'
      ? ['WEIR_RUN_LOG_DIR or LOG_STORE_URL is required outside of development: logs of runs have no other place']
      : []),
  ];
  if (faults.length > 0) throw new Refusal('configuration refused', faults);
  if (url !== undefined) return lokiStore({ url, token: token?.reveal() });
  return fileStore({ root: root ?? join(tmpdir(), 'weir-run-logs'), index: segmentIndex(kernel) });
}

/** Whether paths can be put behind a URL. Credentials in it would end up in messages. */
function isBase(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  return `${url.username}${url.password}${url.search}${url.hash}` === '' && !text.endsWith('?');
}
