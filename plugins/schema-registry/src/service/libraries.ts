import { decodePageToken, encodePageToken, type PlatformService } from '@weir/kernel';
import { type Input, kernelProblems, type Output } from '@weir/kernel/contract';
import {
  type getLibrarySchema,
  type LibrarySchemaView,
  type listDomainSchemas,
  SMART_DATA_MODELS,
  type searchLibraries,
} from '../contract/libraries.ts';
import { ngsiTypes } from '../model/library.ts';
import { searchIndex } from './search.ts';

const DEFAULT_LIMIT = 50;
const DEFAULT_HITS = 20;
const NO_MODELS =
  'The smart data models are not loaded. An operator brings them with `npm run libraries -- sdm` and loads them by a start, or with `weir schemas sync-catalog`.';
const SUMMARY = 'library_id, domain, schema_id, version, title, description, license, properties, words, digest';

type Row = Record<string, unknown>;
type Detail = Output<typeof getLibrarySchema>;

interface Loaded {
  libraries: Row[];
  schemas: (LibrarySchemaView & { words: string })[];
  index: Awaited<ReturnType<typeof searchIndex>>;
}

/** The libraries as every tenant sees them. */
export function libraryService(sql: PlatformService['sql']) {
  let kept: { digests: string; loaded: Promise<Loaded> } | undefined;
  const load = async (libraries: Row[]): Promise<Loaded> => {
    const { rows } = await sql(`select ${SUMMARY} from schemas.library_schema order by 1, 2, 3`, []);
    const schemas = rows.map((row) => ({ ...summaryOf(row), words: String(row.words) }));
    const index = await searchIndex(schemas.map(({ full_id: id, title, words }) => ({ id, title, words })));
    return { libraries, schemas, index };
  };
  /** Summaries lie in memory until a library changes. */
  const current = async (): Promise<Loaded> => {
    const { rows: libraries } = await sql('select * from schemas.library order by library_id', []);
    const digests = libraries.map(({ library_id, digest, synced_at }) => `${library_id} ${digest} ${synced_at}`).join();
    if (kept?.digests !== digests) {
      const loaded = load(libraries);
      kept = { digests, loaded };
      // The next call asks the database again.
      loaded.catch(() => {
        kept = undefined;
      });
    }
    return kept.loaded;
  };
  const inLibrary = async (libraryId: string) => {
    const { libraries, schemas } = await current();
    const library = libraries.find(({ library_id }) => library_id === libraryId);
    if (library === undefined) throw kernelProblems.notFound();
    return { library, schemas: schemas.filter(({ library_id }) => library_id === libraryId) };
  };
  const detail = async ({ library_id, domain, schema_id }: LibrarySchemaView): Promise<Detail> => {
    const { rows } = await sql(
      'select * from schemas.library_schema where library_id = $1 and domain = $2 and schema_id = $3',
      [library_id, domain, schema_id],
    );
    const [row] = rows;
    if (row === undefined) throw kernelProblems.notFound();
    const types = ngsiTypes(row.json_schema);
    const digest = String(row.digest);
    return {
      ...summaryOf(row),
      dialect: row.dialect as Detail['dialect'],
      attribution: String(row.attribution),
      digest,
      etag: digest,
      ngsi: types === undefined ? null : { types },
      json_schema: row.json_schema,
    };
  };
  return {
    async list() {
      const { libraries, schemas } = await current();
      const items = libraries.map((row) => {
        const own = schemas.filter(({ library_id }) => library_id === row.library_id);
        const text = (name: string) => String(row[name]);
        return {
          library_id: text('library_id'),
          name: text('name'),
          version: text('version'),
          license: text('license'),
          source: text('source'),
          domains: new Set(own.map(({ domain }) => domain)).size,
          schemas: own.length,
          synced_at: new Date(text('synced_at')).toISOString(),
        };
      });
      return { items, next_page_token: null, total: items.length };
    },

    async domains(libraryId: string) {
      const items = domainsOf((await inLibrary(libraryId)).schemas);
      const titled = items.map(({ domain, schemas }) => ({ domain, title: spaced(domain), schemas }));
      return { items: titled, next_page_token: null, total: items.length };
    },

    async schemas(libraryId: string, domain: string, query: Input<typeof listDomainSchemas>['query']) {
      const own = (await inLibrary(libraryId)).schemas.filter((one) => one.domain === domain);
      if (own.length === 0) throw kernelProblems.notFound();
      const { limit = DEFAULT_LIMIT, page_token: token } = query ?? {};
      const list = ['library-schemas', libraryId, domain];
      const after = token === undefined ? '' : decodePageToken(list, token).id;
      const rest = own.filter(({ schema_id }) => schema_id > after);
      const shown = rest.slice(0, limit);
      const last = shown.at(-1);
      const more = last !== undefined && rest.length > limit;
      const next = more ? encodePageToken(list, { value: null, id: last.schema_id }) : null;
      return { items: shown, next_page_token: next, total: own.length };
    },

    async get(libraryId: string, schemaId: string): Promise<Detail> {
      const { schemas } = await inLibrary(libraryId);
      const named = schemas.filter(
        (one) => schemaId === one.schema_id || schemaId === `${one.domain}:${one.schema_id}`,
      );
      const [only, another] = named;
      if (only === undefined || another !== undefined) throw kernelProblems.notFound();
      return detail(only);
    },

    async byFullId(fullId: string): Promise<Detail> {
      const [plain, version] = fullId.split('@');
      const found = (await current()).schemas.find((one) => one.full_id === plain);
      if (found === undefined || (version !== undefined && version !== found.version)) throw kernelProblems.notFound();
      return detail(found);
    },

    async search({ q, library_id, domain, type, limit = DEFAULT_HITS }: Input<typeof searchLibraries>['query']) {
      const { index, schemas } = await current();
      const byId = new Map(schemas.map((one) => [one.full_id, one]));
      const isAsked = (one: LibrarySchemaView) =>
        (library_id === undefined || one.library_id === library_id) &&
        (domain === undefined || one.domain === domain) &&
        (type === undefined || one.schema_id.toLowerCase() === type.toLowerCase());
      const asked = (id: string) => {
        const one = byId.get(id);
        return one !== undefined && isAsked(one);
      };
      const hits = index.find(q, { limit, isAsked: asked });
      const items = hits.map(({ id, score, highlights }) => {
        return { full_id: id, title: byId.get(id)?.title ?? '', score, highlights };
      });
      return { items };
    },

    async smartDataModels() {
      const { libraries, schemas } = await current();
      const library = libraries.find(({ library_id }) => library_id === SMART_DATA_MODELS);
      if (library === undefined)
        return { version: null, subjects: [], schemas: 0, attribution: null, license: null, hint: NO_MODELS };
      const own = schemas.filter(({ library_id }) => library_id === SMART_DATA_MODELS);
      const { version, attribution, license } = library;
      return {
        version: String(version),
        subjects: domainsOf(own),
        schemas: own.length,
        attribution: String(attribution),
        license: String(license),
        hint: null,
      };
    },
  };
}

export type Libraries = ReturnType<typeof libraryService>;

function summaryOf(row: Row): LibrarySchemaView {
  const text = (name: string) => String(row[name]);
  const [library_id, domain, schema_id] = [text('library_id'), text('domain'), text('schema_id')];
  return {
    full_id: `${library_id}:${domain}:${schema_id}`,
    library_id,
    domain,
    schema_id,
    title: text('title'),
    description: text('description'),
    version: text('version'),
    license: text('license'),
    properties: Number(row.properties),
  };
}

function domainsOf(schemas: readonly LibrarySchemaView[]): { domain: string; schemas: number }[] {
  const counts = new Map<string, number>();
  for (const { domain } of schemas) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  return [...counts].map(([domain, count]) => ({ domain, schemas: count }));
}

/** `PointOfInterest` as `Point Of Interest`. */
const spaced = (domain: string): string => domain.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
