import { gzipSync } from 'node:zlib';
import { manifest, retriever } from '../kit.ts';
import { type Case, header, pageOf, paginator, param, rows, unless } from './case.ts';

const pages: Case = {
  manifest: manifest({
    retriever: retriever(
      { authenticator: { type: 'BearerAuthenticator', api_token: "{{ config['token'] }}" } },
      paginator(
        { type: 'PageIncrement', page_size: 3, start_from_page: 1, inject_on_first_request: true },
        param('page'),
        {
          page_size_option: param('limit'),
        },
      ),
    ),
  }),
  config: { token: 'tok-en' },
  api:
    () =>
    ({ query, headers }) =>
      unless(headers.authorization === 'Bearer tok-en' && query.get('limit') === '3', () => ({
        json: { data: pageOf(rows(9), query, 3) },
      })),
};

const offsets: Case = {
  manifest: manifest({
    retriever: retriever(
      {
        authenticator: { type: 'ApiKeyAuthenticator', api_token: "{{ config['key'] }}", inject_into: header('X-Key') },
        request_parameters: {
          kind: "{{ config['kind'] }}",
          empty: "{{ config['nothing'] }}",
          number: '{{ 1 + 1 }}',
          plain: '007',
        },
        request_headers: { 'X-More': "{{ config['kind'] | upper }}" },
      },
      {
        ...paginator({ type: 'OffsetIncrement', page_size: "{{ config['size'] }}" }, param('offset'), {
          page_size_option: header('X-Limit'),
        }),
        record_selector: {
          type: 'RecordSelector',
          extractor: { type: 'DpathExtractor', field_path: ['data', '*', 'inner'] },
          record_filter: { type: 'RecordFilter', condition: '{{ record.id % 2 == 1 }}' },
        },
      },
    ),
  }),
  config: { key: 'a key', kind: 'all & more', size: 4 },
  api:
    () =>
    ({ query, headers }) =>
      unless(
        headers['x-key'] === 'a key' &&
          headers['x-limit'] === '4' &&
          headers['x-more'] === 'ALL & MORE' &&
          query.get('kind') === 'all & more' &&
          query.get('number') === '2' &&
          query.get('plain') === '007' &&
          !query.has('empty'),
        () => {
          const from = Number(query.get('offset') ?? 0);
          return {
            json: {
              data: rows(10)
                .slice(from, from + 4)
                .map((inner) => ({ inner })),
            },
          };
        },
      ),
};

const cursors: Case = {
  manifest: manifest({
    retriever: retriever(
      {
        http_method: 'POST',
        request_body_json: { filter: { kind: "{{ config['kind'] }}", ids: [1, '{{ 2 }}'] }, all: true },
      },
      paginator(
        {
          type: 'CursorPagination',
          cursor_value: "{{ response.get('next') }}",
          stop_condition: "{{ not response.get('next') }}",
        },
        { type: 'RequestOption', inject_into: 'body_json', field_path: ['page', 'token'] },
      ),
    ),
  }),
  config: { kind: 'x' },
  api:
    () =>
    ({ body, method, headers }) => {
      const { filter, all, page } = JSON.parse(body) as { filter: unknown; all: unknown; page?: { token: string } };
      const fits = method === 'POST' && headers['content-type'] === 'application/json' && all === true;
      const at = page === undefined ? 0 : Number(page.token.slice(1));
      const json = { data: rows(7).slice(at, at + 3), ...(at + 3 < 7 ? { next: `t${at + 3}` } : {}) };
      return unless(fits && JSON.stringify(filter) === '{"kind":"x","ids":[1,2]}', () => ({ json }));
    },
};

const links: Case = {
  manifest: manifest({
    retriever: retriever(
      {
        authenticator: {
          type: 'BasicHttpAuthenticator',
          username: "{{ config['user'] }}",
          password: "{{ config['word'] }}",
        },
        request_parameters: { per: '2' },
      },
      {
        ...paginator(
          {
            type: 'CursorPagination',
            cursor_value: "{{ headers['link']['next']['url'] if 'next' in headers['link'] else '' }}",
          },
          { type: 'RequestPath' },
        ),
        record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [] } },
      },
    ),
  }),
  config: { user: 'me', word: 'pass:word' },
  api:
    () =>
    ({ query, headers }) =>
      unless(headers.authorization === `Basic ${btoa('me:pass:word')}` && query.getAll('per').join() === '2', () => {
        const page = Number(query.get('page') ?? 1);
        const next = `<http://${headers.host}/items?per=2&page=${page + 1}>; rel="next", <http://${headers.host}/>; rel="first"`;
        return { json: pageOf(rows(5), query, 2), headers: page < 3 ? { link: next } : {} };
      }),
};

