import { type Static, Type } from '@sinclair/typebox';
import { Closed, contributionPoint, endpoint, Nullable, OneOf, permission } from '@weir/kernel/contract';

const MAX_WORDS_CHARS = 200;
const words = (description: string) => Type.String({ minLength: 1, maxLength: MAX_WORDS_CHARS, description });
const Words = Type.String({ minLength: 1, maxLength: MAX_WORDS_CHARS });
const Operation = Type.String({ pattern: '^[a-z_]+\\.[a-z_]+$', description: 'Id of an endpoint of the plugin' });
const Member = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A member of the answer; `a.b` is one within',
});

const WAYS = [Type.Literal('text'), Type.Literal('time'), Type.Literal('number'), Type.Literal('id')];
const Column = Closed({
  name: Member,
  title: Words,
  as: Type.Optional(Type.Union(WAYS, { description: 'text unless given' })),
});
const Action = Closed({
  operation: Operation,
  label: Words,
  confirm: Type.Optional(words('Asked before it is done')),
});
const Actions = Type.Array(Action, { minItems: 1, maxItems: 5 });
const Columns = Type.Array(Column, { minItems: 1, maxItems: 20 });

/** What a page is made of, by kind. */
export const UI_BLOCKS = {
  /** Rows of an endpoint that lists; parameters of an action are members of its row. */
  list: Closed({
    kind: Type.Literal('list'),
    title: Words,
    read: Operation,
    columns: Columns,
    empty: Type.Optional(words('Shown in place of no rows')),
    actions: Type.Optional(Actions),
  }),
  /** Members of one answer. */
  facts: Closed({ kind: Type.Literal('facts'), title: Words, read: Operation, facts: Columns }),
  /** The body of an endpoint, as a form. */
  form: Closed({ kind: Type.Literal('form'), title: Words, operation: Operation, submit: Words }),
  /** Endpoints that want nothing. */
  actions: Closed({ kind: Type.Literal('actions'), title: Words, actions: Actions }),
};
export type UiBlock = { [K in keyof typeof UI_BLOCKS]: Static<(typeof UI_BLOCKS)[K]> }[keyof typeof UI_BLOCKS];

const part = (description: string) => Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$', description });
const head = {
  plugin: part('Id of the plugin'),
  name: part('Its name in the address: /pages/<plugin>/<name>'),
  title: Words,
};

const Kind = Type.Union(Object.keys(UI_BLOCKS).map((kind) => Type.Literal(kind)));

/** A page as a plugin declares it; blocks are checked by their kind. */
export const UiPageDocument = Closed({
  version: Type.Literal('ui/v1'),
  ...head,
  description: Type.Optional(Words),
  blocks: Type.Array(Type.Object({ kind: Kind }), { minItems: 1, maxItems: 20 }),
});
export interface UiPage extends Omit<Static<typeof UiPageDocument>, 'blocks'> {
  blocks: readonly UiBlock[];
}

/** Pages of plugins, which the web pages show to whoever may read them. */
export const UiPages = contributionPoint<UiPage>('ui.page');

/** An endpoint that a page uses, with what its form needs. */
export const UiOperation = Type.Object({
  operation: Type.String(),
  method: OneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: Type.String({ description: 'With `:name` parameters, below /api/v1' }),
  role: OneOf(['viewer', 'pipeline_editor', 'admin'], { description: 'The weakest role that may call it' }),
  body: Nullable(Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema' })),
});
export type UiOperationView = Static<typeof UiOperation>;

export const ShownPage = Type.Object({
  ...head,
  description: Nullable(Type.String()),
  blocks: Type.Array(Type.Union(Object.values(UI_BLOCKS))),
  operations: Type.Array(UiOperation),
});

/** `GET /ui/pages` */
export const listUiPages = endpoint({
  id: 'ui.list_pages',
  method: 'GET',
  path: '/ui/pages',
  summary: 'List the pages that plugins bring, for the tenant',
  description: 'Those of plugins that the tenant has. What a role may not call is not offered by the web pages.',
  access: permission('ui:read', 'viewer'),
  response: Type.Object({ items: Type.Array(ShownPage) }),
});
