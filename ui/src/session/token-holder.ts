import { isDue, renew, type SignInConfig, type Tokens } from './sign-in.ts';

/** The tokens of this page, in memory alone, renewed when a call needs it. */
export class TokenHolder {
  readonly #config: SignInConfig;
  #tokens: Tokens;
  #renewing: Promise<string> | undefined;
  #waiting: (() => void)[] = [];
  /** Called when calls begin to wait for the person to sign in again, and when they go on. */
  onEnded: (ended: boolean) => void = () => undefined;

  constructor(config: SignInConfig, tokens: Tokens) {
    this.#config = config;
    this.#tokens = tokens;
  }

  get tokens(): Tokens {
    return this.#tokens;
  }

  /** A token that is good now. Waits while the person signs in again, so that no call and no edit is lost. */
  async token(renewNow = false): Promise<string> {
    if (!renewNow && !isDue(this.#tokens)) return this.#tokens.access;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** The person has signed in again. */
  take(tokens: Tokens): void {
    this.#tokens = tokens;
    this.onEnded(false);
    for (const resume of this.#waiting.splice(0)) resume();
  }

  async #renew(): Promise<string> {
    const { refresh } = this.#tokens;
    const renewed = refresh === undefined ? undefined : await renew(this.#config, refresh).catch(() => undefined);
    if (renewed === undefined) {
      this.onEnded(true);
      await new Promise<void>((resume) => this.#waiting.push(resume));
    } else {
      this.#tokens = renewed;
    }
    return this.#tokens.access;
  }
}
