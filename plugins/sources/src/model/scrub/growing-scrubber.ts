import { createScrubber, type Scrubber } from '@weir/connector-runtime';

/** A scrubber that learns more credentials while it is used, as a connector may renew those that it was given. */
export interface GrowingScrubber extends Scrubber {
  learn(secrets: Iterable<string>): void;
}

/** Makes one; what it has not learnt yet it cannot find. Text in pieces is held back by what is known as each piece comes. */
export function growingScrubber(secrets: Iterable<string>, minChars?: number): GrowingScrubber {
  const known = new Set(secrets);
  let inner = createScrubber(known, minChars);
  return {
    text: (text) => inner.text(text),
    finds: (text) => inner.finds(text),
    pieces() {
      let [of, open] = [inner, inner.pieces()];
      const renewed = (): string => {
        if (of === inner) return '';
        const rest = open.end();
        [of, open] = [inner, inner.pieces()];
        return rest;
      };
      return { push: (piece) => renewed() + open.push(piece), end: () => renewed() + open.end() };
    },
    learn(more) {
      const before = known.size;
      for (const secret of more) known.add(secret);
      if (known.size > before) inner = createScrubber(known, minChars);
    },
  };
}
