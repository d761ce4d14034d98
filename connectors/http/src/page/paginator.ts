import { createHash } from 'node:crypto';
import { parseExact } from '@weir/connector-sdk';
import { fault } from '../fault.ts';
import { conditionIn, flagIn, numberIn, type Part, partIn, templateIn } from '../manifest/part.ts';
import type { Answer } from '../request/answer.ts';
import { injectorOf, mergeOptions, NO_OPTIONS, type Options } from '../request/request-options.ts';
import { type Dictionary, isTrue, textOf, type Value } from '../template/value.ts';
import { linksOf } from './links.ts';

/** How often the same answer may come in a row before the pages count as going round. */
const MAX_SAME_PAGES = 10;

/** What is known of a page after it was read. */
export type ReadPage = {
  readonly answer: Answer;
  /** How many records the answer held, before any were left out. */
  readonly count: number;
  readonly last: Value;
  readonly slice: Dictionary;
};

export type Paginator = {
  readonly first: () => Value;
  /** The token of the page behind one; null when that was the last. */
  readonly next: (token: Value, page: ReadPage) => Value;
  /** What a request of a page carries. */
  readonly options: (token: Value) => Options;
  /** The address of a page, where the token is one. */
  readonly address: (token: Value) => string | undefined;
};

const ONE_PAGE: Paginator = {
  first: () => null,
  next: () => null,
  options: () => NO_OPTIONS,
  address: () => undefined,
};

/** How a component goes from page to page. */
export function paginatorOf(part: Part | undefined, config: Dictionary): Paginator {
  if (part === undefined || part.type === 'NoPagination') return ONE_PAGE;
  const strategy = partIn(part, 'pagination_strategy') as Part;
  const size = numberIn(strategy, 'page_size', config);
  const [sizeOption, tokenOption] = [partIn(part, 'page_size_option'), partIn(part, 'page_token_option')];
  if (sizeOption !== undefined && size === undefined)
    throw fault('manifest_invalid', { at: sizeOption.at, what: 'there is no page_size to send' });
  const isPath = tokenOption?.type === 'RequestPath';
  const injectSize = sizeOption === undefined ? undefined : injectorOf(sizeOption, config);
  const injectToken = tokenOption === undefined || isPath ? undefined : injectorOf(tokenOption, config);
  return {
    ...strategyOf(strategy, size, config),
    options: (token) =>
      mergeOptions([
        injectSize === undefined || size === undefined ? NO_OPTIONS : injectSize(size),
        injectToken === undefined || token === null ? NO_OPTIONS : injectToken(token),
      ]),
    address: (token) => (isPath && token !== null ? textOf(token) : undefined),
  };
}

function strategyOf(part: Part, size: number | undefined, config: Dictionary): Pick<Paginator, 'first' | 'next'> {
  if (part.type === 'CursorPagination') return cursorStrategy(part, size, config);
  const isPages = part.type === 'PageIncrement';
  const start = isPages ? (numberIn(part, 'start_from_page', config) ?? 0) : 0;
  const injectsFirst = flagIn(part, 'inject_on_first_request', config);
  return {
    first: () => (injectsFirst ? start : null),
    next(token, { count }) {
      if (count === 0 || (size !== undefined && count < size)) return null;
      const at = typeof token === 'number' ? token : start;
      return at + (isPages ? 1 : count);
    },
  };
}

const NAMES = ['response', 'headers', 'last_record', 'last_page_size', 'page_size', 'stream_slice'];

function cursorStrategy(part: Part, size: number | undefined, config: Dictionary): Pick<Paginator, 'first' | 'next'> {
  const value = templateIn(part, 'cursor_value', NAMES);
  const stops = conditionIn(part, 'stop_condition', NAMES);
  return {
    first: () => null,
    next(_token, { answer, count, last, slice }) {
      const scope: Dictionary = {
        config,
        response: responseOf(answer),
        headers: { ...answer.headers, link: linksOf(answer.headers.link) },
        last_record: last,
        last_page_size: count,
        page_size: size ?? null,
        stream_slice: slice,
      };
      if (stops?.(scope) === true) return null;
      const token = value?.value(scope) ?? null;
      return isTrue(token) ? token : null;
    },
  };
}

function responseOf({ body }: Answer): Value {
  try {
    return body.length === 0 ? {} : (parseExact(body.toString('utf8')) as Value);
  } catch {
    return {};
  }
}

/** Notices pages that go round: a token that was there before, or the same answer again and again. */
export function loopGuard(at: string): (token: Value, page: ReadPage) => void {
  const tokens = new Set<string>();
  let last = '';
  let same = 0;
  return (token, { answer, count }) => {
    const key = createHash('sha256').update(JSON.stringify(token)).digest('base64');
    const content = createHash('sha256').update(answer.body).digest('base64');
    same = count > 0 && content === last ? same + 1 : 0;
    last = content;
    if (tokens.has(key) || same >= MAX_SAME_PAGES) throw fault('paging_loop', { at });
    tokens.add(key);
  };
}
