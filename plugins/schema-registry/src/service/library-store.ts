import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Kernel, PlatformService } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import core from '../../libraries/core.json' with { type: 'json' };
import { schemaProblems } from '../contract/problems.ts';
import { type LibraryFile, libraryFaults, libraryRows } from '../model/library.ts';

export interface LibraryDeps {
  sql: PlatformService['sql'];
  log: Kernel['log'];
  /** Folder of libraries beside our own; it need not be there. */
  folder: string;
}

export const libraryFolder = (platformFile: string, folder: string): string => resolve(dirname(platformFile), folder);

const SUFFIX = '.json';
const ID = /^[a-z][a-z0-9-]{0,39}$/;

interface Counts {
  created: number;
  updated: number;
  unchanged: number;
  removed: number;
}

/** Brings libraries from files into the tables that all tenants share. */
export function libraryStore({ sql, log, folder }: LibraryDeps) {
  const read = async (libraryId: string): Promise<LibraryFile> => {
    if (libraryId === core.library_id) return core as LibraryFile;
    const text = ID.test(libraryId) ? await textOf(join(folder, `${libraryId}${SUFFIX}`)) : undefined;
    if (text === undefined) throw kernelProblems.notFound();
    const file = parsed(text);
    const faults = [
      ...libraryFaults(file),
      ...((file as LibraryFile | undefined)?.library_id === libraryId ? [] : ['/library_id']),
    ];
    const errors = [...new Set(faults)].slice(0, 20).map((pointer) => ({ pointer, code: 'invalid' }));
    if (errors.length > 0) throw schemaProblems.libraryInvalid({ errors });
    return file as LibraryFile;
  };

  const compare = async (file: LibraryFile): Promise<Counts> => {
    const { rows } = await sql('select domain, schema_id, digest from schemas.library_schema where library_id = $1', [
      file.library_id,
    ]);
    const before = new Map(rows.map((row) => [`${row.domain}:${row.schema_id}`, row.digest]));
    const after = new Map(libraryRows(file).rows.map((row) => [`${row.domain}:${row.schema_id}`, row.digest]));
    const kept = [...after].filter(([key]) => before.has(key));
    const unchanged = kept.filter(([key, digest]) => before.get(key) === digest).length;
    return {
      created: after.size - kept.length,
      updated: kept.length - unchanged,
      unchanged,
      removed: [...before.keys()].filter((key) => !after.has(key)).length,
    };
  };

  const sync = async (libraryId: string, mode: 'dry_run' | 'apply', prune: boolean) => {
    const file = await read(libraryId);
    const counts = await compare(file);
    if (mode === 'apply') await apply(sql, file, prune);
    return { library_id: libraryId, ...counts };
  };

  return {
    sync,

    /** Loads what is not there as its file has it; a library that cannot be read is logged, and the others are there. */
    async loadAll(): Promise<void> {
      const { rows } = await sql('select library_id, digest from schemas.library', []);
      const loaded = new Map(rows.map((row) => [String(row.library_id), row.digest]));
      for (const libraryId of [core.library_id, ...(await idsIn(folder))]) {
        try {
          const file = await read(libraryId);
          if (loaded.get(libraryId) === libraryRows(file).digest) continue;
          await sync(libraryId, 'apply', true);
          log.info({ library: libraryId }, 'schema library loaded');
        } catch (err) {
          log.error({ err, library: libraryId }, 'schema library not loaded');
        }
      }
    },
  };
}

export type LibraryStore = ReturnType<typeof libraryStore>;

async function idsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
}

const textOf = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One statement: a reader sees the library as it was or as it is. */
const APPLY = `
with given as (
  select * from jsonb_to_recordset($7::jsonb) as one (domain text, schema_id text, version text, title text,
    description text, license text, attribution text, dialect text, digest text, properties integer, words text,
    json_schema text)
), library as (
  insert into schemas.library (library_id, name, version, license, source, attribution, digest, synced_at)
  values ($1, $2, $3, $4, $5, $6, $8, now())
  on conflict (library_id) do update set name = excluded.name, version = excluded.version, license = excluded.license,
    source = excluded.source, attribution = excluded.attribution, digest = excluded.digest, synced_at = excluded.synced_at
), gone as (
  delete from schemas.library_schema as old where $9 and library_id = $1
    and not exists (select from given where given.domain = old.domain and given.schema_id = old.schema_id)
)
insert into schemas.library_schema (library_id, domain, schema_id, version, title, description, license, attribution,
  dialect, digest, properties, words, json_schema)
select $1, domain, schema_id, version, title, description, license, attribution, dialect, digest, properties, words,
  json_schema::json from given
on conflict (library_id, domain, schema_id) do update set version = excluded.version, title = excluded.title,
  description = excluded.description, license = excluded.license, attribution = excluded.attribution,
  dialect = excluded.dialect, digest = excluded.digest, properties = excluded.properties, words = excluded.words,
  json_schema = excluded.json_schema
where schemas.library_schema.digest <> excluded.digest`;

async function apply(sql: LibraryDeps['sql'], file: LibraryFile, prune: boolean): Promise<void> {
  const { rows, digest } = libraryRows(file);
  const { library_id, name, version, license, source, attribution } = file;
  const facts = [library_id, name, version, license, source, attribution];
  await sql(APPLY, [...facts, JSON.stringify(rows), digest, prune]);
}