const shapes: Case = {
  manifest: manifest({
    $parameters: { path: '/things', name: 'items' },
    name: '',
    schema_loader: {
      type: 'InlineSchemaLoader',
      schema: {
        type: 'object',
        properties: { id: { type: 'string' }, count: { type: ['null', 'integer'] }, on: { type: 'boolean' } },
      },
    },
    retriever: {
      ...retriever({ path: "{{ parameters['path'] }}" }),
      record_selector: {
        type: 'RecordSelector',
        extractor: { type: 'DpathExtractor', field_path: ['data'] },
        schema_normalization: 'Default',
      },
    },
    transformations: [
      { type: 'RemoveFields', field_pointers: [['secret'], ['deep', 'gone']] },
      { type: 'KeysToSnakeCase' },
      {
        type: 'AddFields',
        fields: [
          { path: ['label'], value: "{{ record['full_name'] | default('nobody') }}" },
          { path: ['kind'], value: "{{ 'big' if record.id > 1 else 'small' }}" },
          { path: ['text'], value: '{{ record.id }}', value_type: 'string' },
        ],
      },
    ],
  }),
  api:
    () =>
    ({ path }) =>
      unless(path === '/things', () => ({
        json: {
          data: [
            { id: 1, count: '12', on: 'true', secret: 's', deep: { gone: 1, keptHere: 2 }, FullName: 'Ann' },
            { id: 2, count: null, on: false, deep: {}, '2ndValue': [1, { aB: 2 }] },
          ],
        },
      })),
};

const errors: Case = (() => {
  const tries = { count: 0 };
  return {
    manifest: manifest({
      retriever: retriever(
        {
          error_handler: {
            type: 'CompositeErrorHandler',
            error_handlers: [
              {
                type: 'DefaultErrorHandler',
                max_retries: 3,
                backoff_strategies: [{ type: 'ConstantBackoffStrategy', backoff_time_in_seconds: 0.01 }],
                response_filters: [
                  { type: 'HttpResponseFilter', action: 'RETRY', predicate: "{{ response.get('error') == 'again' }}" },
                ],
              },
              {
                type: 'DefaultErrorHandler',
                response_filters: [{ type: 'HttpResponseFilter', action: 'IGNORE', http_codes: [404] }],
              },
            ],
          },
        },
        paginator({ type: 'PageIncrement', page_size: 2, start_from_page: 1 }, param('page')),
      ),
    }),
    api:
      () =>
      ({ query }) => {
        tries.count += 1;
        if (tries.count % 2 === 1) return { status: 200, json: { error: 'again' } };
        const page = Number(query.get('page') ?? 1);
        return page > 2 ? { status: 404, json: {} } : { json: { data: pageOf(rows(4), query, 2) } };
      },
  };
})();

const decoders: Case = {
  manifest: {
    ...manifest({
      retriever: {
        ...retriever({ path: '/lines' }),
        decoder: { type: 'JsonlDecoder' },
        record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [] } },
      },
    }),
  },
  api: () => () => ({
    body: '{"id":1,"v":"a"}\n{"id":2,"v":null}\n',
    headers: { 'content-type': 'application/x-ndjson' },
  }),
};

const tables: Case = {
  manifest: manifest({
    retriever: {
      ...retriever({ path: '/table' }),
      decoder: { type: 'GzipDecoder', decoder: { type: 'CsvDecoder', delimiter: ';' } },
      record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [] } },
    },
  }),
  api: () => () => ({
    body: gzipSync('id;name\n1;"a;b"\n2;"say ""hi"""\n'),
    headers: { 'content-type': 'application/gzip' },
  }),
};

const documents: Case = {
  manifest: manifest({
    retriever: {
      ...retriever({ path: '/document' }),
      decoder: { type: 'XmlDecoder' },
      record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['shops', 'shop'] } },
    },
  }),
  api: () => () => ({
    body: `<?xml version="1.0"?><!-- shops --><shops a="b">
      <shop id="1"><name>A &amp; B</name><tag>x</tag><tag>y</tag></shop>
      <shop id="2"><name><![CDATA[<C>]]></name><owner since="2020">D</owner><size>12.50</size></shop>
    </shops>`,
    headers: { 'content-type': 'application/xml' },
  }),
};

export const REQUEST_CASES: Readonly<Record<string, Case>> = {
  pages,
  offsets,
  cursors,
  links,
  shapes,
  errors,
  decoders,
  tables,
  documents,
};
