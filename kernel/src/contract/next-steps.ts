import { type Static, Type } from '@sinclair/typebox';

/** A step that helps, as it goes over the wire: each surface shows it as its own command, link or call. */
export const NextStep = Type.Object(
  {
    operation: Type.String({ description: 'operationId of the endpoint that does it' }),
    params: Type.Record(Type.String(), Type.String(), {
      description: 'Its parameters of path and query, and members of its body, as texts',
    }),
    text: Type.String({ description: 'What it does, as an imperative' }),
  },
  { description: 'A step that helps' },
);

export type NextStepView = Static<typeof NextStep>;

/** `next` of problems, failures and checks; absent where there is no such step. */
export const NextSteps = Type.Optional(Type.Array(NextStep));

/** A step as a table declares it: `{name}` places of `params` are filled with what is known where it happens. */
export type NextStepEntry = Pick<NextStepView, 'operation' | 'text'> & {
  params?: Readonly<Record<string, string>>;
};

const PLACE = /\{(\w+)\}/g;

/** The steps with their places filled. A step that needs what is not known is left out: no place is ever shown. */
export function nextSteps(
  declared: readonly NextStepEntry[] | undefined,
  known: Readonly<Record<string, unknown>>,
): { next?: NextStepView[] } {
  const next = (declared ?? []).flatMap(({ operation, text, params = {} }) => {
    const isKnown = Object.values(params).every((value) => placesOf(value).every((name) => isText(known[name])));
    const filled = ([name, value]: [string, string]) => [name, value.replace(PLACE, (_, key) => String(known[key]))];
    return isKnown ? [{ operation, params: Object.fromEntries(Object.entries(params).map(filled)), text }] : [];
  });
  return next.length === 0 ? {} : { next };
}

/** Names of the `{name}` places in a text. */
export const placesOf = (text: string): string[] => [...text.matchAll(PLACE)].map(([, name = '']) => name);

const isText = (value: unknown): boolean => ['string', 'number'].includes(typeof value) && value !== '';
