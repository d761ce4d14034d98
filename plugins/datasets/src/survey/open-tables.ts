import type { Kernel } from '@weir/kernel';
import { createScanner, jdbcCatalog, openStore, restCatalog } from '@weir/lakehouse';
import { Events } from '@weir/plugin-platform/contract';
import { checkSettings, type DatasetSettings, expiryOf } from '../settings.ts';
import { tableScanner } from '../store/table-folders.ts';
import type { TableDeps } from '../store/table-store.ts';

/** The tables by the settings of a deployment, and what maintenance needs beside; each process opens them for itself. */
export function openMaintenance(kernel: Kernel<DatasetSettings>) {
  const { settings } = kernel;
  const { warehouse, store, folders, catalog: place } = checkSettings(settings);
  const io = openStore(store);
  const catalogName = settings.TABLE_CATALOG;
  const catalog = jdbcCatalog({ catalogName });
  const remote =
    place.kind === 'rest' ? restCatalog({ uri: place.uri, catalogName, token: () => place.token }) : undefined;
  const scanner = tableScanner({ scanner: createScanner({ io }), folders, log: kernel.log });
  const deps: TableDeps & { io: typeof io } = {
    ...{ kernel: kernel as unknown as Kernel, catalog, remote, io, scanner, warehouse, store },
    events: kernel.use(Events),
  };
  return { ...deps, catalogName, folders, expiry: expiryOf(settings) };
}
