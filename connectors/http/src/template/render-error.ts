/** A template that cannot be rendered with what there is; the message says what it tried and holds no value. */
export class RenderError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RenderError';
  }
}

/** A template read on from a value that is not there; the caller's default takes its place. */
export class UndefinedValue extends Error {
  constructor() {
    super('a value that is not there is read from');
    this.name = 'UndefinedValue';
  }
}
