/** An answer, its body whole. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly url: string;
};

export const isOk = ({ status }: Answer) => status >= 200 && status < 300;
