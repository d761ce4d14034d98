/** A request as a program knows it that may hash the whole of it. */
export interface SentRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** What the API calls the operation; empty for none. */
  readonly operation: string;
  /** The body as it was sent. */
  readonly body: string;
}

/** Texts that a program may hash of a value: each text in it, and each part of it as JSON, with and without a line end. */
export function textsOf(value: unknown): string[] {
  const text = typeof value === 'string' ? [value, `${value}\n`] : [];
  const json = JSON.stringify(value);
  const inside = typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
  return [...text, json, `${json}\n`, JSON.stringify(sorted(value)), ...inside];
}

/** Texts that a program may hash of a request: what is in its body, and the body behind what else it knows. */
export function textsOfRequest({ method, url, operation, body }: SentRequest): string[] {
  const heads = [[method], [url], [operation], [method, url], [operation, url], [url, operation], [method, operation]];
  const json = jsonOf(body);
  const bodies = json === undefined ? [body] : [body, JSON.stringify(json), JSON.stringify(sorted(json))];
  const joined = [...new Set(bodies)].flatMap((one) =>
    heads.flatMap((head) => ['\n', ' ', ':', ''].map((separator) => [...head, one].join(separator))),
  );
  const lists = json === undefined ? [] : heads.map((head) => JSON.stringify([...head, json]));
  return [...bodies, ...joined, ...lists, ...(json === undefined ? [] : textsOf(json))];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same with the members of each object in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
