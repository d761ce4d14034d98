import { manifest, retriever } from '../kit.ts';
import { between, type Case, dated, day, pageOf, paginator, param, rows, rowsWith } from './case.ts';

const windows: Case = {
  manifest: manifest({
    retriever: retriever(),
    incremental_sync: dated({ step: 'P10D', cursor_granularity: 'PT1S', lookback_window: 'P1D' }),
  }),
  api: (round) => {
    const all = rowsWith(20 + round * 3, (id) => ({ updated_at: day(id, '12:00:00Z') }));
    return ({ query }) => ({ json: { data: between(all, query) } });
  },
};

const formats: Case = {
  manifest: manifest({
    retriever: retriever({ request_parameters: { since: "{{ stream_interval['begin'] }}" } }),
    incremental_sync: {
      type: 'DatetimeBasedCursor',
      cursor_field: 'updated_at',
      datetime_format: '%s',
      cursor_datetime_formats: ['%Y-%m-%dT%H:%M:%S.%f%z'],
      start_datetime: {
        type: 'MinMaxDatetime',
        datetime: "{{ config['start'] }}",
        datetime_format: '%Y-%m-%d',
        min_datetime: '2024-01-03',
      },
      end_datetime: { type: 'MinMaxDatetime', datetime: '2024-02-01', datetime_format: '%Y-%m-%d' },
      partition_field_start: 'begin',
    },
  }),
  config: { start: '2024-01-01' },
  api:
    (round) =>
    ({ query }) => {
      const all = rowsWith(8 + round, (id) => ({
        updated_at: `2024-01-${String(id).padStart(2, '0')}T10:00:00.123456+02:00`,
      }));
      return {
        json: { data: all.filter(({ updated_at }) => Date.parse(updated_at) / 1000 >= Number(query.get('since'))) },
      };
    },
};

const lists: Case = {
  manifest: manifest({
    primary_key: 'id',
    retriever: retriever(
      { path: "/{{ stream_partition['shop'] }}/items" },
      {
        partition_router: [
          { type: 'ListPartitionRouter', cursor_field: 'shop', values: "{{ config['shops'] }}" },
          { type: 'ListPartitionRouter', cursor_field: 'kind', values: ['new', 'used'], request_option: param('kind') },
        ],
      },
    ),
    incremental_sync: dated(),
    transformations: [
      {
        type: 'AddFields',
        fields: [
          { path: ['shop'], value: '{{ stream_slice.shop }}' },
          { path: ['nested', 'twice'], value: '{{ record.id * 2 }}' },
        ],
      },
    ],
  }),
  config: { shops: ['north', 'south'] },
  api:
    (round) =>
    ({ path, query }) => {
      const shift = path.startsWith('/north') ? 0 : 5;
      const all = rowsWith(4 + round, (id) => ({
        updated_at: day(id + shift + (query.get('kind') === 'new' ? 10 : 0)),
      }));
      return { json: { data: between(all, query) } };
    },
};

const parent = {
  type: 'DeclarativeStream',
  name: 'shops',
  retriever: retriever(
    { path: '/shops' },
    paginator({ type: 'PageIncrement', page_size: 2, start_from_page: 1 }, param('page')),
  ),
};

const substreams: Case = {
  manifest: {
    ...manifest({
      retriever: retriever(
        { path: '/shops/{{ stream_partition.shop_id }}/items' },
        {
          partition_router: {
            type: 'SubstreamPartitionRouter',
            parent_stream_configs: [
              {
                type: 'ParentStreamConfig',
                stream: '#/definitions/shops',
                parent_key: 'id',
                partition_field: 'shop_id',
              },
            ],
          },
        },
      ),
      incremental_sync: dated(),
      transformations: [{ type: 'AddFields', fields: [{ path: ['shop'], value: '{{ stream_slice.shop_id }}' }] }],
    }),
    definitions: { shops: parent },
  },
  api:
    (round) =>
    ({ path, query }) => {
      if (path === '/shops') return { json: { data: pageOf(rows(3 + round), query, 2) } };
      const shop = Number(path.split('/')[2]);
      const all = rowsWith(shop === 2 ? 0 : 2 + round, (id) => ({ updated_at: day(id * 3 + shop) }));
      return { json: { data: between(all, query) } };
    },
};

const feed: Case = {
  manifest: manifest({
    retriever: retriever({}, paginator({ type: 'PageIncrement', page_size: 2, start_from_page: 1 }, param('page'))),
    incremental_sync: { ...dated(), is_data_feed: true, start_time_option: undefined, end_time_option: undefined },
  }),
  api: (round) => {
    const all = rowsWith(7 + round * 2, (id) => ({ updated_at: day(id) })).reverse();
    return ({ query }) => ({ json: { data: pageOf(all, query, 2) } });
  },
};

export const CURSOR_CASES: Readonly<Record<string, Case>> = { windows, formats, lists, substreams, feed };
