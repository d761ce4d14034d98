import type { Answered, Api } from '../kit.ts';

/** A manifest, the API it is for, and the configuration; read twice, the second time from the state and one round on. */
export type Case = {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly api: (round: number) => Api;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly names?: readonly string[];
};

export const param = (field_name: string) => ({ type: 'RequestOption', inject_into: 'request_parameter', field_name });
export const header = (field_name: string) => ({ type: 'RequestOption', inject_into: 'header', field_name });
export const rows = (count: number) => rowsWith(count, () => ({}));
export const rowsWith = <T extends object>(count: number, more: (id: number) => T) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, ...more(index + 1) }));
export const day = (id: number, time = '00:00:00Z') => `2024-01-${String(id).padStart(2, '0')}T${time}`;
export const pageOf = <T>(all: readonly T[], query: URLSearchParams, size: number, first = 1): T[] => {
  const page = Number(query.get('page') ?? first) - first;
  return all.slice(page * size, (page + 1) * size);
};
export const paginator = (pagination_strategy: object, page_token_option: object, more: object = {}) => ({
  paginator: { type: 'DefaultPaginator', pagination_strategy, page_token_option, ...more },
});
export const dated = (more: object = {}) => ({
  type: 'DatetimeBasedCursor',
  cursor_field: 'updated_at',
  datetime_format: '%Y-%m-%dT%H:%M:%SZ',
  start_datetime: day(1),
  end_datetime: day(31),
  start_time_option: param('from'),
  end_time_option: param('to'),
  ...more,
});
export const between = <T extends { updated_at: string }>(all: readonly T[], query: URLSearchParams) =>
  all.filter(({ updated_at }) => updated_at >= (query.get('from') ?? '') && updated_at <= (query.get('to') ?? '9'));
export const unless = (fits: boolean, answer: () => Answered): Answered =>
  fits ? answer() : { status: 400, json: {} };
